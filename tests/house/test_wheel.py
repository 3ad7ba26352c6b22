"""The wheel holds the package, and runs the chapters without the checkout."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from book.pages import ROOT, data_of, pages

pytestmark = pytest.mark.wheel

# What executes a notebook, and what the chapters use beside the package and its extras.
BESIDE = ["ipykernel", "nbclient", "sympy"]

EXECUTE = """
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import chaindyn
import chaindyn.widgets

assert Path(chaindyn.__file__).is_relative_to(sys.prefix), chaindyn.__file__
for path in sorted(Path().glob("*/*.ipynb")):
    print(path, flush=True)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(nbformat.read(str(path), 4), timeout=300, kernel_name="python3", resources=where).execute()
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the wheel and the source distribution, built from a copy in which somebody has been at work."""
    folder = tmp_path_factory.mktemp("built")
    copy = folder / "copy"
    copy.mkdir()
    shutil.copytree(
        ROOT / "chaindyn", copy / "chaindyn", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, copy)
    for place in (copy, copy / "chaindyn", copy / "chaindyn" / "widgets"):
        for stray in (".env", "notes.txt", "secret.key", "results.csv"):
            (place / stray).write_text("nobody's business")
    command = [sys.executable, "-m", "build", "--sdist", "--wheel", "--no-isolation"]
    done = subprocess.run(
        [*command, "--outdir", str(folder), str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    (path,) = built.glob("*.whl")
    return path


def files_of_the_package() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "chaindyn").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_source_distribution_holds_what_makes_the_wheel_and_nothing_else(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    about = {"pyproject.toml", "README.md", "LICENSE", "PKG-INFO", ".gitignore"}
    assert names - about == files_of_the_package()


def test_wheel_holds_the_package_and_its_licence_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    (licence,) = [name for name in names if name.endswith("licenses/LICENSE")]
    assert zipfile.ZipFile(wheel).read(licence) == (ROOT / "LICENSE").read_bytes()
    package = {name for name in names if ".dist-info/" not in name}
    assert package == files_of_the_package()
    assert "chaindyn/py.typed" in package  # type checkers read the annotations of who imports it


def execute(beginning: str, folder: Path, python: str) -> None:
    """Execute, from a folder elsewhere, the chapters whose names begin so."""
    chosen = [page for page in pages() if page.stem.startswith(beginning)]
    assert chosen
    for page in chosen:
        notebook = nbformat.read(str(page.with_suffix(".ipynb")), as_version=4)
        target = folder / page.parent.name / page.with_suffix(".ipynb").name
        target.parent.mkdir(exist_ok=True)
        for data in data_of(page):
            (target.parent / data.name).write_bytes(data.read_bytes())
        nbformat.write(notebook, str(target))
    run(folder, python, "-c", EXECUTE)


def run(folder: Path, *command: str) -> None:
    clean = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-6000:]}"


def python_of(environment: Path) -> str:
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def test_a_page_runs_against_the_wheel(wheel, tmp_path):
    """The one with widgets and robots: data, styles, scripts and the reader of URDF are what may be missing.

    What the package asks for is taken from here, which costs no time: a line in a .pth file adds those modules, but
    not what their own .pth files say, by which the checkout itself is found.
    """
    home = tmp_path / "environment"
    venv.create(home, symlinks=os.name != "nt")
    site = Path(sysconfig.get_path("purelib", scheme="venv", vars={"base": str(home)}))
    zipfile.ZipFile(wheel).extractall(site)
    (site / "beside.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    execute("04_", tmp_path, python_of(home))


def environment(pytestconfig, folder: Path, name: str, wanted: list[str]) -> str:
    """The Python of an environment that holds this and what it needs, kept from run to run while that stays."""
    said = hashlib.sha256(repr((sys.version, str(ROOT), wanted)).encode()).hexdigest()[:12]
    home = pytestconfig.cache.mkdir("wheel") / name / said
    filled, python = home / "filled", python_of(home)
    if not filled.exists():
        shutil.rmtree(home.parent, ignore_errors=True)
        venv.create(home, with_pip=True, symlinks=os.name != "nt")
        run(folder, python, *PIP, *wanted)
        filled.touch()
    return python


PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def promised() -> list[str]:
    """What the package and its chapters ask for, by pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    sympy = [one for one in extras["book"] if one.startswith("sympy")]
    return [*project["dependencies"], *extras["urdf"], *extras["widgets"], *sympy]


def of_the_lab() -> list[str]:
    """What runs in the browser: the packages of Pyodide that chapters import, and the wheels that join them."""
    wheels = (ROOT / "book" / "lab" / "wheels.txt").read_text(encoding="utf-8")
    return [*PYODIDE, *re.findall(r"^[\w-]+==[\w.]+", wheels, re.MULTILINE)]


# Of the Pyodide that book/lab/package-lock.json names. IPython: later ones do not know Matplotlib 3.8.
PYODIDE = ["numpy==2.0.2", "scipy==1.14.1", "matplotlib==3.8.4", "ipython==8.23.0"]
VERSIONS = {
    "newest": BESIDE,
    "lab": [*of_the_lab(), *BESIDE],
    "oldest": [*(one.replace(">=", "==") for one in promised()), "ipython==8.23.0", *BESIDE],
}


def test_the_oldest_and_the_lab_s_versions_are_said():
    assert {"numpy==2.0", "scipy==1.13", "matplotlib==3.8.4", "sympy==1.13"} <= set(
        VERSIONS["oldest"]
    )
    assert len(promised()) == 7 and all(">=" in one for one in promised())
    lock = json.loads((ROOT / "book" / "lab" / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["packages"][""]["dependencies"] == {"pyodide": "0.27.7"}, (
        "then PYODIDE is another too"
    )
    assert any(one.startswith("sympy==") for one in of_the_lab())


@pytest.mark.nightly
@pytest.mark.parametrize("versions", VERSIONS)
def test_every_page_runs_against_the_wheel_and_what_it_asks_for(
    wheel, versions, tmp_path, pytestconfig
):
    """Whole, in an environment that holds nothing else; what is printed is compared elsewhere."""
    wanted = [*promised(), *VERSIONS[versions]]
    python = environment(pytestconfig, tmp_path, versions, wanted)
    run(tmp_path, python, *PIP, "--force-reinstall", "--no-deps", str(wheel))
    execute("", tmp_path, python)
