"""Notebooks leave the site in plain Markdown, as .ipynb and as .py, with a button that runs them in the browser.

What a reader takes away is the twin that the repository keeps, outputs and all; cross-references, which nothing
resolves outside the site, are put into words ("(4.2)", "Fig. 3.1").
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import nbformat
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import NoUri

from book import live
from book.edited import SHOWN, without_notes
from book.plain import plain_notebook

AFTER_OPENING = '<p class="after-opening">'
OFFERED = "_sources"  # where the theme's own buttons look


def offer(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    for page in sorted(app.env.found_docs):
        twin = Path(app.srcdir, f"{page}.ipynb")
        if not twin.is_file():
            continue
        executed = nbformat.read(twin, as_version=4)
        if not app.config[SHOWN]:
            without_notes(executed)
        made = plain_notebook(executed, said(app, page), twin.parent)
        target = Path(app.outdir, OFFERED, f"{page}.ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(nbformat.writes(made) + "\n", encoding="utf-8")
        made.metadata.pop("chaindyn_twin", None)
        target.with_suffix(".py").write_text(jupytext.writes(made, fmt="py:percent"), "utf-8")


def said(app: Sphinx, page: str) -> dict[str, str]:
    """What the cross-references of a page say, and the numbers of its equations and exercises, by role and target."""
    env, texts = app.env, dict[str, str]()
    for node in env.get_doctree(page).findall(addnodes.pending_xref):
        domain, role, target = node.get("refdomain"), node["reftype"], node["reftarget"]
        # MyST's links between files are of no domain, and say what they say.
        if domain not in env.domains:
            continue
        inside = node[0].deepcopy() if len(node) else nodes.inline()
        try:
            found = env.domains[domain].resolve_xref(
                env, page, app.builder, role, target, node, inside
            )
        except NoUri:
            continue
        if found is not None:
            texts[f"{domain}:{role}:{target}"] = found.astext()
    for kind, name in (("displaymath", "math:eq:{}"), ("exercise", "exercise:{}")):
        for anchor, number in env.toc_fignumbers.get(page, {}).get(kind, {}).items():
            texts[name.format(anchor.removeprefix("equation-"))] = ".".join(map(str, number))
    return texts


def show_buttons(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if app.builder.name != "html" or not Path(app.srcdir, f"{page}.ipynb").is_file():
        return
    top = "../" * page.count("/")
    taken = f"{top}{OFFERED}/{page}"
    run = ""
    if live.ready():
        run = (
            f'<a class="run" href="{top}{live.address(page)}">Run in your browser</a>'
            '<span class="run-note">Nothing to install: Python starts in about fifteen seconds.</span>'
        )
    row = (
        f'<div class="take-away">{run}<span>Take it with you: '
        f'<a href="{taken}.ipynb" download>notebook (.ipynb)</a>, '
        f'<a href="{taken}.py" download>script (.py)</a></span></div>'
    )
    body = context.get("body", "")
    # a page that opens with a picture has it below that
    after = AFTER_OPENING if AFTER_OPENING in body else "</h1>"
    new = f"{row}\n{after}" if after == AFTER_OPENING else f"{after}\n{row}"
    context["body"] = body.replace(after, new, 1)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", show_buttons)
    app.connect("build-finished", offer)
