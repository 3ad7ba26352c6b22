"""Chapters and their executed twins: NN_name.md, what an author edits, and NN_name.ipynb beside it.

A twin holds the page's cells, their outputs, and the hash of the cells that it was made from. So when
page and twin differ, the hash tells which of the two was edited. Measured data lie beside the page in files
whose names begin with its own, NN_name_*.json; the twin remembers their hash too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import difflib
import hashlib
import json
import re
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupytext.myst import myst_to_notebook
from nbformat import NotebookNode

from book.executed import executed, fill
from book.pages import PACKAGE, ROOT, BookError, code_cells, pages, read_page

RECORD = "chaindyn_twin"
# Cell metadata by which JupyterLab remembers how a notebook was looked at.
_VIEW = {"collapsed", "editable", "execution", "jupyter", "scrolled", "trusted", "ExecuteTime"}
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


class State(Enum):
    """How a page and its twin stand to each other."""

    CURRENT = "up to date"
    PACKAGE_CHANGED = "the package has changed"
    MISSING = "there is no twin"
    PAGE_EDITED = "the page has changed"
    DATA_CHANGED = "the page's data have changed"
    TWIN_EDITED = "the twin was edited"
    BOTH_EDITED = "both the page and its twin were edited"
    RESAVED = "the twin was saved by another program"


def twin_of(page: Path) -> Path:
    """Where the twin of a page is."""
    return page.with_suffix(".ipynb")


# Comparing --------------------------------------------------------------------------------------


def _keys(notebook: NotebookNode) -> list[str]:
    """One string a cell: all of it that an author writes."""
    return [
        json.dumps([cell.cell_type, cell.source, _written(cell.metadata)], sort_keys=True)
        for cell in notebook.cells
    ]


def _written(metadata: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in _VIEW}


def _digest(keys: list[str]) -> str:
    return hashlib.sha256("\n".join(keys).encode("utf-8")).hexdigest()[:16]


def package_digest(root: Path = ROOT) -> str:
    """The hash of the package's Python files: outputs may depend on any of them."""
    digest = hashlib.sha256()
    for path in sorted((root / PACKAGE).rglob("*.py")):
        text = path.read_text(encoding="utf-8")  # the same on every system, whatever ends the lines
        digest.update(f"{path.relative_to(root).as_posix()}\0{text}\0".encode())
    return digest.hexdigest()[:16]


def data_digest(page: Path) -> str:
    """The hash of the data that lie beside a page, files whose names begin with its own; empty without any."""
    found = sorted(page.parent.glob(f"{page.stem}_*.json"))
    return _digest([file.read_text(encoding="utf-8") for file in found]) if found else ""


def state(page: Path, root: Path = ROOT) -> State:
    """How ``page`` and its twin stand to each other."""
    twin = twin_of(page)
    if not twin.exists():
        return State.MISSING
    notebook = _read_twin(twin)
    record = notebook.metadata.get(RECORD, {})
    ours, theirs, made_from = (
        _digest(_keys(read_page(page))),
        _digest(_keys(notebook)),
        record.get("cells"),
    )
    if ours == theirs:
        if made_from != ours:
            return State.RESAVED
        if record.get("data", "") != data_digest(page):
            return State.DATA_CHANGED
        same = record.get("package") == package_digest(root)
        return State.CURRENT if same else State.PACKAGE_CHANGED
    if theirs == made_from:
        return State.PAGE_EDITED
    return State.TWIN_EDITED if ours == made_from else State.BOTH_EDITED


def _read_twin(twin: Path) -> NotebookNode:
    try:
        return nbformat.read(twin, as_version=4)
    except (ValueError, nbformat.ValidationError) as error:
        raise BookError(f"{twin}: not a notebook: {error}") from None


# Executing --------------------------------------------------------------------------------------


def _unexecuted(page: Path) -> NotebookNode:
    notebook = read_page(page)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = NotebookNode(kernelspec=NotebookNode(_KERNELSPEC))
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        name = hashlib.sha256(f"{cell.cell_type}\0{cell.source}".encode()).hexdigest()[:12]
        seen[name] = seen.get(name, 0) + 1
        cell["id"] = name if seen[name] == 1 else f"{name}-{seen[name]}"
    return notebook


