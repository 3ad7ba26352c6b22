"""Chapters and their executed twins: who was edited, and what is carried where."""

from __future__ import annotations

import shutil

import nbformat
import pytest
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.db import NbCacheRecord

from book import executed
from book.pages import ROOT, BookError, front_matter, pages, read_page
from book.twins import State, state, sync, twin_of, twins


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Where the project is kept once its chapter has been executed."""
    return tmp_path_factory.mktemp("made") / "project"


@pytest.fixture
def twin(project, chapter, made):
    """The twin of the one chapter: executed for the first test that asks for it, copied for the others."""
    if made.exists():
        shutil.copytree(made, project, dirs_exist_ok=True)
        return twin_of(chapter)
    # The cells import only what Python has, so that no package need be there.
    text = chapter.read_text(encoding="utf-8").replace("from chaindyn.houses import widest\n", "")
    chapter.write_text(text, encoding="utf-8")
    assert twins([chapter], project) == 0
    shutil.copytree(project, made)
    return twin_of(chapter)


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_twin_has_cells_outputs_and_nothing_that_changes_by_itself(project, chapter, twin):
    notebook = nbformat.read(str(twin), as_version=4)
    nbformat.validate(notebook)
    assert [c.source for c in notebook.cells] == [c.source for c in read_page(chapter).cells]
    assert notebook.cells[-1].outputs[0].data["text/plain"] == "4"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert all(set(cell.metadata) <= {"tags", "module"} for cell in code)
    before = twin.read_bytes()
    twin.unlink()
    assert twins([chapter], project) == 0
    assert twin.read_bytes() == before


def test_only_what_changed_is_executed(project, chapter, twin, capsys):
    before = twin.stat().st_mtime_ns
    capsys.readouterr()
    assert twins([chapter], project) == 0
    assert "up to date" in capsys.readouterr().out
    assert twin.stat().st_mtime_ns == before


def test_an_edit_keeps_the_other_cells_ids(project, chapter, twin):
    ids = [cell.id for cell in nbformat.read(str(twin), as_version=4).cells]
    edit(chapter, "A house has doors.", "A house has doors, and more.")
    assert twins([chapter], project) == 0
    new = [cell.id for cell in nbformat.read(str(twin), as_version=4).cells]
    assert [a == b for a, b in zip(ids, new, strict=True)] == [True, True, False, True, True]


@pytest.mark.parametrize(
    ("old", "new"), [("2 + 2", "2 + 3"), (":tags: [export]", ":tags: [export, x]")]
)
def test_stale_when_sources_or_tags_differ(project, chapter, twin, old, new):
    edit(chapter, old, new)
    assert state(chapter, project) is State.PAGE_EDITED
    assert twins([chapter], project, check=True) == 1


def test_new_package_executes_again_but_does_not_fail_the_check(project, chapter, twin):
    (project / "chaindyn" / "doors.py").write_text("x = 1\n", encoding="utf-8")
    assert state(chapter, project) is State.PACKAGE_CHANGED
    assert twins([chapter], project, check=True) == 0
    assert twins([chapter], project) == 0
    assert state(chapter, project) is State.CURRENT


def test_new_data_beside_the_page_fail_the_check_until_it_is_executed(project, chapter, twin):
    data = chapter.with_name(f"{chapter.stem}_doors.json")
    for text in ("[1]", "[2]"):
        data.write_text(text, encoding="utf-8")
        assert state(chapter, project) is State.DATA_CHANGED
        assert twins([chapter], project, check=True) == 1
        assert twins([chapter], project) == 0
        assert state(chapter, project) is State.CURRENT


def test_missing_twin_fails_the_check(project, chapter):
    assert twins([chapter], project, check=True) == 1
    assert not twin_of(chapter).exists()


def test_edit_in_jupyterlab_is_carried_back(project, chapter, twin):
    before = chapter.read_text(encoding="utf-8")
    notebook = nbformat.read(str(twin), as_version=4)
    notebook.cells[-1].source = "2 + 5"
    notebook.cells[-1].metadata["collapsed"] = True
    notebook.cells.insert(3, nbformat.v4.new_markdown_cell("Mind the step."))
    nbformat.write(notebook, str(twin))
    assert state(chapter, project) is State.TWIN_EDITED
    assert twins([chapter], project) == 1  # refuses to lose the edit
    assert sync([chapter], project) == 0
    expected = before.replace("2 + 2", "2 + 5")
    expected = expected.replace("has doors.\n", "has doors.\n\n+++\n\nMind the step.\n")
    assert chapter.read_text(encoding="utf-8") == expected
    assert twins([chapter], project, check=True) == 1  # the outputs are of before
    assert twins([chapter], project) == 0
    assert state(chapter, project) is State.CURRENT


def test_cells_can_go_and_move_in_jupyterlab(project, chapter, twin):
    notebook = nbformat.read(str(twin), as_version=4)
    del notebook.cells[1]
    notebook.cells.reverse()
    nbformat.write(notebook, str(twin))
    assert sync([chapter], project) == 0
    assert [cell.source for cell in read_page(chapter).cells] == [c.source for c in notebook.cells]
    assert pages(project) == [chapter]  # the front matter is still there


def test_both_edited_is_refused(project, chapter, twin, capsys):
    notebook = nbformat.read(str(twin), as_version=4)
    notebook.cells[-1].source = "2 + 5"
    nbformat.write(notebook, str(twin))
    edit(chapter, "2 + 2", "2 + 6")
    before = chapter.read_bytes(), twin.read_bytes()
    assert twins([chapter], project) == 1
    assert sync([chapter], project) == 1
    assert "both the page and its twin were edited" in capsys.readouterr().out
    assert (chapter.read_bytes(), twin.read_bytes()) == before


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("object()", "its output holds the address of an object"),
        ("import os; print(os.getcwd())", "its output holds a path of this machine"),
    ],
)
def test_what_does_not_become_a_twin(project, chapter, twin, cell, message, capsys):
    before = twin.read_bytes()
    edit(chapter, "2 + 2", cell)
    assert twins([chapter], project) == 1
    assert message in capsys.readouterr().out
    assert twin.read_bytes() == before


def test_pages_are_told_by_their_front_matter(project, chapter):
    book = project / "book"
    book.mkdir()
    (book / "plain.md").write_text("# Plain\n", encoding="utf-8")
    (book / "intro.md").write_text(chapter.read_text(encoding="utf-8"), encoding="utf-8")
    assert pages(project) == [book / "intro.md", chapter]


def test_broken_front_matter_names_the_file(chapter, project):
    chapter.write_text("---\na: [\n---\n", encoding="utf-8")
    with pytest.raises(BookError, match=r"03_doors.md: the front matter is not YAML"):
        pages(project)


def test_saving_in_jupyterlab_saves_both(project, chapter, twin):
    """With Jupytext's contents manager and the settings in chapters/jupytext.toml."""
    from jupyter_server.services.contents.largefilemanager import LargeFileManager

    try:
        from jupytext.sync_contentsmanager import (
            build_sync_jupytext_contents_manager_class as build,
        )
    except ImportError:  # Jupytext before 1.18
        from jupytext.contentsmanager import build_jupytext_contents_manager_class as build

    shutil.copy(ROOT / "chapters" / "jupytext.toml", chapter.parent)
    header = front_matter(chapter)
    manager = build(LargeFileManager)(root_dir=str(chapter.parent))
    model = manager.get(twin.name)
    model["content"]["cells"][-1]["source"] = "2 + 5"
    model["content"]["cells"][-1]["metadata"]["collapsed"] = True
    manager.save(model, twin.name)
    assert "```{code-cell} ipython3\n2 + 5\n```" in chapter.read_text(encoding="utf-8")
    assert front_matter(chapter) == header
    assert state(chapter, project) is State.RESAVED
    assert twins([chapter], project) == 0
    assert state(chapter, project) is State.CURRENT


def test_the_book_s_own_solutions_pass_their_exercises():
    """A judge only prints what it finds, so that the page runs on: a solution that no longer fits would pass unseen."""
    for page in pages():
        notebook = nbformat.read(str(twin_of(page)), as_version=4)
        for cell in notebook.cells:
            if "solution" in cell.metadata.get("tags", []):
                printed = "".join(output.get("text", "") for output in cell.outputs)
                assert "not yet right" not in printed, (page.name, printed)


def test_outputs_that_another_process_is_just_putting_in_are_left_alone(project, monkeypatch):
    """jupyter-cache takes such a record for one too many, and finds no file of it."""
    cache = executed._cache(project)
    monkeypatch.setattr(NbCacheRecord, "records_to_delete", lambda keep, db: [1])
    NbCacheRecord.create_record("other.md", "0" * 32, cache.db)
    notebook = nbformat.v4.new_notebook()
    cache.cache_notebook_bundle(CacheBundleIn(notebook, "one.md"), check_validity=False)
    assert cache.match_cache_notebook(notebook).uri == "one.md"
    assert NbCacheRecord.record_from_pk(1, cache.db).uri == "other.md"
