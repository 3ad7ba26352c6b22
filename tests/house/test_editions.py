"""The editions for a course: what each has, and that the student's has no solution."""

from __future__ import annotations

import ast
import builtins
import html
import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from docutils import nodes
from docutils.utils import new_document
from solved import Statement

from book.drills import drills, labels, titles_of
from book.edited import SHOWN, edited, notebook_of, page_of, without_notes
from book.editions import main, write, write_project
from book.extensions.teacher import leave_out
from book.numbering import texts
from book.pages import ROOT, BookError, chapters, data_of, main_chapters, pages, read_page, tags
from book.twins import State, state

CHAPTERS = [pytest.param(page, id=page.stem) for page in chapters()]
MAIN = [pytest.param(page, id=page.stem) for page in main_chapters()]
PRACTICE = re.compile(r"^```\{practice\} (\S+)\n.*?^```\n", re.DOTALL | re.MULTILINE)
SOLUTION = re.compile(r"`{3,}\{solution-start\}.*?\{solution-end\}\n`{3,}", re.DOTALL)

PAGE = """# A door

:::{admonition} For the teacher
:class: teacher
Bring a door.
:::

```{exercise-start} A door
:label: ex-1-door
```
Push.
```{exercise-end}
```

```{code-cell} ipython3
attempt("Exercise 1.1", lambda: judge(open_door))
```

```{solution-start} ex-1-door
:class: dropdown
```
Pull.
```{code-cell} ipython3
:tags: [solution]

pull
```
```{solution-end}
```

The end.
"""


@cache
def student_cells(page):
    return notebook_of(page, "student").cells


@cache
def student_page(page):
    return page_of(page, "student")


def long_lines(text: str) -> set[str]:
    """The lines of a text that are too long to be the same by chance."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) >= 30}


@pytest.mark.parametrize("page", MAIN)
def test_the_student_edition_has_no_line_of_any_solution(page):
    source = page.read_text(encoding="utf-8")
    solutions = SOLUTION.findall(source)
    assert len(solutions) == source.count("{solution-start}") >= 5
    asked = SOLUTION.sub("", source)  # what stands outside may be repeated in a solution
    given = set().union(*map(long_lines, solutions)) - long_lines(asked)
    assert len(given) >= len(solutions)
    student = student_page(page)
    notebook = "\n".join(cell.source for cell in student_cells(page))
    texts = {line for line in given if line.startswith('"')}  # which a drill asks or says
    for text in (student, notebook):
        assert "solution-start" not in text and "solution-end" not in text
        assert not [line for line in given if line in PRACTICE.sub("", text)]
        assert not [line for line in given - texts if line in text]


@pytest.mark.parametrize("page", MAIN)
def test_the_student_edition_has_every_drill_without_its_code_and_its_solution(page, tmp_path):
    made, whole = tmp_path / page.name, drills(page)
    made.write_text(student_page(page), encoding="utf-8")
    told = {block[1]: block[0] for block in PRACTICE.finditer(student_page(page))}
    assert told.keys() == whole.keys() and "{drill}" not in student_page(page)
    assert labels(made) == labels(page) and titles_of(made) == titles_of(page)
    assert drills(made) == {}
    for label, drill in whole.items():
        assert json.dumps(drill.text, ensure_ascii=False) in told[label].replace("<\\/", "</")
        said = [part for part in re.split(r"\{\w+\}", drill.solution) if len(part) >= 20]
        asked = drill.text + " ".join([*drill.asked, *drill.wrong])
        assert not [part for part in said if part in told[label] and part not in asked], label
        assert "def " not in told[label] and "lambda" not in told[label]


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_output_of_a_solution_stays(page):
    cells = student_cells(page)
    printed = json.dumps([cell.get("outputs", []) for cell in cells])
    assert not re.search(r"Exercise \d+\.\d+: solved", printed)
    assert not [cell.source for cell in cells if "solution" in tags(cell)]


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_judges_and_what_is_exported_stays(page):
    whole = [
        c for c in read_page(page).cells if c.cell_type == "code" and "solution" not in tags(c)
    ]
    student = [c for c in student_cells(page) if c.cell_type == "code"]
    assert [cell.source for cell in student] == [cell.source for cell in whole]
    assert page_of(page, "solutions").count("{solution-start}") == page.read_text(
        encoding="utf-8"
    ).count("{solution-start}")


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_cell_of_the_student_edition_reads_what_a_solution_made(page):
    """At the top level: what a function reads late is bound by then, or by a cell of its own exercise."""
    bound, lost = set(dir(builtins)) | {"__name__"}, list[str]()
    for cell in student_cells(page):
        if cell.cell_type == "code":
            for statement in map(Statement, ast.parse(cell.source).body):
                # a name that the statement itself binds may be read by it later than bound
                lost += sorted(statement.reads - bound - statement.binds)
                bound |= statement.binds
    assert lost == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_reference_leads_into_a_solution(page):
    """What stands in solutions is not referred to outside of them, or the student's site would not build."""
    source = page.read_text(encoding="utf-8")
    solutions = "\n".join(SOLUTION.findall(source))
    labels = set(re.findall(r"^\$\$[ ]*\(([\w-]+)\)|^\(([\w-]+)\)=", solutions, re.M))
    labels = {one or other for one, other in labels} | set(
        re.findall(r"name: (fig-[\w-]+)", solutions)
    )
    used = {
        other.name: sorted(label for label in labels if label in student_page(other))
        for other in chapters()
    }
    assert not {name: found for name, found in used.items() if found}


