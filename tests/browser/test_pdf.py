"""The book in one document: nothing lost, every link inside it leads somewhere, and Chromium prints it."""

from __future__ import annotations

import collections
import subprocess
import sys

import pytest
from bs4 import BeautifulSoup

from book.pages import ROOT
from book.pdf import JOINED, join

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def joined(site_folder):
    return BeautifulSoup(join(site_folder), "html.parser")


def test_anchors_are_unique_and_links_lead_somewhere(joined):
    anchors = collections.Counter(element["id"] for element in joined.select("body [id]"))
    wanted = {link["href"] for link in joined.select("body a[href^='#']")} - {"#"}
    assert sorted(href for href in wanted if anchors[href[1:]] > 1) == []
    assert sorted(href for href in wanted if href[1:] not in anchors) == []


def test_pictures_are_there(joined, site_folder):
    pictures = [image["src"] for image in joined.select("body img") if ":" not in image["src"]]
    assert pictures
    assert [src for src in pictures if not (site_folder / src.split("?")[0]).is_file()] == []


SAMPLE = ("book/intro", "chapters/05_velocity_acceleration_jacobians", "book/errata")


@pytest.mark.parametrize(
    ("names", "sheets"),
    [
        pytest.param(SAMPLE, 15, marks=pytest.mark.slow, id="a chapter"),
        pytest.param(None, 300, marks=pytest.mark.nightly, id="the book"),
    ],
)
def test_prints(chromium, site_folder, tmp_path, names, sheets):
    """In a process of its own: Playwright allows one at a time."""
    target = tmp_path / "book.pdf"
    code = (
        "from pathlib import Path; from book.pdf import write; "
        f"write(Path({str(site_folder)!r}), Path({str(target)!r}), {names})"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=1500)
    made = target.read_bytes()
    assert made.startswith(b"%PDF")
    assert b"/Outlines" in made
    assert made.count(b"/Type /Page\n") > sheets
    assert not (site_folder / JOINED).exists()
