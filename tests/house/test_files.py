"""What the files of the project promise one another."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

import chaindyn
from book.export import exported_names, offered
from book.pages import ROOT, code_cells, pages, read_page, tags

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [pytest.param(page, id=page.stem) for page in pages()]


# The environment --------------------------------------------------------------------------------


def environment():
    return yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def test_environment_has_the_python_that_the_project_asks_for():
    conda = [entry for entry in environment()["dependencies"] if isinstance(entry, str)]
    assert f"python{PROJECT['requires-python']}" in conda
    assert "pip" in conda


def test_environment_installs_the_book_from_here_and_names_nothing_twice():
    (pip,) = [entry["pip"] for entry in environment()["dependencies"] if isinstance(entry, dict)]
    (line,) = pip
    extras = re.fullmatch(r"-e \.\[([a-z,]+)\]", line)
    assert extras, line
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])
    assert "book" in extras[1].split(",")


# What others made -------------------------------------------------------------------------------

SERVED = {
    "@fontsource/source-sans-3": "Source Sans", "@fontsource/source-serif-4": "Source Serif",
    "@jupyter-widgets/html-manager": "ipywidgets", "mathjax": "MathJax", "pyodide": "Pyodide",
    "requirejs": "RequireJS", "reveal.js": "reveal.js", "three": "three.js",
}  # fmt: skip


def test_what_the_site_serves_of_others_is_named_with_its_licence():
    wanted = set()
    for folder in ("book", "book/lab"):
        given = json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8"))
        wanted |= {name for name in given["dependencies"] if name != "esbuild"}
    table = (ROOT / "book" / "references.md").read_text(encoding="utf-8").partition("| Licence |")
    for name in wanted:
        called = SERVED.get(name, "CodeMirror" if name[:5] in ("@code", "@leze") else name)
        assert re.search(rf"\[{re.escape(called)}\]\(https.*\|.*\| [A-Z]", table[2]), name


# Names ------------------------------------------------------------------------------------------


def test_public_names_are_listed_and_there():
    assert len(set(chaindyn.__all__)) == len(chaindyn.__all__)
    assert [name for name in chaindyn.__all__ if not hasattr(chaindyn, name)] == []


def test_a_module_s_all_is_what_the_package_offers_of_it():
    """So that `from chaindyn.lie import *`, the API page and `chaindyn.__all__` agree; helpers promise nothing."""
    by_module = offered()
    assert sorted(name for names in by_module.values() for name in names) == sorted(
        chaindyn.__all__
    )
    for module in {module.name for module in exported_names().values()} | by_module.keys():
        listed = importlib.import_module(f"chaindyn.{module}").__all__
        assert sorted(listed) == sorted(by_module.get(module, [])), module


def test_every_exported_class_and_checked_function_is_in_chaindyn():
    """What checks its arguments is for the reader's use; link steps and helpers stay in their modules."""
    helpers = {
        "Articulated",
        "LinkFactors",
        "Posture",
        "State",
        "Step",
    }  # what sweeps and steps hand on
    helpers |= {
        "Assembly",
        "OnPlane",
    }  # what constraints share, and their search
    helpers |= {"JointSlopes", "Simplex", "Yielding"}  # what derivatives and geometry work with
    helpers |= {"ContactResponse", "ImpactProblem", "Scene"}  # what contact works with
    helpers |= {"Drawn", "Memory", "Store", "StoredArray", "Strike"}  # what sweeps work with
    for name, module in exported_names().items():
        if name in helpers:
            continue
        thing = getattr(importlib.import_module(f"chaindyn.{module.name}"), name)
        if isinstance(thing, type) or hasattr(thing, "cores"):
            assert name in chaindyn.__all__


def test_every_public_name_comes_from_a_chapter_or_a_module_written_by_hand():
    from_chapters = exported_names()
    exported = {f"chaindyn.{module.name}" for module in from_chapters.values()}
    by_hand = set()
    for module in pkgutil.walk_packages(chaindyn.__path__, "chaindyn."):
        if module.name not in exported:
            by_hand |= set(vars(importlib.import_module(module.name)))
    assert sorted(set(chaindyn.__all__) - from_chapters.keys() - by_hand) == []


# Cells ------------------------------------------------------------------------------------------


def has_picture(cell):
    kinds = [kind for output in cell.get("outputs", []) for kind in output.get("data", {})]
    return any(kind.startswith("image/") for kind in kinds)


