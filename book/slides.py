"""Slides from the chapters, by nbconvert and reveal.js: what a teacher shows while talking, not the text.

What stands on the slide of a section, and what the speaker sees beside it, is written by hand (`book/lecture.py`); each
figure, each explorer and each exported function has a slide of its own below it. Sections for a second reading,
exercises and reading are left out; the summary is there in full. Where no lecture is written, as for an appendix, each
section opens a slide with its bold sentences and numbered equations. Explorers are alive, shown by the loader of the
site's pages (theme/widgets.js). A cell tagged ``slide`` is shown as it stands, one tagged ``no-slide`` never.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from book import assets
from book.edited import notebook_of
from book.judging import given_for
from book.lecture import Part, lecture_of
from book.numbering import texts
from book.pages import ROOT, BookError, chapter_of, number_cells, tags
from book.plain import plain_notebook
from book.tryit import explorers

THEME = ROOT / "book" / "theme"
LEFT_OUT = ("Exercises", "Further reading")
WHOLE = ("Summary",)
MOST_WORDS_SUMMED_UP = 100  # on a slide
HIDDEN = "slide-without-code"
ALIVE = "slide-alive"
PLACE = ("layout", "tabbable", "tooltip")  # of a widget among others
WIDGET = "application/vnd.jupyter.widget"  # as theme/widgets.js looks for it
# A page that is opened as a file may load no module beside it, but one that it holds.
STAGE = (
    "document.documentElement.dataset.stage = "
    'URL.createObjectURL(new Blob([%s], { type: "text/javascript" }));\n'
)

_HEADING = re.compile(r"^(#{1,3}) +(.*\S)", re.MULTILINE)
_POINT = re.compile(
    r"\$\$(?:(?!\$\$).)+\$\$[ ]*(?P<label>\([\w-]+\))?|(?P<bold>\*\*[^*]+[.?!:]\*\*)", re.DOTALL
)
_FENCED = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1[ ]*$", re.MULTILINE | re.DOTALL)


def slides_of(page: Path) -> NotebookNode:
    """A chapter's slides as a notebook of plain Markdown, in which each cell says which kind of slide it begins."""
    cells, title, above, lecture = list[NotebookNode](), "", list[str](), lecture_of(page)
    for cell in notebook_of(page, "slides").cells:
        if cell.cell_type == "markdown" and "slide" not in tags(cell):
            for section, part in _sections(cell.source, title):
                title = section
                if (not lecture and title not in LEFT_OUT) or title in WHOLE:
                    cells += _section_slides(part, title)
                elif heading := _HEADING.match(part):
                    cells += _lecture_slides(heading[0], lecture.get(heading[2]))
        elif "no-slide" not in tags(cell) and not _is_left_out(title, lecture):
            cells += _alive(cell, above, page) or _cell_slides(cell)
        if cell.cell_type == "code":
            above.append(cell.source)
    title = chapter_of(page)["title"]
    alive = any(ALIVE in tags(cell) for cell in cells)
    notebook = new_notebook(cells=cells, metadata={"title": title, ALIVE: alive})
    made = plain_notebook(notebook, texts(), page.parent)
    number_cells(made, "slide")
    return made


def _sections(markdown: str, title: str) -> Iterator[tuple[str, str]]:
    """The parts of some Markdown, each with the title of the section (not the subsection) that it stands in."""
    starts = [0, *(match.start() for match in _HEADING.finditer(markdown)), len(markdown)]
    for start, end in pairwise(starts):
        part = markdown[start:end]
        if (heading := _HEADING.match(part)) and len(heading[1]) < 3:
            title = heading[2]
        if part.strip():
            yield title, part


def _section_slides(part: str, title: str) -> Iterator[NotebookNode]:
    """The slide that a section opens, or what a later part of it adds to the slide before."""
    heading = _HEADING.match(part)
    body = part[heading.end() :] if heading else part
    if title in WHOLE:
        for k, some in enumerate(_few(body)):
            kind, more = ("subslide", " (continued)") if k else ("slide", "")
            yield _slide(f"## {title}{more}\n\n{some}", kind)
        return
    points = _POINT.finditer(_FENCED.sub("", body))
    body = "\n\n".join(point[0] for point in points if point["label"] or point["bold"])
    if text := f"{heading[0] if heading else ''}\n\n{body}".strip():
        yield _slide(text, "-" if not heading else "slide" if len(heading[1]) < 3 else "subslide")


def _few(body: str) -> Iterator[str]:
    """The points of a summary, as many at a time as a slide has room for."""
    some = list[str]()
    for point in re.split(r"\n(?=\* )", body.strip()):
        if some and len(" ".join([*some, point]).split()) > MOST_WORDS_SUMMED_UP:
            yield "\n".join(some)
            some = []
        some.append(point)
    yield "\n".join(some)


def _slide(text: str, kind: str) -> NotebookNode:
    return new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def _is_left_out(title: str, lecture: Mapping[str, Part]) -> bool:
    """Whether the cells of a section are on no slide: of the lecture are those of the main path."""
    return title in LEFT_OUT or (bool(lecture) and title.endswith("*") and title not in lecture)


def _lecture_slides(heading: str, part: Part | None) -> Iterator[NotebookNode]:
    """The slide of a section as it was written, with the speaker's notes; none where none was."""
    if part is None:
        return
    kind = "slide" if part.level < 3 else "subslide"
    yield _slide(f"{heading}\n\n{part.slide}", kind)
    yield _slide(part.words, "notes")


