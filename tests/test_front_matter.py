"""What the README, the errata and the references promise."""

import contextlib
import io
import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
PAGES = [*CHAPTERS, *sorted((ROOT / "book").glob("*.md"))]


def test_readme_code_prints_what_the_readme_shows():
    """The blocks run one after another, as a reader would type them."""
    shown = re.findall(r"```python\n(.*?)```\s*```text\n(.*?)```", README, re.DOTALL)
    assert len(shown) == README.count("```python") == 4
    names: dict[str, object] = {}
    for code, expected in shown:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)
        assert printed.getvalue() == expected


def test_readme_names_what_there_is_to_call_and_to_install():
    import chaindyn

    wants, extras = (
        README.split(head)[1].split("\n\n")[0] for head in ("| You want |", "| extra |")
    )
    names = re.findall(r"`([a-z_0-9]+)`", wants)
    assert len(names) > 20 and set(names) <= set(chaindyn.__all__)
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = set(re.findall(r"^\| `(\w+)`", extras, re.M))
    assert named == offered["optional-dependencies"].keys()


def test_readme_says_the_speeds_that_were_measured():
    aba, made = (
        json.loads((ROOT / "book" / f"speed_{name}.json").read_text("utf-8"))
        for name in ("aba", "compiled")
    )
    batch, lanes = aba["batch"]["functions"]["aba"], made["batch"]["microseconds"]
    rows = {
        "as it stands, one state": [aba["calls"][x]["7"] for x in ("chaindyn", "Pinocchio")],
        "as it stands, in a batch": [batch[x] for x in ("chaindyn", "Pinocchio")],
        "compiled, one state": [made["calls"][x]["7"] for x in ("aba", "Pinocchio, aba")],
        "compiled, in a batch": [lanes[x] for x in ("one thread", "Pinocchio in a loop")],
    }
    for name, measured in rows.items():
        said = re.search(rf"^\| {name} \| (\S+) \| (\S+) \|$", README, re.M)
        assert said, name
        for text, us in zip(said.groups(), measured, strict=True):
            digits = len(text.partition(".")[2])
            assert round(us, digits) == float(text), (name, us)


def test_readme_leads_to_files_that_exist():
    links = re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", README)
    links = [link or picture for link, picture in links]
    assert len(links) >= 2
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_readme_picture_is_the_opening_pages():
    picture = pytest.importorskip("book.picture", reason="jupytext and nbformat read the pages")
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.drawn(), (
        "run python -m book picture"
    )


def test_every_erratum_that_a_page_proves_is_listed_and_no_other():
    proved = {
        anchor
        for page in PAGES
        for anchor in re.findall(r"^\((erratum-[\w-]+)\)=", page.read_text(encoding="utf-8"), re.M)
    }
    errata = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"<(erratum-[\w-]+)>", errata))
    assert proved
    assert listed == proved


def test_every_work_that_is_cited_is_in_the_references_once():
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "book" / "references.bib").read_text("utf-8"), re.M)
    assert len(set(keys)) == len(keys)
    cited = {
        key.strip()
        for page in PAGES
        for group in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", page.read_text(encoding="utf-8"))
        for key in group.split(",")
    }
    assert cited
    assert sorted(cited - set(keys)) == []
