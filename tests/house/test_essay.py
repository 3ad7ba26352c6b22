"""Essays: what their scenes set is what the explorer takes, and what they say of numbers is true."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from book.extensions.essay import change_of
from book.pages import ROOT
from chaindyn.models.robots import UR5_FLANGE, ur5
from chaindyn.widgets import BalanceExplorer, InertiaExplorer, StrikeExplorer
from chaindyn.widgets.inertia import KEPT, MASS, STEP, brick_inertia, brick_moments, free_spin

Q, QD = [-0.3, -1.2, 1.3, -0.2, 1.4, 0.4], [0.2, 1.5, -1.0, -0.6, 0.5, 0.4]
STRIKE = StrikeExplorer(ur5(), Q, QD, normal=(-1, 0, 0), tip=UR5_FLANGE)
ESSAYS = {
    "where_a_blow_goes": STRIKE,
    "how_a_broom_stays_up": BalanceExplorer(aside=0.2, rate=0),
    "why_a_book_turns_over": InertiaExplorer(spin=(4, 0.2, 0)),
}
SCENE = re.compile(r"```\{scene\} (\{[^\n]*\})\n(.*?)\n```", re.DOTALL)


def scenes_of(name: str) -> list[tuple[dict, str]]:
    """What each scene sets, with all that the scenes before it set; and its text."""
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    found, now = [], {}
    for change, words in SCENE.findall(text):
        now = {**now, **json.loads(change)}
        found.append((now, " ".join(words.split())))
    assert len(found) == text.count("{scene}")
    return found


@pytest.mark.parametrize("name", ESSAYS)
def test_scenes_set_what_the_explorer_knows_and_the_first_sets_all(name):
    """So that whoever goes back finds the picture as it was."""
    first, *others = [change for change, _ in scenes_of(name)]
    start = ESSAYS[name].request
    assert set(first) <= {*start, "riding"}
    for key, value in first.items():
        if key in start:
            assert np.all(np.asarray(start[key] == np.asarray(value))), key
    assert all(set(change) == set(first) for change in others)
    assert 8 <= len(others) + 1 <= 15


def test_what_is_said_of_a_blow_is_so():
    """Of the blow that is seen, or of the one before, beside which it is told: impulse, mass and loads."""
    tried, before = 0, []
    for change, words in scenes_of("where_a_blow_goes"):
        own = STRIKE.compute({**STRIKE.request, **change})
        known = [own["impulse"], own["mass"], *np.linalg.norm(own["reactions"], axis=1)]
        for x in map(float, re.findall(r"\d+\.\d\d", words)):
            assert np.abs(np.subtract([*known, *before], x)).min() < 0.006, words
            tried += 1
        before = known
    assert tried >= 10
    assert f"its {ur5().mass.sum():.0f} kg" in scenes_of("where_a_blow_goes")[0][1]


def test_what_is_said_of_a_brick_is_so():
    """Which throws turn over, how often in eight seconds; a cleaner one a second later."""
    flips = []
    for change, _ in scenes_of("why_a_book_turns_over"):
        moments = brick_moments(MASS, np.array(change["sides"]))
        spin = np.array(change["spin"], float)
        states, _ = free_spin(
            brick_inertia(moments)[:3, :3], lambda w, I=moments: np.cross(w, I * w), spin
        )
        main = states[:, np.abs(spin).argmax()]
        flips.append(np.flatnonzero(main[1:] * main[:-1] < 0))
    assert [len(one) for one in flips[:4]] == [0, 0, 2, 1]
    assert len(flips[8]) == 0  # square
    later = KEPT * STEP * (flips[3][0] - flips[2][0])  # [s]
    assert later == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("argument", ["[1]", "{", '{"q": 1,}', "q: 1"])
def test_what_is_no_object_is_refused(argument):
    with pytest.raises(ValueError, match=r"is no object|Expecting|Illegal|property name"):
        change_of(argument)


def test_what_a_scene_sets_stands_in_the_page_as_it_is():
    assert change_of("") == "{}"
    assert json.loads(change_of('{"q": [1, 2]}')) == {"q": [1, 2]}


def test_the_opening_page_leads_to_each():
    intro = (ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for name in ESSAYS:
        assert f"<{name}>" in " ".join(intro.split()).replace(" <", "<")
        assert f"book/{name}\n" in toc