def _alive(cell: NotebookNode, above: list[str], page: Path) -> list[NotebookNode]:
    """The slide of a cell that shows an explorer or a sketch; none for other cells."""
    *first, last = ast.parse(cell.source).body if cell.cell_type == "code" else [None]
    match last:
        case ast.Expr(ast.Call(func=ast.Name(name)) as shown) if name in explorers(page) | {
            "Sketch"
        }:
            given = [one.code for one in given_for(above, cell.source)]
            given.append(compile(ast.Module(first, []), "<cell>", "exec", dont_inherit=True))
            last_code = compile(ast.Expression(shown), "<cell>", "eval", dont_inherit=True)
            output = new_output(
                "display_data", {"text/html": _view(_made(given, last_code, page), cell)}
            )
            metadata = {"slideshow": {"slide_type": "subslide"}, "tags": [HIDDEN, ALIVE]}
            return [NotebookNode({**cell, "outputs": [output], "metadata": NotebookNode(metadata)})]
    return []


def _made(given: list[CodeType], last: CodeType, page: Path) -> dict[str, Any]:
    """The state of an explorer, made by what its cell needs of the page."""
    space: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(page.parent), contextlib.redirect_stdout(io.StringIO()):
        for code in given:
            exec(code, space)
        widget = eval(last, space)
    return {key: value for key, value in widget.get_state().items() if key not in PLACE}


def _view(state: dict[str, Any], cell: NotebookNode) -> str:
    """An explorer as the loader finds it: a view, and the state of its model."""
    name = cell["id"]  # one class may be shown twice on a page
    words = escape(_alt(cell))
    saved = json.dumps({"state": {name: {"state": state}}}).replace("</", "<\\/")
    return (
        f'<div class="explorer" data-prevent-swipe><noscript>{words}</noscript>'
        f'<script type="{WIDGET}-view+json">{json.dumps({"model_id": name})}</script></div>'
        f'<script type="{WIDGET}-state+json">{saved}</script>'
    )


def _alt(cell: NotebookNode) -> str:
    """A screen reader's words for what a cell shows."""
    return " ".join(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "").split())


def _cell_slides(cell: NotebookNode) -> Iterator[NotebookNode]:
    """A figure without its code, exported functions with theirs, and what is marked."""
    shown = NotebookNode({**cell, "metadata": NotebookNode({**cell.metadata})})
    shown.metadata["slideshow"] = {"slide_type": "subslide"}
    if cell.cell_type != "code" or "slide" in tags(cell):
        if "slide" in tags(cell):
            yield shown
    elif "export" in tags(cell):
        shown.outputs, shown.source = [], short(cell.source)
        if shown.source:
            yield shown
    elif pictures := list(_pictures(cell)):
        shown.outputs = pictures
        shown.metadata["tags"] = [*tags(cell), HIDDEN]
        yield shown


def _pictures(cell: NotebookNode) -> Iterator[NotebookNode]:
    """What a cell draws, each with a screen reader's words for it."""
    alt = _alt(cell)
    for output in cell.outputs:
        if drawn := output.get("data", {}).get("image/svg+xml"):
            data = base64.b64encode(drawn.encode()).decode()
            # not into the page itself, where the names of its parts would meet those of other figures
            html = (
                f'<img class="figure" alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'
            )
            yield new_output("display_data", {"text/html": html})


def short(source: str) -> str:
    """The functions and classes of an exported cell, with the first line of their docstrings; "" if there are none."""
    lines, cut = source.split("\n"), set[int]()
    tree = ast.parse(source)
    if not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            cut |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if ast.get_docstring(node) is None:
            continue
        own = node.body[0]
        if own.end_lineno and own.end_lineno > own.lineno:
            cut |= set(range(own.lineno + 1, own.end_lineno + 1))
            lines[own.lineno - 1] = lines[own.lineno - 1].rstrip() + '"""'
    kept = (line for number, line in enumerate(lines, 1) if number not in cut)
    return re.sub(r"\n{3,}", "\n\n\n", "\n".join(kept)).strip()


def html_of(slides: NotebookNode) -> str:
    """The slides as a page, which takes reveal.js and MathJax from the folder `vendor` beside it."""
    hide = {"enabled": True, "remove_input_tags": [HIDDEN]}
    exporter = SlidesExporter(
        config=Config({"TagRemovePreprocessor": hide}),
        extra_template_basedirs=[str(THEME)],
        template_name="slides",
        reveal_url_prefix="vendor/reveal",
        reveal_theme="book",
    )
    named = {"metadata": {"name": slides.metadata["title"]}}
    return str(exporter.from_notebook_node(slides, resources=named)[0])


def write_slides(out: Path, pages: list[Path]) -> list[Path]:
    """Write a page of slides for each chapter, and what they load. BookError where that is not to be had."""
    try:
        vendor = assets.fetch() / "vendor"
    except assets.AssetsUnavailable as error:
        raise BookError(f"the slides need reveal.js and MathJax: {error}") from None
    for name in ("reveal", "mathjax"):
        shutil.copytree(vendor / name, out / "vendor" / name)
    shutil.copy(THEME / "widgets.js", out / "vendor")
    stage = json.dumps((vendor / "three" / "three.js").read_text(encoding="utf-8"))
    (out / "vendor" / "stage.js").write_text(STAGE % stage, encoding="utf-8")
    shutil.copy(vendor / "three" / "LICENSE", out / "vendor" / "stage.LICENSE")
    theme = out / "vendor" / "reveal" / "dist" / "theme" / "book.css"
    theme.parent.mkdir(parents=True)
    shutil.copy(THEME / "slides" / "book.css", theme)
    written = list[Path]()
    for page in pages:
        written.append(out / f"{page.stem}.slides.html")
        written[-1].write_text(html_of(slides_of(page)), encoding="utf-8")
    return written
