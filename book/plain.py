"""A chapter's notebook in plain Markdown, for programs that know nothing of MyST: JupyterLite, Colab, VS Code.

Roles become what they say on the site ("(4.2)", "Fig. 3.1"), directives headings, quotations, tables and pictures.
Code cells and what they printed stay as they are. A solution is folded away under its heading, a hint behind its name.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from book.exercises import facts

_ROLE = re.compile(r"\{([\w:]+)\}`([^`]*)`")
_EXPLICIT = re.compile(r"(.*\S)\s*<([^<>]+)>", re.DOTALL)
_EQUATION = re.compile(r"\s*\n?\$\$\s*\(([\w-]+)\)")
_FENCE = re.compile(r"^\s*(`{3,}|:{3,})(?:\{([\w-]+)\}[ ]*(.*))?")
_TARGET = re.compile(r"\([\w-]+\)=")
_SOLUTION = "##### Solution"
_KINDS = {
    "cite": "cite:p",
    "eq": "math:eq",
    "ref": "std:ref",
    "numref": "std:numref",
    "doc": "std:doc",
}

Texts = Mapping[str, str]  # what references say on the site: see `said` in extensions/notebooks.py


def plain_notebook(notebook: NotebookNode, texts: Texts, folder: Path) -> NotebookNode:
    """Return the notebook with plain Markdown; `folder` is the page's, from which pictures are named."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            cells.append(cell)
            continue
        text = _with_pictures(plain(cell.source, texts), folder)
        for number, part in enumerate(re.split(rf"(?m)^({_SOLUTION}.*)$", text)):
            if part.strip():
                name = f"{cell['id']}-{number}" if number else cell["id"]
                kept = {} if number else dict(cell.metadata)
                cells.append(new_markdown_cell(part.strip(), id=name, metadata=kept))
            if part.startswith(
                _SOLUTION
            ):  # JupyterLab folds all up to the next heading of this rank
                cells[-1].metadata["jp-MarkdownHeadingCollapsed"] = True
    return NotebookNode({**notebook, "cells": cells})


def plain(markdown: str, texts: Texts) -> str:
    """Return some MyST as plain Markdown."""
    result, prose, lines = list[str](), list[str](), markdown.split("\n")
    while lines:
        line = lines.pop(0)
        fence = _FENCE.match(line)
        if not fence:
            prose += [] if _TARGET.fullmatch(line.strip()) else [line]
            continue
        body = []
        while lines and lines[0].strip() != fence[1]:
            body.append(lines.pop(0))
        closing, lines = lines[:1], lines[1:]
        result.append(_prose("\n".join(prose), texts))
        prose = []
        if fence[2]:
            result += ["", *_directive(fence[2], fence[3], body, texts), ""]
        else:  # code: nothing in it is markup
            result += [line, *body, *closing]
    result.append(_prose("\n".join(prose), texts))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(result))


def _prose(text: str, texts: Texts) -> str:
    text = _EQUATION.sub(lambda match: _numbered(match[1], texts), text)
    return _ROLE.sub(lambda match: _said(match[1], match[2], texts), text)


def _said(role: str, content: str, texts: Texts) -> str:
    """What a role says on the site."""
    explicit = _EXPLICIT.fullmatch(content)
    target = explicit[2] if explicit else content
    if role == "math":
        return f"${content}$"
    if role.startswith("py:"):
        return f"`{explicit[1] if explicit else target.removeprefix('~').rpartition('.')[2]}`"
    if role == "eq":
        number = texts.get(f"math:eq:{target.lower()}") or texts.get(f"math:eq:{target}", target)
        return f"({number.strip('()')})"
    if explicit:
        return explicit[1]
    if exercise := texts.get(f"exercise:{target}"):
        return f"exercise {exercise}"
    return texts.get(f"{_KINDS.get(role, role)}:{target}", target)


def _numbered(label: str, texts: Texts) -> str:
    number = texts.get(f"math:eq:{label.lower()}")
    return f"\n\\tag{{{number}}}\n$$" if number else "\n$$"


def _directive(name: str, argument: str, body: list[str], texts: Texts) -> list[str]:
    """The lines that stand for a directive."""
    options = {}
    while body and (option := re.match(r":([\w-]+):\s*(.*)", body[0])):
        options[option[1]] = option[2]
        body.pop(0)
    inside = plain("\n".join(body), texts).strip("\n").split("\n")
    if name == "exercise-start":
        number = texts.get(f"exercise:{options.get('label')}", "")
        said = facts(options.get("class", "")).words()
        heading = f"#### Exercise {number}: {argument}".replace(" :", ":")
        return [heading, *(["", f"*{said}*", ""] if said else [])]
    if name == "solution-start":
        return [f"{_SOLUTION} to exercise {texts.get(f'exercise:{argument}', '')}".rstrip()]
    if name in (
        "exercise-end",
        "solution-end",
        "chapter-map",
        "chapter-graph",
        "drill",
        "practice",
    ):
        return []
    if name == "hint":
        return ["<details><summary>Hint</summary>", "", *inside, "", "</details>"]
    if name == "figure":
        return [
            f"![{options.get('alt', '')}]({argument})",
            "",
            *(f"*{line}*" for line in inside if line),
        ]
    if name == "list-table":
        rows = [
            re.split(r"\n\s*-\s", row)
            for row in re.split(r"(?m)^\s*\*\s-\s", "\n".join(inside))[1:]
        ]
        table = ["| " + " | ".join(" ".join(cell.split()) for cell in row) + " |" for row in rows]
        return [f"**{argument}**", "", table[0], "|" + " --- |" * len(rows[0]), *table[1:]]
    title = argument or name.capitalize()
    return [f"> **{title}**", ">", *(f"> {line}".rstrip() for line in inside)]


def _with_pictures(markdown: str, folder: Path) -> str:
    """Put the pictures that some Markdown names into it: the notebook may travel alone."""

    def inline(match: re.Match[str]) -> str:
        content = base64.b64encode((folder / match[1]).read_bytes()).decode()
        return f"](data:image/svg+xml;base64,{content})"

    return re.sub(r"\]\(([^():]+\.svg)\)", inline, markdown)
