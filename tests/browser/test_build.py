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
    chapters: [{file: book/other}]
  - caption: II
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
    (root / "book" / "references.bib").write_text("")
    (root / "book" / "other.md").write_text("# Another page\n")
    (root / "chapters").mkdir()
    (root / "chaindyn").mkdir()
    return root


def build(root, more="", before=""):
    """Build the book with some text on its chapter, and on the page before it."""
    texts = {
        root / "chapters" / "07_chapter.md": CHAPTER.format(more=more),
        root / "book" / "intro.md": f"# A book\n\nSee {{eq}}`eq-7-energy`.\n\n{before}\n",
    }
    for page, text in texts.items():
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
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
    third = build(small_book, before="A word more.")
    assert third.returncode == 0
    assert "0 added, 1 changed, 0 removed" in third.stdout
    assert re.search("now-outdated files.*none found", third.stdout)  # chapter 7 is as it was


FAULTS = {  # in the text, and what names them
    "See {ref}`sec-nowhere`.": "sec-nowhere",
    "See {eq}`eq-7-nothing`.": "eq-7-nothing",
    "See [there](nowhere.md).": "nowhere.md",
    "See {py:func}`chaindyn.nothing`.": "chaindyn.nothing",
    "See {cite}`nobody1900`.": "nobody1900",
    "![a picture](nothing.svg)": "nothing.svg",
}
WARNS = "```{code-cell} ipython3\nimport warnings; warnings.warn('old')\n```"
WARNED = "stderr was found in the cell outputs"


def test_one_fault_is_enough_and_all_are_named_each_time(small_book):
    """The chapter stays as it is the second time: Sphinx reads only pages that changed, but nothing is forgotten."""
    first = build(small_book, WARNS)
    assert first.returncode != 0
    assert WARNED in first.stdout + first.stderr
    then = build(small_book, WARNS, before="\n\n".join(FAULTS))
    assert then.returncode != 0
    said = then.stdout + then.stderr
    assert not [name for name in (*FAULTS.values(), WARNED) if name not in said]


def test_a_cell_that_fails_fails_the_build(small_book):
    result = build(small_book, "```{code-cell} ipython3\nraise ArithmeticError('no')\n```")
    assert result.returncode != 0
    assert "ArithmeticError" in result.stdout + result.stderr