def execute(page: Path, root: Path = ROOT) -> NotebookNode:
    """The page's notebook with what its cells gave, freed of all that changes by itself."""
    notebook = _unexecuted(page)
    notebook.metadata = NotebookNode(
        kernelspec=NotebookNode(_KERNELSPEC),
        language_info=NotebookNode(name="python", file_extension=".py", mimetype="text/x-python"),
    )
    notebook.metadata[RECORD] = NotebookNode(
        cells=_digest(_keys(notebook)), package=package_digest(root)
    )
    if data := data_digest(page):
        notebook.metadata[RECORD].data = data
    for cell, ran in zip(code_cells(notebook), executed(page, root).cells, strict=True):
        cell.execution_count = ran.execution_count
        cell.outputs = [_settled(output, cell) for output in ran.outputs]
        _refuse_what_is_local(cell, page, root)
    return notebook


def as_twin_of(page: Path, notebook: NotebookNode) -> NotebookNode:
    """Record in a notebook that has what a page's twin gave, as that of an edition, what it was made from."""
    kept = _read_twin(twin_of(page)).metadata.get(RECORD, {})
    notebook.metadata[RECORD] = NotebookNode({**kept, "cells": _digest(_keys(notebook))})
    return notebook


def _settled(output: NotebookNode, cell: NotebookNode) -> NotebookNode:
    """An output without what differs from run to run or from machine to machine."""
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    data = output.get("data", {})
    if data.pop(_WIDGET_VIEW, None):
        # The model lived in the kernel that made it. Who opens the twin reads what it showed.
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        data["text/plain"] = f"A widget, there when this cell has run. {alt}".strip()
    elif len(data) > 1 and "text/plain" in data:  # a picture's second choice
        data["text/plain"] = _ADDRESS.sub("", data["text/plain"])
    return output


def _refuse_what_is_local(cell: NotebookNode, page: Path, root: Path) -> None:
    where = f"{page.name}, cell {cell.source.splitlines()[0]!r}"
    text = json.dumps([{k: v for k, v in out.items() if k != "metadata"} for out in cell.outputs])
    for folder in {str(root), str(Path.home()), sys.prefix} - {"/"}:
        if json.dumps(folder)[1:-1] in text:
            raise BookError(
                f"{where}: its output holds a path of this machine ({folder}), which no reader has"
            )
    if address := _ADDRESS.search(text):
        raise BookError(
            f"{where}: its output holds the address of an object ({address[0].strip()})"
        )


def write_twin(page: Path, root: Path = ROOT) -> None:
    """Execute a page and write its twin."""
    twin_of(page).write_text(
        nbformat.writes(execute(page, root)) + "\n", encoding="utf-8", newline="\n"
    )


# Commands ---------------------------------------------------------------------------------------


def twins(chosen: list[Path], root: Path = ROOT, check: bool = False) -> int:
    """Bring the twins of some pages up to date, or with ``check`` say which are not; the number left."""
    problems = 0
    waiting = []
    if sys.platform == "win32":  # zmq needs it
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
    for page in chosen:
        name = page.relative_to(root)
        now = state(page, root)
        if now is State.CURRENT or (check and now is State.PACKAGE_CHANGED):
            print(f"{name}: up to date", flush=True)
        elif now in (State.TWIN_EDITED, State.BOTH_EDITED):
            problems += 1
            print(f"{name}: {now.value}: {_advice(now)}", flush=True)
        elif check:
            problems += 1
            print(f"{name}: stale: {now.value} (run: python -m book twins)", flush=True)
        else:
            print(f"{name}: {now.value}", flush=True)
            waiting.append(page)
    with contextlib.suppress(BookError):  # writing says it of each page
        fill(waiting, root)
    for page in waiting:
        try:
            write_twin(page, root)
        except BookError as error:
            problems += 1
            print(f"FAILED\n{error}", flush=True)
        else:
            print(f"{twin_of(page).relative_to(root)}: written", flush=True)
    return problems


def _advice(now: State) -> str:
    if now is State.TWIN_EDITED:
        return "run 'python -m book sync' to carry the change to the page"
    return (
        "put the change of one into the other by hand; to keep the page's, delete the .ipynb and run "
        "'python -m book twins'"
    )


