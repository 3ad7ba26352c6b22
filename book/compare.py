"""A plugin of pytest (``-p book.compare``): nbval's strict comparison, with the outputs that the site shows.

nbval executes a notebook for itself and keeps nothing. Here its rules judge what `book.executed` gave, so that a
chapter is executed once for comparison and site together. Plain ``pytest --nbval chapters/*.ipynb`` works as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, coalesce_streams

from book.executed import executed, forget_outdated


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # once, before there are workers
        forget_outdated()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".ipynb":
        return None
    return ExecutedTwin.from_parent(parent, path=file_path)


class ExecutedTwin(IPyNbFile):
    """A twin beside what its page gives."""

    def collect(self) -> Iterator[IPyNbCell]:
        for item in super().collect():
            values = {name: getattr(item, name) for name in ("name", "cell_num", "cell", "options")}
            yield ExecutedCell.from_parent(self, **values)

    def setup(self) -> None:
        self.setup_sanitize_files()
        self.executed = executed(self.path.with_suffix(".md")).cells


class ExecutedCell(IPyNbCell):
    """A cell of a twin, which its page's cell has to equal, source and outputs."""

    def runtest(self) -> None:
        cells = self.parent.executed
        ran = cells[self.cell_num] if self.cell_num < len(cells) else None
        if ran is None or ran.source != self.cell.source:
            self.raise_cell_error("The page has another cell here; run: python -m book twins")
        if self.options["skip"]:
            pytest.skip("tagged nbval-skip")
        if self.cell.execution_count is None:
            self.raise_cell_error("The twin was not executed; run: python -m book twins")
        self.test_outputs = coalesce_streams(ran.outputs)
        stored = coalesce_streams(self.cell.outputs)
        if self.options["check"] and not self.compare_outputs(self.test_outputs, stored):
            self.raise_cell_error("Cell outputs differ", "\n".join(self.comparison_traceback))
