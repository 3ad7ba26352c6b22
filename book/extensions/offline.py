"""A page once read is there without a network: the site has a service worker, which keeps what was read.

``chaindyn_offline: false`` in _config.yml switches it off: then the pages ask for none, and one that an earlier build
has left with a reader clears away what it kept, and itself.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from sphinx.application import Sphinx

from book import live

FILE = "sw.js"  # at the top of the site, for a worker serves what lies beside it and below
THEME = Path(__file__).resolve().parents[1] / "theme" / "offline"
BUILD = "BUILD"  # stands in the worker for what tells builds apart


def fingerprint(site: Path) -> str:
    """Changes with any file of the site; the lab, which has a worker of its own, and ours do not count."""
    whole = hashlib.sha256()
    for file in sorted(site.rglob("*")):
        name = file.relative_to(site)
        if file.is_file() and name.parts[0] != live.NAME and str(name) != FILE:
            whole.update(f"{name.as_posix()}\0{file.stat().st_size}\0".encode())
            whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def worker(site: Path, keeps: bool) -> str:
    """The text of the worker of a site."""
    if not keeps:
        return (THEME / "gone.js").read_text(encoding="utf-8")
    text = (THEME / "worker.js").read_text(encoding="utf-8")
    return text.replace(f"${{OURS}}{BUILD}`", f"${{OURS}}{fingerprint(site)}`")


def ask_for_worker(app: Sphinx) -> None:
    if app.config.chaindyn_offline:
        app.add_js_file("offline.js", loading_method="defer")


def write_worker(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    text = worker(Path(app.outdir), app.config.chaindyn_offline)
    Path(app.outdir, FILE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_config_value("chaindyn_offline", True, "html", [bool])
    app.connect("builder-inited", ask_for_worker)
    app.connect("build-finished", write_worker, priority=990)  # when all else is written
