"""The book in one document: nothing lost, every link inside it leads somewhere, and Chromium prints it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from test_links import Html

from book.pages import ROOT
from book.pdf import JOINED, join

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def joined(site_folder):
    return join(site_folder)


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
    (style,) = re.findall(r'<style id="site-style">(.*?)</style>', joined, re.DOTALL)
    addresses = re.findall(r'url\("(?!data:|#)([^"]+)"\)', style)
    assert len(addresses) > 5
    assert [address for address in addresses if not (site_folder / address).is_file()] == []


SAMPLE = ("book/intro", "chapters/05_velocity_acceleration_jacobians")


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
