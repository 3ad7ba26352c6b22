"""JavaScript as other people write it: in short modules, with types, checked by tools that npm pins."""

from __future__ import annotations

import json
import re

import pytest

from book import assets
from book.javascript import FOLDER, main
from book.pages import ROOT, BookError

MODULES = [
    *ROOT.glob("chaindyn/widgets/*.js"),
    *ROOT.glob("book/theme/*.js"),
    *ROOT.glob("book/theme/offline/*.js"),
    *ROOT.glob("book/theme/tryit/*.js"),
    *ROOT.glob("book/theme/drills/*.js"),
    *ROOT.glob("book/lab/*.js"),
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_and_lines_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 300
    assert [line for line in lines if len(line) > 120] == []
    assert not re.search("@ts-nocheck|@ts-ignore|biome-ignore", "\n".join(lines))


def test_the_tools_are_pinned():
    """By version, and each file by its hash; without an address, that any registry may serve it."""
    wanted = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    lock = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert lock[""]["devDependencies"] == wanted
    for name, package in lock.items():
        assert "resolved" not in package
        assert not name or package["integrity"].startswith("sha512-")


def unavailable(work):
    raise assets.AssetsUnavailable("no network")


def test_without_npm_it_is_not_checked_but_in_ci(monkeypatch, capsys):
    monkeypatch.setattr("book.javascript.npm", unavailable)
    monkeypatch.delenv("CI", raising=False)
    assert main([]) == 0
    assert "no npm here: no network" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    with pytest.raises(BookError, match="no network"):
        main([])