def sync(chosen: list[Path], root: Path = ROOT) -> int:
    """Carry what was edited in twins back to their pages; the number of pages for which that fails."""
    problems = 0
    for page in chosen:
        now = state(page, root)
        if now is State.TWIN_EDITED:
            page.write_text(_carried_back(page), encoding="utf-8", newline="\n")
            print(f"{page.relative_to(root)}: written from {twin_of(page).name}")
        elif now is State.BOTH_EDITED:
            problems += 1
            print(f"{page.relative_to(root)}: {now.value}: {_advice(now)}")
        else:
            print(f"{page.relative_to(root)}: nothing to carry back")
    return problems


def _carried_back(page: Path) -> str:
    """The page's text with the twin's cells: the front matter and the cells that stayed keep theirs."""
    text = page.read_text(encoding="utf-8")
    old, new = read_page(page), _read_twin(twin_of(page))
    for cell in new.cells:
        cell.metadata = NotebookNode(_written(cell.metadata))
    wanted = _keys(new)
    for result in (_patched(text, old, new), _rewritten(text, new)):
        if result and _keys(jupytext.reads(result, fmt="md:myst")) == wanted:
            return result
    raise BookError(
        f"{page}: the twin has cells that cannot be written as MyST (an empty Markdown cell?)"
    )


def _rewritten(text: str, new: NotebookNode) -> str:
    return _front(text) + "\n" + _as_myst(new.cells).lstrip("\n")


def _patched(text: str, old: NotebookNode, new: NotebookNode) -> str | None:
    """The page's own lines where cells are equal, Jupytext's where they are not."""
    spans = _spans(text, len(old.cells))
    if spans is None:
        return None
    lines = text.splitlines(keepends=True)
    parts = [_front(text)]
    matcher = difflib.SequenceMatcher(None, _keys(old), _keys(new), autojunk=False)
    for action, i, j, k, m in matcher.get_opcodes():
        if k == m:
            continue
        if action == "equal":
            part = "".join(lines[spans[i][0] : spans[j - 1][1]])
        else:
            part = _as_myst(new.cells[k:m])
        if k and new.cells[k - 1].cell_type == new.cells[k].cell_type == "markdown":
            part = part if part.lstrip().startswith("+++") else f"+++\n\n{part.lstrip()}"
        parts.append(part)
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _front(text: str) -> str:
    match = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return match[0] if match else ""


def _spans(text: str, count: int) -> list[tuple[int, int]] | None:
    """First and last line of every cell, its fence or ``+++`` included; None where they are not found."""
    starts = list(myst_to_notebook(text, add_source_map=True).metadata["source_map"])
    if len(starts) != count:
        return None
    lines = text.splitlines()
    for index, start in enumerate(starts):
        # The map points behind a code cell's fence and behind a +++ line.
        if start and re.match(r"(`{3,}\{|\+\+\+)", lines[start - 1]):
            starts[index] = start - 1
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))


def _as_myst(cells: list[NotebookNode]) -> str:
    """Some cells as MyST, without front matter."""
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["language_info"] = {"pygments_lexer": "ipython3"}
    text = jupytext.writes(notebook, fmt="md:myst")
    return text.removeprefix(_front(text))


def _choose(names: list[str], root: Path) -> list[Path]:
    """The pages that the names on a command line mean: paths, or the beginnings of file names."""
    known = pages(root)
    if not names:
        return known
    chosen = []
    for name in names:
        stem = Path(name).with_suffix("").name
        found = [page for page in known if page.stem == stem] or [
            page for page in known if page.stem.startswith(stem)
        ]
        if not found:
            raise BookError(f"{name}: no such page; there are {', '.join(p.stem for p in known)}")
        chosen += found
    return chosen


def main(argv: list[str] | None = None) -> int:
    """``python -m book twins [--check] [page ...]``."""
    parser = argparse.ArgumentParser(prog="python -m book twins", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="execute nothing; fail on a stale twin"
    )
    parser.add_argument("pages", nargs="*", help="only these: paths, or how file names begin (04)")
    arguments = parser.parse_args(argv)
    return 1 if twins(_choose(arguments.pages, ROOT), check=arguments.check) else 0


def sync_main(argv: list[str] | None = None) -> int:
    """``python -m book sync [page ...]``."""
    parser = argparse.ArgumentParser(prog="python -m book sync", description=sync.__doc__)
    parser.add_argument("pages", nargs="*")
    return 1 if sync(_choose(parser.parse_args(argv).pages, ROOT)) else 0
