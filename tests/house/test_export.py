"""Chapters become modules, and modules never lose what somebody wrote into them."""

from __future__ import annotations

import re

import pytest

from book.export import export, exported_names, generate, offered, was_edited
from book.pages import BookError


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_module_reads_like_one_written_by_hand(project):
    text = generate(project)["chaindyn/doors.py"]
    header, _, body = text.partition('"""Doors')
    assert "chapters/03_doors.md" in header
    assert '"""Doors' + body == (
        '"""Doors: what turns.\n'
        "\n"
        'Derived in chapter 3, "Doors and hinges".\n'
        '"""\n'
        "\n"
        "from dataclasses import dataclass\n"
        "from math import sin\n"  # cos and tau are for other cells
        "\n"
        '__all__ = ["Door"]\n'
        "\n"
        "\n"
        '# Chapter 3, "Doors and hinges": A hinge\n'
        "@dataclass(frozen=True)\n"
        "class Door:\n"
        '    """A door."""\n'
        "\n"
        "    width: float\n"
        "\n"
        "\n"
        "def _opening(door: Door, angle: float) -> float:\n"
        '    """How far the handle is from the wall."""\n'
        "    return door.width * sin(angle)\n"
    )


def test_second_module_imports_what_the_first_defines(project):
    text = generate(project)["chaindyn/houses.py"]
    assert "from chaindyn.doors import Door, _opening\n" in text
    assert "chaindyn.houses import" not in text
    assert "# The widest first.\ndef widest(" in text


def test_all_holds_what_the_package_offers_and_helpers_stay_out(project):
    front = project / "chaindyn" / "__init__.py"
    front.write_text("from chaindyn.doors import Door\n", encoding="utf-8")
    assert offered(project) == {"doors": ["Door"]}
    texts = generate(project)
    assert '__all__ = ["Door"]\n' in texts["chaindyn/doors.py"]
    assert "__all__: list[str] = []\n" in texts["chaindyn/houses.py"]
    front.write_text(
        "from chaindyn.doors import Door\nfrom chaindyn.houses import (\n    widest,\n)\n"
    )
    assert '__all__ = ["widest"]\n' in generate(project)["chaindyn/houses.py"]


def test_what_is_offered_is_there(project):
    front = project / "chaindyn" / "__init__.py"
    front.write_text("from chaindyn.doors import Window\n", encoding="utf-8")
    with pytest.raises(
        BookError, match=r"imports Window from 'doors', where no cell of .*03_doors"
    ):
        generate(project)


def test_exported_names_know_their_chapter(project):
    names = exported_names(project)
    assert {name: (module.name, module.number) for name, module in names.items()} == {
        "Door": ("doors", 3),
        "widest": ("houses", 3),
    }


def test_round_trip_and_check(project, chapter, capsys):
    assert export(project, check=True) == 2
    assert not (project / "chaindyn" / "doors.py").exists()
    assert export(project) == 0
    assert export(project, check=True) == 0
    replace(chapter, "door.width*sin(angle)", "2 * door.width * sin(angle)")
    capsys.readouterr()
    assert export(project, check=True) == 1
    told = capsys.readouterr().out
    assert "+    return 2 * door.width * sin(angle)" in told
    assert "chaindyn/houses.py: up to date" in told
    assert export(project) == 0
    assert export(project, check=True) == 0


def test_edited_module_is_left_alone(project, chapter, capsys):
    export(project)
    module = project / "chaindyn" / "doors.py"
    replace(module, "door.width * sin(angle)", "door.width")
    edited = module.read_text(encoding="utf-8")
    replace(chapter, '"""A door."""', '"""A door with a handle."""')
    for check in (False, True):
        assert export(project, check=check) == 1
        assert module.read_text(encoding="utf-8") == edited
        told = capsys.readouterr().out
        assert "edited by hand" in told
        assert "-    return door.width\n+    return door.width * sin(angle)" in told


def test_module_written_by_hand_is_left_alone(project):
    module = project / "chaindyn" / "doors.py"
    module.write_text('"""My doors."""\n', encoding="utf-8")
    assert was_edited(module.read_text(encoding="utf-8"))
    assert export(project) == 1
    assert module.read_text(encoding="utf-8") == '"""My doors."""\n'


def test_module_that_no_chapter_exports_any_more_is_reported(project, chapter, capsys):
    export(project)
    text = chapter.read_text(encoding="utf-8")
    text = re.sub(r"    houses: .*\n", "", text).replace(
        "---\ntags: [export]\nmodule: houses\n---\n", ""
    )
    chapter.write_text(text, encoding="utf-8")
    assert export(project) == 1
    assert "chaindyn/houses.py: no chapter exports it any more" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("print('hello')", "cell .*, line 1: .*this one holds: print"),
        ("WIDTH = 0.8", "this one holds: WIDTH = 0.8"),
        ("class Window:\n    pass", "this one holds: class Window"),
        ("@dataclass\nclass Window:\n    width: float", "this one holds: class Window"),
        ("@dataclass(frozen=False)\nclass W:\n    width: float", "this one holds: class W"),
        ("%matplotlib inline", "line 1: an export cell holds plain Python"),
        ("def f(): return 1; g = 2\nimport math; h = 3", "line 2.*this one holds: h = 3"),
        ("if True:\n    def f(): ...", "this one holds: if True:"),
        ("from math import *", "line 1: import names"),
        ("from cmath import sin", "'from cmath import sin' clashes with 'from math import sin'"),
        ("from cmath import exp as Door", "'from cmath import exp as Door' clashes with 'the definition"),
        ("def f(): return unheard_of()", "'unheard_of' is neither imported nor defined"),
        ("@dataclass(frozen=True)\nclass Door:\n    a: int", "exported twice to 'doors': Door"),
    ],
)  # fmt: skip
def test_what_an_export_cell_may_not_hold(project, chapter, statement, message):
    with chapter.open("a", encoding="utf-8") as file:
        file.write(f"\n```{{code-cell}} ipython3\n:tags: [export]\n\n{statement}\n```\n")
    with pytest.raises(BookError, match=message) as error:
        generate(project)
    assert "chapters/03_doors.md" in str(error.value)
    assert [file.name for file in (project / "chaindyn").iterdir()] == ["__init__.py"]


def test_cell_for_an_unnamed_module(project, chapter):
    replace(chapter, "module: houses", "module: gardens")
    with pytest.raises(BookError, match=r"'gardens'.*does not name; it names: doors, houses"):
        generate(project)


def test_module_without_cells(project, chapter):
    replace(chapter, "module: houses\n", "")
    with pytest.raises(BookError, match="no cell is exported to module 'houses'"):
        generate(project)


def test_two_chapters_with_one_module(project, chapter):
    (chapter.parent / "04_again.md").write_text(
        chapter.read_text(encoding="utf-8"), encoding="utf-8"
    )
    with pytest.raises(
        BookError, match=r"04_again.md: module 'doors' is already exported by .*03_doors"
    ):
        generate(project)


def test_front_matter_without_a_chapter_number(project, chapter):
    replace(chapter, "  chapter: 3\n", "")
    with pytest.raises(BookError, match=r"03_doors.md: the front matter lacks chaindyn.chapter"):
        generate(project)
