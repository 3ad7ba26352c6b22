"""The book in one document: nothing lost, every link inside it leads somewhere, and Chromium prints it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from pypdf import PdfReader
from test_links import Html

from book import pdf
from book.binding import ELSEWHERE
from book.pages import ROOT
from book.pdf import front, parts

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def joined(site_folder):
    pages = parts(site_folder)
    return "".join(part.document for part in [front(pages), *pages])


def test_anchors_are_unique_and_links_lead_somewhere(joined):
    page = Html()
    page.feed(joined)
    wanted = {address for _, address in page.links if address.startswith("#")} - {"#"}
    assert len(wanted) > 1000
    assert sorted(address for address in wanted if page.ids[address[1:]] > 1) == []
    assert sorted(address for address in wanted if address[1:] not in page.ids) == []


def test_pictures_are_there(joined, site_folder):
    sources = re.findall(r'<img\b[^>]*?\ssrc="([^":]*)"', joined)
    assert sources
    assert [src for src in sources if not (site_folder / src.split("?")[0]).is_file()] == []


def test_the_style_is_there(joined, site_folder):
    styles = {*re.findall(r'<style id="site-style">(.*?)</style>', joined, re.DOTALL)}
    assert styles
    for style in styles:
        addresses = re.findall(r'url\("(?!data:|#)([^"]+)"\)', style)
        assert len(addresses) > 5
        assert [address for address in addresses if not (site_folder / address).is_file()] == []


SAMPLE = ("book/intro", "chapters/05_velocity_acceleration_jacobians")


@pytest.mark.parametrize(
    ("names", "least", "most", "megabytes"),
    [
        pytest.param(SAMPLE, 15, 30, 2.5, marks=pytest.mark.slow, id="a chapter"),
        pytest.param(None, 300, 500, 15, marks=pytest.mark.nightly, id="the book"),
    ],
)
def test_prints(chromium, site_folder, tmp_path, names, least, most, megabytes):
    """In a process of its own: Playwright allows one at a time."""
    target = tmp_path / "book.pdf"
    code = (
        "from pathlib import Path; from book.pdf import write; "
        f"write(Path({str(site_folder)!r}), Path({str(target)!r}), {names})"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=1500)
    made = PdfReader(target)
    assert least < len(made.pages) <= most
    assert target.stat().st_size < megabytes * 1e6
    # Neither blank nor the sheet of signs, which is a print's last.
    assert all(20 < len(page.extract_text()) < 20_000 for page in made.pages)
    places = made.named_destinations
    links = [link.get_object() for page in made.pages for link in page.get("/Annots", ())]
    assert sum("/Dest" in link for link in links) > 2 * len(SAMPLE)
    assert {link["/Dest"] for link in links if "/Dest" in link} <= places.keys()
    assert not [link for link in links if ELSEWHERE in str(link.get("/A"))]
    titles = [one.title for one in made.outline if not isinstance(one, list)]
    assert titles[0] == pdf.settings()["title"] and titles[-1].startswith("Solutions")

    numbers = {name: 1 + made.get_destination_page_number(place) for name, place in places.items()}
    if names:  # whose contents are on one sheet
        listed = re.findall(r"\d+", made.pages[1].extract_text())
        assert listed[-2:] == [str(numbers["/solutions-1"]), "2"]
        assert str(numbers["/book-intro"]) in listed
    for k in (1, 9, len(made.pages) - 1):
        assert made.pages[k].extract_text().split()[-1] == str(k + 1)

    tags = made.root_object["/StructTreeRoot"]
    index = tags["/ParentTree"]["/Nums"]
    owners = dict(zip(index[::2], index[1::2], strict=True))
    for page in made.pages[1 :: len(made.pages) // 20]:
        marks = {int(k) for k in re.findall(rb"/MCID (\d+)", page.get_contents().get_data())}
        named = owners[page["/StructParents"]].get_object()
        assert marks <= {
            k for k, owner in enumerate(named) if owner.get_object()["/S"] != "/NonStruct"
        }
    for link in links:
        assert owners[link["/StructParent"]].get_object()["/S"] == "/Link"