@cache
def opened(page):
    """The names of the files beside a page that its cells name."""
    cells = [cell.source for cell in read_page(page).cells if cell.cell_type == "code"]
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell))]
    said = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return said & {file.name for file in page.parent.iterdir() if file.is_file()}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in pages()])
def test_what_cells_open_goes_with_the_page(page):
    """To the lab, to "Try it", to editions and assignments, and against the wheel: all ask `data_of`."""
    assert opened(page) <= {file.name for file in data_of(page)}


def test_some_chapters_open_files():
    assert {page.stem[:2] for page in chapters() if opened(page)} >= {"10", "20", "27"}


@pytest.mark.parametrize("edition", ["student", "solutions", "instructor"])
def test_notebooks_are_valid_and_their_imports_are_there(edition, tmp_path):
    out = tmp_path / edition
    written = write(edition, out)
    assert len(written) == len(chapters())
    imports = set[tuple[str, str]]()
    assert {file.name for file in out.iterdir()} >= set().union(*map(opened, chapters()))
    for page in written:
        notebook = nbformat.read(page.with_suffix(".ipynb"), as_version=4)
        nbformat.validate(notebook)
        prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert not re.search(r"\{(eq|ref|numref|cite:\w+)\}`", prose), page
        for cell in notebook.cells:
            if cell.cell_type == "code":
                imports |= set(imported(cell.source))
    for module, name in sorted(imports):
        if module.split(".")[0] == "chaindyn":
            there = hasattr(importlib.import_module(module), name) if name else True
            assert there or importlib.util.find_spec(f"{module}.{name}"), (module, name)
        else:
            assert importlib.util.find_spec(module.split(".")[0]), module


