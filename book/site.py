"""Build the published site into ``book/_build/html``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from book import assets, live
from book.executed import build_folder, changed, fill
from book.pages import ROOT, BookError, pages

BUILD = build_folder()
HTML = BUILD / "html"


def build(strict: bool = True, lab: bool = True) -> Path:
    """Build what has changed, with the lab in which chapters run, and return the folder of the site.

    A failing cell always fails the build; with `strict`, so does every warning, a broken link among them.
    Raises `BookError` when the build fails.
    """
    try:
        assets.fetch()
    except assets.AssetsUnavailable as error:
        old = (assets.FOLDER / "vendor").is_dir()
        then = (
            "those fetched before serve" if old else "the pages will ask the default hosts for them"
        )
        print(f"assets: {error}\nassets: {then}", flush=True)
    if lab:
        _gather_for_the_lab()
    fill(pages())
    _forget_read_pages()
    import matplotlib.font_manager  # noqa: F401  its first import announces the font cache, which would end on a page

    command = [
        sys.executable,
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
        str(ROOT),
    ]
    command += [
        "--path-output",
        str(BUILD.parent),
        *(["-W", "-n", "--keep-going"] if strict else []),
    ]
    environment = dict(os.environ, MATPLOTLIBRC=str(ROOT / "book" / "matplotlibrc"))
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        # Sphinx warns of a page only when it reads it: read them all again next time. The cells' results stay.
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)
        raise BookError("the site was not built; the messages above say why")
    if lab and live.ready():
        live.build(HTML)
    return HTML


def _gather_for_the_lab() -> None:
    try:
        live.fetch()
    except assets.AssetsUnavailable as error:
        then = (
            "what was gathered before serves"
            if live.ready()
            else "the site has no lab: its chapters cannot be run in the browser"
        )
        print(f"live: {error}\nlive: {then}", flush=True)


def _forget_read_pages() -> None:
    """Read all pages again when the tools changed."""
    # Sphinx copies style and scripts only when it writes a page, and knows nothing of its extensions' files.
    book = ROOT / "book"
    tools = [
        *book.glob("*.py"),
        *book.glob("extensions/*.py"),
        *book.rglob("theme/**/*"),
        *book.glob("templates/*"),
    ]
    tools += [*ROOT.glob("_*.yml"), book / "package-lock.json", book / "stage.mjs"]
    if changed(BUILD / "tools", tools, f"lab: {live.ready()}"):
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)
