"""What a page's head says: of what it tells, where it is published, and what is shown where somebody links to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from markupsafe import Markup, escape
from sphinx.application import Sphinx
from sphinx.config import Config

from book import cover
from book.extensions.numbers import chapter_number

CARDS = "_images/cards"  # in the site
LONG = 200  # characters, of which search engines show the first 160 or so
_VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
_REPOSITORY = re.compile(r"https://github\.com/([^/]+)/([^/]+?)/?")
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_FORMULA = "\0"


def say_where(app: Sphinx, config: Config) -> None:
    """Where the site is published: by GitHub, beside its repository, unless the configuration names a place."""
    found = _REPOSITORY.fullmatch(config.html_theme_options.get("repository_url", ""))
    if found and not config.html_baseurl:
        config.html_baseurl = f"https://{found[1].lower()}.github.io/{found[2]}/"


def description(doctree: nodes.document | None) -> str:
    """The first sentences of a page, as far as they have no formula; nothing if it begins with none."""
    section = next(iter(doctree.findall(nodes.section)), None) if doctree else None
    said = ""
    for paragraph in section.children if section else ():
        if not isinstance(paragraph, nodes.paragraph):
            continue
        for sentence in _SENTENCE.split(_words(paragraph)):
            if _FORMULA in sentence or len(said) + len(sentence) >= LONG:
                return said
            said = f"{said} {sentence}".strip()
    return said


def _words(paragraph: nodes.paragraph) -> str:
    """The text of a paragraph on one line, with a mark for each formula."""
    own = paragraph.deepcopy()
    for formula in list(own.findall(nodes.math)):
        formula.parent.replace(formula, nodes.Text(_FORMULA))
    return " ".join(own.astext().split())


def card_of(page: str) -> str:
    """Where the picture of a page is that is shown where somebody links to it."""
    return f"{CARDS}/{page.replace('/', '-')}.png"


def fill_head(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The description, and the card that others show of the page; one viewport, which the template says."""
    title = Markup(context.get("title", "")).striptags()
    said = description(doctree) or cover.SUBTITLE
    shown = {
        "og:type": "book",
        "og:title": title,
        "og:description": said,
        "og:site_name": app.config.html_title,
        "og:url": f"{app.config.html_baseurl}{page}.html",
        "og:image": app.config.html_baseurl + card_of(page),
        "og:image:alt": f"{title}. A robot arm, drawn at five instants, swings into a wall; arrows show the blow.",
    }
    tags = [f'<meta name="description" content="{escape(said)}">']
    tags += [f'<meta property="{name}" content="{escape(text)}">' for name, text in shown.items()]
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    context["metatags"] = _VIEWPORT.sub("", context.get("metatags", "")) + "".join(tags)


def draw_cards(app: Sphinx, exception: Exception | None) -> None:
    """The card of each page that was written: the cover, with the page's own title."""
    if exception or app.builder.name != "html":
        return
    for page in sorted(app.env.found_docs):
        target = Path(app.outdir, card_of(page))
        target.parent.mkdir(parents=True, exist_ok=True)
        number = chapter_number(app.env, page)
        cover.card(app.env.titles[page].astext(), number).save(target, optimize=True)
    for page in ("genindex", "search"):
        cover.card(cover.TITLE).save(Path(app.outdir, card_of(page)), optimize=True)


def setup(app: Sphinx) -> None:
    app.connect("config-inited", say_where, priority=900)
    app.connect("html-page-context", fill_head)
    app.connect("build-finished", draw_cards)
