"""Serve from the site itself what its pages load: MathJax, require.js, the widget manager, our style and script.

Where ``book/_assets`` is missing (see ``book/assets.py``), the default hosts of Sphinx and MyST-NB stay in place.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

BOOK = Path(__file__).resolve().parents[1]


def use_local_assets(app: Sphinx, config: Config) -> None:
    config.html_static_path = [*config.html_static_path, str(BOOK / "theme")]
    assets = BOOK / "_assets"
    if not (assets / "vendor").is_dir():
        return
    # Copied as they are: Jupyter Book adds every script of a `_static` folder to every page.
    config.html_extra_path = [*config.html_extra_path, str(assets)]
    # Sphinx takes a script's address from `_static`.
    config.mathjax_path = "../vendor/mathjax/tex-mml-chtml.js"
    config.nb_ipywidgets_js = {
        "../vendor/require.js": {},
        "widgets.js": {},
        "../vendor/html-manager/dist/embed-amd.js": {"data-jupyter-widgets-cdn": ""},
    }


def setup(app: Sphinx) -> None:
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it for sphinx_comments, which is left out
    app.connect(
        "config-inited", use_local_assets, priority=400
    )  # before MyST-NB reads its settings
    app.add_css_file("book.css")
    app.add_js_file("book.js", loading_method="defer")
