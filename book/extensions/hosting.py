"""Serve from the site itself what its pages load: MathJax, the faces, what widgets need, our style and script.

Where ``book/_assets`` is missing (see ``book/assets.py``), the default hosts of Sphinx and MyST-NB stay in place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

BOOK = Path(__file__).resolve().parents[1]
TEXT_FACE = "vendor/fonts/source-serif-4-400-normal.woff2"


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


def preload_face(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Ask for the face of the text together with the style sheet, which names it only when it has come."""
    if not (BOOK / "_assets" / TEXT_FACE).is_file():
        return
    address = "../" * page.count("/") + TEXT_FACE
    link = f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{address}">'
    context["metatags"] = context.get("metatags", "") + link


def setup(app: Sphinx) -> None:
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it for sphinx_comments, which is left out
    app.connect(
        "config-inited", use_local_assets, priority=400
    )  # before MyST-NB reads its settings
    app.connect("html-page-context", preload_face)
    app.add_css_file("book.css")
    app.add_js_file("book.js", loading_method="defer")
