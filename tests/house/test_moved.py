"""Who comes by the old address of a page that was renamed arrives at the page as it is named today."""

from __future__ import annotations

import re
import subprocess

import pytest
import yaml

from book.pages import ROOT, pages_in_order

SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
MOVED: dict[str, str] = SETTINGS["redirects"]


def git(*command: str) -> str:
    told = subprocess.run(
        ["git", *command], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    if told.returncode:
        pytest.skip("not a git checkout")
    return told.stdout


def once_listed() -> set[str]:
    """The pages that a table of contents has named at any time, as far back as this checkout knows."""
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("a checkout without its history; what main publishes is built with it")
    lines = git("log", "-p", "--format=", "--", "_toc.yml")
    return set(re.findall(r"(?m)^\+[- ]*(?:file|root|chapter): *(\S+)", lines))


def test_every_page_that_was_ever_published_is_there_or_leads_on():
    once, now = once_listed(), set(pages_in_order())
    assert {"book/intro", "chapters/18_derivatives", "chapters/23_derivatives"} <= once
    lost = once - now - MOVED.keys()
    assert not lost, f"renamed: give these a line under `redirects` in _config.yml: {sorted(lost)}"


@pytest.mark.parametrize("old", MOVED)
def test_an_old_address_leads_straight_to_a_page(old):
    now = pages_in_order()
    assert old not in now, "a page that is there would be overwritten"
    target = re.fullmatch(r"/(.+)\.html", MOVED[old])
    assert target and target[1] in now
