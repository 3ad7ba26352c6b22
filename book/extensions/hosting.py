"""Serve from the site itself what its pages load: MathJax, the faces, what widgets need, our style and script.

Where ``book/_assets`` is missing (see ``book/assets.py``), the default hosts of Sphinx and MyST-NB stay in place.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import ChainMap
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from book import live
from book.extensions.rooms import with_rooms
from book.extensions.sheet import used, words_of_page, words_of_script
from book.policy import POLICY, with_policy

BOOK = Path(__file__).resolve().parents[1]
BEGIN = BOOK / "theme" / "begin.js"
TEXT_FACE = "vendor/fonts/source-serif-4-400-normal.woff2"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def use_local_assets(app: Sphinx, config: Config) -> None:
    config.templates_path = [*config.templates_path, str(BOOK / "templates")]
    config.html_static_path = [*config.html_static_path, str(BOOK / "theme")]
    assets = BOOK / "_assets"
    if not (assets / "vendor").is_dir():
        return
    # Copied as they are: Jupyter Book adds every script of a `_static` folder to every page.
    config.html_extra_path = [*config.html_extra_path, str(assets)]
    # Sphinx takes a script's address from `_static`.
    config.mathjax_path = "../vendor/mathjax/tex-mml-chtml.js"
    config.nb_ipywidgets_js = {"widgets.js": {"defer": "defer"}}


def put_states_last(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the state of a page's widgets behind its text, which else would be painted when all of that has come."""
    scripts, states = [], []
    for script in context.get("script_files", []):
        own = getattr(script, "attributes", {})
        (states if own.get("type") == WIDGET_STATE else scripts).append(script)
    if not states:
        return
    models = [json.loads(state.attributes["body"])["state"] for state in states]
    context["body"] = with_rooms(context.get("body", ""), page, dict(ChainMap(*models)))
    for state in states:
        body = without_copies(state.attributes["body"])
        context["body"] += f'<script type="{WIDGET_STATE}">{body}</script>'
    context["script_files"] = scripts


def without_copies(body: str) -> str:
    """The state of a page's widgets, JSON within a script, with {"as_in": model} for texts that stood there before."""
    page = json.loads(body)
    first = dict[str, str]()
    for name, model in page["state"].items():
        for key in ("_esm", "_css"):
            text = model["state"].get(key)
            if text and first.setdefault(key + text, name) != name:
                model["state"][key] = {"as_in": first[key + text]}
    return json.dumps(page).replace("</", "<\\/")  # which would end the script


def preload_face(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Ask for the face of the text together with the style sheet, which names it only when it has come."""
    if not (BOOK / "_assets" / TEXT_FACE).is_file():
        return
    address = "../" * page.count("/") + TEXT_FACE
    link = f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{address}">'
    context["metatags"] = context.get("metatags", "") + link


_SHEET = re.compile(r'<link\b(?=[^>]*rel="stylesheet")[^>]*?href="([^"?]*)[^"]*"[^>]*>\s*')
_THEME = re.compile(r'(<script data-cfasync="false">).*?(</script>)', re.DOTALL)
_ASKED_FOR_EARLY = re.compile(r'<link rel="preload" as="script"[^>]*>\s*')
_PLACE = re.compile(r'<style id="site-style">.*?</style>', re.DOTALL)
_TOP = "top-of-the-site/"  # in the addresses of a sheet that belongs to no page yet
_ADDRESS = re.compile(r"""url\((["']?)(?!data:|#|[a-z]+:)([^"')]+)\1\)""")


def gather_sheets(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the template what leaves a place for one style sheet in place of a dozen, each of which would cost a way to
    the server and back before the first word is painted; scripts, which can wait, are not asked for early. What the
    theme does before the first paint is done by our own script, which knows the colours by then."""

    def one_sheet(head: str) -> str:
        sheets = [
            posixpath.normpath(posixpath.join(posixpath.dirname(page), href))
            for href in _SHEET.findall(head)
        ]
        app.env.chaindyn_sheets = sheets  # type: ignore[attr-defined]
        head = _THEME.sub(lambda found: found[1] + BEGIN.read_text("utf-8") + found[2], head)
        return _ASKED_FOR_EARLY.sub("", _SHEET.sub("", head)) + _within("")

    context["one_sheet"] = one_sheet


def write_sheet(app: Sphinx, exception: Exception | None) -> None:
    """Write the style sheets of the pages as one into each page, in their order, with addresses seen from there.

    What no page uses is left out: the first word is painted when all of it has come. It stands in the pages because
    a page that asked for it would wait for another answer of the server: half a second on a slow network, for the
    27 kB that a reader of a second page gets once more.
    """
    sheets = getattr(app.env, "chaindyn_sheets", [])
    if exception or app.builder.name != "html" or not sheets:
        return
    out = Path(app.outdir)
    parts = [
        _anew((out / sheet).read_text(encoding="utf-8"), sheet)
        for sheet in ("_static/basic.css", *sheets)
    ]
    # The lab has a style of its own; of the other folders of the site each page counts.
    texts = {
        page: _PLACE.sub(_within(""), page.read_text(encoding="utf-8"))
        for page in out.rglob("*.html")
        if live.NAME not in page.relative_to(out).parts
    }
    scripts = Path(out, "_static").rglob("*.js")
    words = set().union(
        *map(words_of_page, texts.values()),
        *(words_of_script(script.read_text(encoding="utf-8")) for script in scripts),
    )
    sheet = used("\n".join(parts), words)
    for page, text in texts.items():
        if (place := _within("")) in text:
            top = "../" * (len(page.relative_to(out).parts) - 1)
            styled = text.replace(place, _within(sheet.replace(_TOP, top)))
            page.write_text(styled, encoding="utf-8")


def write_policies(app: Sphinx, exception: Exception | None) -> None:
    """Say in each page what may run there, once all that stands in it is written."""
    if exception or app.builder.name != "html" or not (BOOK / "_assets" / "vendor").is_dir():
        return  # without the assets pages ask other hosts
    out = Path(app.outdir)
    for page in out.rglob("*.html"):
        if live.NAME not in page.relative_to(out).parts:
            text = page.read_text(encoding="utf-8")
            if POLICY not in text:
                page.write_text(with_policy(text), encoding="utf-8")


def _anew(css: str, sheet: str) -> str:
    """A style sheet without its imports and comments, whose addresses begin at the top of the site."""

    def address(found: re.Match[str]) -> str:
        full = posixpath.normpath(posixpath.join(posixpath.dirname(sheet), found[2]))
        return f'url("{_TOP}{full}")'

    css = re.sub(r'@charset [^;]*;|@import "[^"]*";|/\*.*?\*/', "", css, flags=re.DOTALL)
    return _ADDRESS.sub(address, css)


def _within(sheet: str) -> str:
    """The element that holds the style sheet of the site."""
    return f'<style id="site-style">{sheet}</style>'


def setup(app: Sphinx) -> None:
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it for sphinx_comments, which is left out
    app.connect(
        "config-inited", use_local_assets, priority=400
    )  # before MyST-NB reads its settings
    app.connect("html-page-context", preload_face)
    app.connect("html-page-context", gather_sheets)
    app.connect("html-page-context", put_states_last, priority=900)  # when MyST-NB has given it
    app.connect("build-finished", write_sheet, priority=900)  # the theme writes pygments.css before
    app.connect("build-finished", write_policies, priority=950)
    app.add_css_file("book.css")
    for script in ("book.js", "boxes.js", "place.js", "walk.js"):
        app.add_js_file(script, loading_method="defer")
