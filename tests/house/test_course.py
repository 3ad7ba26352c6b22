"""The course page: its plans can be followed, and the graph says what the chapters say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from book.exercises import all_exercises
from book.extensions import chapter_graph
from book.extensions.chapter_graph import all_needed, drawn, edges, in_words, needs_of_chapters
from book.pages import ROOT, BookError, chapters, front_matter

TEXT = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", TEXT, re.M))


def read_in(part: str) -> list[int]:
    """The chapters of a plan, in order."""
    return [int(number) for number in re.findall(r"chapters/(\d+)_", part)]


def test_every_exercise_of_the_plans_is_there():
    labels = set(re.findall(r"\{ref\}`(ex-[\w-]+)`", TEXT))
    assert len(labels) > 40 and labels <= {one.label for one in all_exercises()}


@pytest.mark.parametrize(
    ("plan", "weeks", "without"),
    [("Twelve weeks", 12, {}), ("Fourteen weeks", 4, {21: {19}})],
)
def test_a_plan_reads_nothing_before_what_it_needs(plan, weeks, without):
    needs, seen = needs_of_chapters(), set()
    assert len(re.findall(r"^\| \d+ \|", PARTS[plan], re.M)) == weeks
    if plan == "Fourteen weeks":
        seen = set(read_in(PARTS["Twelve weeks"])[:10])
    for chapter in read_in(PARTS[plan]):
        assert set(needs[chapter]) - without.get(chapter, set()) <= seen, chapter
        seen.add(chapter)


def test_what_a_plan_hands_in_is_from_what_it_has_read():
    for plan in ("Twelve weeks", "Five lectures"):
        for row in re.findall(r"^\| \d.*$", PARTS[plan], re.M):
            asked = {int(number) for number in re.findall(r"`ex-(\d+)-", row)}
            assert asked <= set(read_in(row)) or row.startswith("| 2 |")


def test_a_chapter_needs_what_it_says_in_words():
    for page in chapters():
        text = page.read_text(encoding="utf-8")
        said = re.search(r"^You need (.*?)\n\n", text, re.M | re.S)
        if said:
            named = {int(number) for number in re.findall(r"<(\d\d)_", said[1])}
            assert set(front_matter(page)["chaindyn"]["needs"]) <= named, page.name


def test_the_graph_leaves_out_what_a_longer_way_says():
    needs = {1: [], 2: [1], 3: [1, 2], 4: [3, 1], 5: [1]}
    assert edges(needs) == [(1, 2), (2, 3), (3, 4), (1, 5)]
    assert all_needed(needs)[4] == {1, 2, 3}
    real = needs_of_chapters()
    assert all_needed({b: [a for a, c in edges(real) if c == b] for b in real}) == all_needed(real)


def test_the_drawing_has_each_chapter_once_and_says_it_in_words():
    needs = needs_of_chapters()
    svg = ElementTree.fromstring(drawn(needs, chapter_graph.titles()))
    space = "{http://www.w3.org/2000/svg}"
    sides = ("x", "y", "width", "height")
    boxes = [{k: float(box.get(k)) for k in sides} for box in svg.iter(f"{space}rect")]
    assert len(boxes) == len(needs) and len(list(svg.iter(f"{space}path"))) == len(edges(needs))
    for k, one in enumerate(boxes):  # no two boxes overlap
        for other in boxes[:k]:
            beside = abs(one["x"] - other["x"]) >= one["width"]
            assert beside or abs(one["y"] - other["y"]) >= one["height"]
    assert svg.get("aria-label") == in_words(needs) and "9 needs 1, 4, 5" in in_words(needs)
    assert "#" not in ElementTree.tostring(svg, encoding="unicode")  # colours are the page's


def test_a_need_that_is_no_earlier_chapter_is_refused(monkeypatch, project, chapter):
    monkeypatch.setattr(chapter_graph, "chapters", lambda: [chapter])
    with pytest.raises(BookError, match="has no list `needs`"):
        needs_of_chapters()
    text = chapter.read_text(encoding="utf-8")
    chapter.write_text(text.replace("chapter: 3\n", "chapter: 3\n  needs: [4]\n"), encoding="utf-8")
    with pytest.raises(BookError, match=r"needs \[4\], which are no earlier chapters"):
        needs_of_chapters()