@pytest.mark.parametrize("page", PAGES)
def test_cells_that_draw_say_what_is_seen(page):
    """Also those whose twin holds a picture, tagged or not."""
    twin = page.with_suffix(".ipynb")
    executed = nbformat.read(str(twin), as_version=4).cells if twin.exists() else []
    pictured = {cell.source for cell in executed if has_picture(cell)}
    lacking = []
    for cell in code_cells(read_page(page)):
        told = "nbval-ignore-output" in tags(cell)
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if (told or cell.source in pictured) and not (told and len(alt.split()) >= 3):
            lacking.append(cell.source.splitlines()[0])
    assert not lacking, (
        f"{page.name}: these cells draw, and want the tag nbval-ignore-output and a description of what is seen, "
        f'mystnb: {{image: {{alt: "..."}}}}, in their metadata: {lacking}'
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_in_the_table_of_contents(page):
    """What is not would be left out of the site without a word."""
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    name = page.relative_to(ROOT).with_suffix("").as_posix()
    assert f": {name}\n" in toc, f"{name} is not in _toc.yml"


NUMBERED = re.compile(r"\{(doc|ref)\}`(?:chapter|appendix)\s+(\d+)\s*<([^>`]+)>`", re.IGNORECASE)
LABELLED = re.compile(r"^\((\S+)\)=$|^:label: (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def page_of_label():
    """The file's name of the page on which each label stands."""
    texts = {page.stem: page.read_text(encoding="utf-8") for page in pages()}
    return {one or two: name for name, text in texts.items() for one, two in LABELLED.findall(text)}


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_numbered_page_has_its_number(page, page_of_label):
    """Written words do not move when chapters do."""
    wrong = [
        f"{kind}: {number}, but that is {name}"
        for kind, number, target in NUMBERED.findall(page.read_text(encoding="utf-8"))
        if int(number) != int((name := page_of_label.get(target, Path(target).name))[:2])
    ]
    assert not wrong, f"{page.name}: {wrong}"


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_chapter_says_its_number(page):
    """The text of a link is written by hand, and chapters have changed their numbers."""
    links = re.findall(
        r"\{doc\}`([^<`]*?(\d+)[^<`\d]*<[^>`]*?(\d\d)_\w+>)`", page.read_text("utf-8")
    )
    wrong = [link for link, said, number in links if int(said) != int(number)]
    assert not wrong, f"{page.name}: these links say another number than their chapter has: {wrong}"


@pytest.mark.parametrize("page", PAGES)
def test_solutions_are_tagged(page):
    """Every code cell between solution-start and solution-end."""
    inside, untagged = False, []
    for cell in read_page(page).cells:
        if cell.cell_type == "markdown":
            for mark in re.findall(r"\{solution-(start|end)\}", cell.source):
                inside = mark == "start"
        elif inside and "solution" not in tags(cell):
            untagged.append(cell.source.splitlines()[0])
    assert not inside
    assert untagged == []


def test_nbval_overlooks_little_and_says_why():
    lines = (ROOT / "book" / "nbval.cfg").read_text(encoding="utf-8").splitlines()
    rules = [number for number, line in enumerate(lines) if re.fullmatch(r"\[.+\]", line.strip())]
    assert len(rules) <= 5
    assert all(number and lines[number - 1].startswith("#") for number in rules)


# Words ------------------------------------------------------------------------------------------

# Written so that this file does not hold what it looks for.
FORBIDDEN = [
    r"pypi[.]org|pythonhosted[.]org|registry[.]npmjs[.]|deb[.]debian[.]org",
    r"(?<![\w.])/work[/]\w|/tmp[/](lab|brief)\b|(?<![\w.])/root[/]",
    r"seeds[-]guide|shared[/]seeds|live[-]site[.]md",
]


def own_files() -> list[Path]:
    """The text files that are, or would be, committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.split("\0") if name]
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()[:8000]]


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_the_project_speaks_of_itself_alone(pattern):
    found = []
    for file in own_files():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if match := re.search(pattern, line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_every_make_target_that_is_named_exists(name):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M))
    assert named <= targets


def test_makefile_only_calls_the_commands():
    recipes = re.findall(r"^\t@?(.*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    calls = [re.fullmatch(r"\$\(PYTHON\) -m book ([a-z-]+)", line) for line in recipes]
    assert sum(call is None for call in calls) == 1  # help prints the list
    from book.setup import COMMANDS

    assert {call[1] for call in calls if call} <= COMMANDS.keys()


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation["version"] == chaindyn.__version__
    assert re.search(rf"^## {re.escape(chaindyn.__version__)}\b", changelog, re.M)


# What the text says of measurements -------------------------------------------------------------


def test_what_chapters_7_and_8_say_of_speed_and_digits_was_measured():
    """Some hundred times slower, four times for ten thousand states; six digits of sixteen lost."""
    measured = json.loads((ROOT / "book" / "speed_aba.json").read_text(encoding="utf-8"))
    ours, theirs = (measured["calls"][name] for name in ("chaindyn", "Pinocchio"))
    assert all(70 < ours[n] / time < 150 for n, time in theirs.items())
    many = measured["batch"]["functions"]["aba"]
    assert round(many["chaindyn"] / many["Pinocchio"]) == 4
    lost = measured["accuracy"]["1000"]["world"] / sys.float_info.epsilon
    assert 1e6 < lost < 1e7


def test_contributing_names_files_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:chaindyn|chapters|book|tests|bench)/[^\s`]*)`", text)
    assert len(named) > 40
    patterns = {re.sub(r"NAME|NN_\w+", "*", one) for one in named}
    made = {"book/_live"}  # by a command
    assert [one for one in sorted(patterns - made) if not list(ROOT.glob(one.rstrip("/")))] == []