def imported(source: str):
    """The modules that a cell imports where it stands, and the names that it takes from them."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


def test_notes_to_the_teacher_are_the_instructors_alone():
    notes = [page for page in chapters() if "For the teacher" in page_of(page, "instructor")]
    assert len(notes) >= 2
    for page in notes:
        for edition in ("student", "solutions", "slides"):
            assert "For the teacher" not in page_of(page, edition)
            assert "Bring a" not in page_of(page, edition)
        whole = read_page(page)
        without_notes(whole)
        assert not [cell for cell in whole.cells if "class: teacher" in cell.source]
        assert len(whole.cells) == len(read_page(page).cells)


def test_the_site_leaves_notes_to_the_teacher_out_unless_it_is_the_instructors():
    for shown in (False, True):
        doctree = new_document("page")
        doctree += [nodes.admonition(classes=["teacher"]), nodes.admonition(classes=["note"])]
        leave_out(SimpleNamespace(config={SHOWN: shown}), doctree)
        assert len(doctree) == 1 + shown and doctree[-1]["classes"] == ["note"]


def test_references_are_put_into_the_words_of_the_site():
    said = texts()
    assert said["math:eq:eq-9-apparent"].startswith("9.")
    assert said["std:numref:fig-9-question"] == "Fig. 9.1"
    assert said["exercise:ex-9-stop"] == "9.1"
    assert said["cite:p:kim2012"] == "[Kim, 2012]"


@pytest.mark.parametrize(
    ("edition", "solution", "note"),
    [
        ("student", False, False),
        ("solutions", True, False),
        ("instructor", True, True),
        ("slides", False, False),
    ],
)
def test_what_an_edition_has(edition, solution, note):
    made = edited(PAGE, edition)
    assert ("Pull." in made and "\npull\n" in made) is solution
    assert ("Bring a door." in made) is note
    assert made.startswith("# A door\n") and made.endswith("\n\nThe end.\n")
    assert "Push." in made and "judge(open_door)" in made


@pytest.mark.parametrize(
    "broken",
    [
        PAGE.replace("{solution-end}", "{exercise-end}"),
        PAGE.replace("{solution-end}", "{solution-start} ex-1-other"),
        "```{note}\nno end",
    ],
)
def test_a_block_that_does_not_end_is_refused(broken):
    with pytest.raises(BookError, match=r"page: .*(solution-start|note)"):
        edited(broken, "student")


def test_how_to_write_a_solution_may_be_shown():
    shown = "````\n```{solution-start} ex-1-tap\n```\nA couple.\n```{solution-end}\n```\n````\n"
    assert edited(shown, "student") == shown


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return write_project("student", tmp_path_factory.mktemp("project") / "book")


def test_a_project_has_no_solution_in_any_page(project):
    """From its sources site, search index, lab and PDF are built."""
    for page in pages():
        made = project / page.relative_to(ROOT)
        assert not re.search("(?m)^```{solution-start}", made.read_text(encoding="utf-8"))
        twin = nbformat.read(made.with_suffix(".ipynb"), as_version=4)
        assert not [cell for cell in twin.cells if "{solution-start}" in cell.source]
        # as its own checks want it, if ours is
        assert state(made, project) in (State.CURRENT, State.PACKAGE_CHANGED, State.DATA_CHANGED)
        if page in chapters() and state(page) in (State.CURRENT, State.PACKAGE_CHANGED):
            assert all(cell.execution_count for cell in twin.cells if cell.cell_type == "code")
    for name in ("_toc.yml", "book/intro.md", "book/__main__.py", "pyproject.toml"):
        assert (project / name).read_bytes() == (ROOT / name).read_bytes()
    assert f"{SHOWN}: true" not in (project / "_config.yml").read_text(encoding="utf-8")
    for name in set().union(*map(opened, chapters())):
        there = project / "chapters" / name
        assert there.read_bytes() == (ROOT / "chapters" / name).read_bytes()
    twins = {file.name for file in (project / "chapters").glob("*.ipynb")}
    assert twins == {page.with_suffix(".ipynb").name for page in chapters()}


def test_no_file_of_a_project_has_the_lines_of_a_solution(project):
    searched(project)


@pytest.mark.nightly
def test_a_project_passes_its_own_checks_and_its_site_has_no_line_of_a_solution(tmp_path):
    """As its workflow does: all that `python -m book test` runs there, the site last."""
    project = write_project("student", tmp_path / "book", "https://github.com/someone/course")
    for gathered in ("_assets", "_live"):
        if (ROOT / "book" / gathered).is_dir():
            shutil.copytree(ROOT / "book" / gathered, project / "book" / gathered)
    command = [sys.executable, "-m", "book", "--no-setup", "test"]
    away = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run(
        command, cwd=project, env=away, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert re.search(r"(?m)^notebooks +[\d.]+ s  ok ", done.stdout)
    site = project / "book" / "_build" / "html"
    searched(site)
    launched = r"https://(?:colab\.research\.google\.com|mybinder\.org)/[^\"' ]*"
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not [to for to in re.findall(launched, text) if "chaindyn/chaindyn" in to], page


def searched(folder):
    """Every text, also in archives, but for three lines at most that a program of the book happens to share."""
    given, asked = set[str](), set[str]()
    for page in chapters():
        source = page.read_text(encoding="utf-8")
        given |= long_lines("\n".join(SOLUTION.findall(source)))
        asked |= long_lines(SOLUTION.sub("", source))
    for name, data in texts_below(folder):
        text = html.unescape(re.sub(r"</?span[^>]*>", "", data.decode("utf-8", "replace")))
        lines = {line.strip().strip('",') for line in re.split(r"\\n|\n", text)}
        found = (given - asked) & lines
        assert len(found) <= 3, (name, found)


def texts_below(folder):
    """The names of all files below a folder that are no pictures or programs, and what is in them."""
    for file in filter(Path.is_file, folder.rglob("*")):
        if file.suffix in (".whl", ".zip") and "chaindyn" in file.name:
            with zipfile.ZipFile(file) as archive:
                yield from ((f"{file}!{one}", archive.read(one)) for one in archive.namelist())
        elif file.suffix not in BINARY:
            yield str(file), file.read_bytes()


BINARY = (".png", ".webp", ".ico", ".woff", ".woff2", ".whl", ".zip", ".wasm", ".pdf", ".pyc")


def test_a_project_has_its_own_checks_and_its_own_workflow(project):
    assert not (project / "tests").exists()
    assert [file.name for file in (project / ".github/workflows").iterdir()] == ["publish.yml"]
    told = (
        "from book.commands import ROOT, checks\n"
        "print(*[one.name for one in checks() if not one.needs or (ROOT / one.needs).exists()])"
    )
    command = [sys.executable, "-c", told]
    away = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run(
        command, cwd=project, env=away, capture_output=True, text=True, check=True
    )
    assert "notebooks site" in done.stdout and not {"tests", "browser"} & set(done.stdout.split())
    done = subprocess.run(
        [sys.executable, "-m", "book", "--no-setup", "test-long", "--built"],
        cwd=project, env=away, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "no tests of the library" in done.stdout


def test_a_students_pages_do_not_open_the_published_notebooks(project, tmp_path):
    settings = yaml.safe_load((project / "_config.yml").read_text(encoding="utf-8"))
    assert "launch_buttons" not in settings
    assert not settings["html"]["use_repository_button"]
    ours = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    own = write_project("student", tmp_path / "own", "https://example.org/course")
    settings = yaml.safe_load((own / "_config.yml").read_text(encoding="utf-8"))
    assert settings["repository"]["url"] == "https://example.org/course"
    assert settings["launch_buttons"] == ours["launch_buttons"]


def test_the_instructors_project_shows_the_notes(tmp_path):
    out = write_project("instructor", tmp_path / "book")
    settings = yaml.safe_load((out / "_config.yml").read_text(encoding="utf-8"))
    assert settings["sphinx"]["config"][SHOWN] is True
    texts = [file.read_text(encoding="utf-8") for file in (out / "chapters").glob("*.md")]
    assert sum("For the teacher" in text for text in texts) >= 2


def test_the_command_writes_one_edition_into_a_new_folder(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    command = [sys.executable, "-m", "book", "--no-setup", "edition", "student", "--out"]
    done = subprocess.run(
        [*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "is not empty: name a new folder" in done.stderr


def test_only_assignments_follow_a_plan(tmp_path):
    with pytest.raises(BookError, match="only assignments follow a plan"):
        main(["slides", "--plan", "twelve", "--out", str(tmp_path / "new")])
    assert not (tmp_path / "new").exists()
