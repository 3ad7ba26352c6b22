"""The build itself, on a book of one chapter: what is wrong with a page fails it, and a second run redoes nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from book.pages import ROOT

CHAPTER = """---
jupytext:
  text_representation: {{extension: .md, format_name: myst}}
kernelspec: {{display_name: Python 3, language: python, name: python3}}
chaindyn: {{chapter: 7, title: A chapter, modules: {{}}}}
---

# A chapter

$$
E = m
$$ (eq-7-energy)

```{{chapter-map}}
```

```{{code-cell}} ipython3
print(6 * 7)
```

{more}
"""
TOC = """format: jb-book
root: book/intro
parts:
  - caption: I
    numbered: 2
    chapters: [{file: chapters/07_chapter}]
"""


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    """The book's tools with one chapter, away from the real one."""
    root = tmp_path_factory.mktemp("small")
    pages = shutil.ignore_patterns("_build", "_live", "__pycache__", "*.md", "*.ipynb", "*.bib")
    shutil.copytree(ROOT / "book", root / "book", ignore=pages)
    shutil.copy(ROOT / "_config.yml", root)
    (root / "_toc.yml").write_text(TOC)
    (root / "book" / "intro.md").write_text("# A book\n\nSee {eq}`eq-7-energy`.\n")
    (root / "book" / "references.bib").write_text("")
    (root / "chapters").mkdir()
    (root / "chaindyn").mkdir()
    return root


def build(root, more=""):
    chapter, text = root / "chapters" / "07_chapter.md", CHAPTER.format(more=more)
    if not chapter.exists() or chapter.read_text(encoding="utf-8") != text:
        chapter.write_text(text, encoding="utf-8")
    code = "from book.site import build; build(lab=False)"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env=dict(os.environ, PYTHONPATH=str(root), NO_COLOR="1"),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def test_second_run_redoes_nothing_and_numbers_are_the_chapters_own(small_book):
    first = build(small_book)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "chapters/07_chapter.md: executed" in first.stdout
    html = small_book / "book" / "_build" / "html"
    assert ">(7.1)<" in (html / "book" / "intro.html").read_text(encoding="utf-8")
    chapter = (html / "chapters" / "07_chapter.html").read_text(encoding="utf-8")
    assert '<li class="here" aria-current="page"><span class="number">7</span>' in chapter
    assert "42" in chapter
    second = build(small_book)
    assert second.returncode == 0
    assert "07_chapter.md: executed" not in second.stdout
    assert "Executing notebook" not in first.stderr + second.stderr  # Sphinx finds the outputs
    assert "0 added, 0 changed, 0 removed" in second.stdout
    assert re.search("now-outdated files.*none found", second.stdout)


FAULTS = {  # in the text, and what names them
    "See {ref}`sec-nowhere`.": "sec-nowhere",
    "See {eq}`eq-7-nothing`.": "eq-7-nothing",
    "See [there](nowhere.md).": "nowhere.md",
    "See {py:func}`chaindyn.nothing`.": "chaindyn.nothing",
    "See {cite}`nobody1900`.": "nobody1900",
    "![a picture](nothing.svg)": "nothing.svg",
}


def test_what_is_wrong_fails_the_build_each_time(small_book):
    for _ in range(2):  # Sphinx reads only pages that changed, but does not forget
        result = build(small_book, "\n\n".join(FAULTS))
        assert result.returncode != 0
        said = result.stdout + result.stderr
        assert not [name for name in FAULTS.values() if name not in said]


def test_one_fault_is_enough(small_book):
    result = build(small_book, "See {ref}`sec-nowhere`.")
    assert result.returncode != 0
    assert "sec-nowhere" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("raise ArithmeticError('no')", "ArithmeticError"),
        ("import warnings; warnings.warn('old')", "stderr"),
    ],
)
def test_a_cell_that_fails_or_warns_fails_the_build(small_book, cell, said):
    result = build(small_book, f"```{{code-cell}} ipython3\n{cell}\n```")
    assert result.returncode != 0
    assert said in result.stdout + result.stderr
