"""What nbgrader shows of cells with text: formulas as MathML, and in Formgrader the solution below an answer.

nbconvert leaves formulas to MathJax, which its pages ask a foreign host for. Browsers set MathML by themselves: a page
of feedback is one file that needs nothing, and so does Formgrader. The solution of an answer that is graded by hand is
taken from the course's own source, where the teacher may change it, rubric and all.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

TEMPLATES = Path(__file__).parent / "formgrader"  # of nbconvert, before its own
_REGION = re.compile(r"(?s)<!-- BEGIN SOLUTION -->\n(.*?)<!-- END SOLUTION -->")


@pass_context
def markdown(context: Context, source: str) -> str:
    """Return a cell's text as HTML; in Formgrader, of an answer in words, with the solution below it."""
    cell, resources = context.get("cell", {}), context.get("resources", {})
    path = Path(resources.get("metadata", {}).get("path", ""))
    shown = rendered(source, cell.get("attachments", {}))
    told = cell.get("metadata", {}).get("nbgrader", {})
    if "submission_id" in resources and told.get("grade") and told.get("solution"):
        shown += beside(path, str(resources["notebook_id"]), str(told.get("grade_id", "")))
    return shown


def rendered(source: str, attachments: dict[str, Any] | None = None) -> str:
    """Return Markdown as HTML, its formulas as MathML."""
    renderer = _Renderer(escape=False, attachments=attachments or {})
    return str(MarkdownWithMath(renderer=renderer).render(source))


class _Renderer(IPythonRenderer):
    def block_math(self, body: str) -> str:
        return mathml(body, "block")

    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")


def mathml(tex: str, display: str) -> str:
    """Return a formula as MathML, or as it is where it cannot be read: students write them too."""
    try:
        from latex2mathml.converter import convert

        return str(convert(tex, display=display))
    except Exception:
        return f"<code>{html.escape(tex)}</code>"


def beside(submission: Path, notebook: str, name: str) -> str:
    """Return the solution of an answer, as the source of the course has it, folded out."""
    course, assignment = submission.parents[2], submission.name
    file = course / "source" / assignment / f"{notebook}.ipynb"
    if not file.is_file():
        return ""
    for cell in nbformat.read(file, as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == name:
            found = _REGION.search(cell.source)
            told = rendered(found[1].strip()) if found else ""
            style = "border-left:4px solid #888;padding-left:1em;margin-top:1em"
            return f'<details open style="{style}"><summary>Solution and points</summary>{told}</details>'
    return ""
