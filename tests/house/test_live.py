"""What is gathered for the lab is what it claims to be, wherever it comes from."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import re
import threading
import zipfile
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from book import live
from book.assets import AssetsUnavailable
from book.pages import ROOT

CONTENT = b"a package"
ENTRY = {"file_name": "numpy.whl", "sha256": hashlib.sha256(CONTENT).hexdigest()}


@pytest.fixture
def folders(tmp_path):
    made = [tmp_path / name for name in ("source", "target", "work")]
    for folder in made:
        folder.mkdir()
    (made[0] / "numpy.whl").write_bytes(CONTENT)
    return made


def test_a_folder_serves(folders, monkeypatch):
    source, target, work = folders
    monkeypatch.setenv("CHAINDYN_PYODIDE", str(source))
    live._official([ENTRY], "1.0", target, work)
    assert (target / "numpy.whl").read_bytes() == CONTENT


def test_an_address_serves(folders, monkeypatch):
    source, target, work = folders
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(source))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("CHAINDYN_PYODIDE", f"http://127.0.0.1:{server.server_port}")
        live._official([ENTRY], "1.0", target, work)
        server.shutdown()
    assert (target / "numpy.whl").read_bytes() == CONTENT


def test_a_wheel_that_holds_the_files_serves(folders, monkeypatch):
    source, target, work = folders
    with zipfile.ZipFile(source / "mirror-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("mirror/assets/numpy.whl", CONTENT)
    asked = []

    def pip(*arguments):
        asked.append(arguments[-1])
        (work / "mirror").mkdir()
        (source / "mirror-1-py3-none-any.whl").rename(work / "mirror" / "mirror.whl")

    monkeypatch.setattr(live, "_pip", pip)
    monkeypatch.setenv("CHAINDYN_PYODIDE", "pip:mirror==1")
    live._official([ENTRY], "1.0", target, work)
    assert asked == ["mirror==1"]
    assert (target / "numpy.whl").read_bytes() == CONTENT


def test_another_file_of_the_same_name_is_refused_and_the_next_source_asked(folders, monkeypatch):
    source, target, work = folders
    forged = source / "forged"
    forged.mkdir()
    (forged / "numpy.whl").write_bytes(b"something else")
    monkeypatch.setattr(live, "SOURCES", (str(forged), str(source / "nowhere"), str(source)))
    live._official([ENTRY], "1.0", target, work)
    assert (target / "numpy.whl").read_bytes() == CONTENT
    monkeypatch.setattr(live, "SOURCES", (str(forged), str(source / "nowhere")))
    with pytest.raises(AssetsUnavailable, match=r"numpy\.whl is not the official file.*nowhere"):
        live._official([ENTRY], "1.0", target, work)


def test_where_nothing_can_be_had_what_was_there_stays(tmp_path, monkeypatch):
    for name, path in (("FOLDER", ""), ("PYODIDE", "pyodide"), ("BUILDER", "b"), ("STAMP", "s")):
        monkeypatch.setattr(live, name, tmp_path / path)
    live.PYODIDE.mkdir()
    live.STAMP.write_text("an earlier time")

    def offline(*arguments):
        raise AssetsUnavailable("no network")

    monkeypatch.setattr(live, "_pip", offline)
    with pytest.raises(AssetsUnavailable, match="no network"):
        live.fetch()
    assert live.ready()
    assert live.PYODIDE.is_dir()


def test_every_wheel_is_pinned_by_its_hash():
    for name in ("wheels.txt", "builder.txt"):
        lines = (live.LAB / name).read_text(encoding="utf-8").splitlines()
        for line in lines:
            assert line.startswith("#") or re.fullmatch(
                r"[a-z0-9-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line
            )


def test_the_kernel_starts_with_what_is_gathered_for_it():
    settings = json.loads((live.LAB / "jupyter-lite.json").read_text(encoding="utf-8"))
    (kernel,) = settings["jupyter-config-data"]["litePluginSettings"].values()
    assert kernel["loadPyodideOptions"]["packages"] == [*live.KERNEL, "chaindyn"]
    assert kernel["disablePyPIFallback"]


def test_imports_of_the_package_are_seen():
    assert {"numpy", "anywidget", "matplotlib", "yourdfpy"} <= live._imports(ROOT / "chaindyn")


def test_a_changed_page_costs_no_new_lab(tmp_path, monkeypatch):
    """Its notebook is put into the lab that is there, and into its listing."""
    made = list[Path]()

    def run(command: list[str], work: Path) -> None:
        made.append(Path(command[-1]))
        made[-1].mkdir()

    for name, fake in (("run", run), ("_add_python", lambda *given: None), ("_digest", digest)):
        monkeypatch.setattr(live, name, fake)
    monkeypatch.setattr(live, "ROOT", tmp_path)
    pages = [tmp_path / "chapters" / f"{k}.md" for k in "ab"]
    monkeypatch.setattr(live, "pages", lambda: pages)
    monkeypatch.setattr(live, "data_of", lambda page: [])
    sources = tmp_path / "site" / "_sources" / "chapters"
    sources.mkdir(parents=True)

    def built(text: str) -> list[str]:
        for page in pages:
            cell = v4.new_markdown_cell(text, id="a")
            nbformat.write(v4.new_notebook(cells=[cell]), sources / f"{page.stem}.ipynb")
        lab = live.build(tmp_path / "site")
        listing = json.loads((lab / "api/contents/chapters/all.json").read_text())["content"]
        for entry in listing:
            file = lab / "files" / entry["path"]
            assert text in file.read_text() and entry["size"] == file.stat().st_size
        return [entry["name"] for entry in listing]

    assert built("words") == built("words") == built("other words") == ["a.ipynb", "b.ipynb"]
    assert len(made) == 1
    pages.append(tmp_path / "chapters" / "c.md")
    assert len(built("words")) == 3 and len(made) == 2


def digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(
        b"".join(file.read_bytes() for file in files if file.is_file())
    ).hexdigest()
