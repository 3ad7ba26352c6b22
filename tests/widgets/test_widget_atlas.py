"""The Python half of AtlasExplorer, and what the page computes without it."""

import numpy as np
import pytest
from widget_cases import EPS, arm, locking

import chaindyn
from chaindyn import Chain, Drive, Frame, Link, Prismatic, Revolute
from chaindyn.atlas import Strike
from chaindyn.models.robots import ur5
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import AtlasExplorer

BENT = [0.4, -1.3, 1.9, -0.6, 1.1, 0.0]
CASES = {
    "ur5": lambda: AtlasExplorer(ur5(), BENT, (1, 2, -1), body="flange"),
    "a slide": lambda: AtlasExplorer(arm(), [0.4, -0.5, 0.1, 0.5], (0, 1, 0), body="tool"),
    "within a tree": lambda: AtlasExplorer(arm(), [0.4, -0.5, 0.1, 0.5], (0, 0, 1), body="slide"),
}


def asked(widget: AtlasExplorer, seed: int, **change: object) -> dict:
    """A request with another posture and direction."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=3)
    q = rng.uniform(*widget.limits.T)
    here = {"q": q.tolist(), "direction": (d / np.linalg.norm(d)).tolist()}
    return {**widget.request, **here, **change}


@pytest.mark.parametrize("name", CASES)
def test_the_mass_is_that_of_the_operational_space(name):
    widget = CASES[name]()
    for seed in range(5):
        request = asked(widget, seed)
        d = np.array(request["direction"])
        J = chaindyn.body_jacobian(widget.chain, request["q"], widget.body, frame="mixed")[3:]
        M = chaindyn.crba(widget.chain, request["q"])
        inverse = d @ J @ np.linalg.solve(M, J.T) @ d
        values = widget.compute(request)
        assert values["mass"] * inverse == pytest.approx(1, abs=1000 * EPS * np.linalg.cond(M))


def test_a_map_is_one_blow_after_another():
    widget = CASES["ur5"]()
    request = asked(widget, 1, axes=[2, 4], map="new")
    for quantity in (["mass", 0], ["force", 3], ["moment", 1]):
        cells = np.array(widget.compute({**request, "quantity": quantity})["map"]["cells"])
        low, high = widget.limits.T
        for j, i in ((0, 0), (40, 3), (17, 30)):
            q = np.array(request["q"])
            for joint, cell in ((2, i), (4, j)):
                q[joint] = low[joint] + (high[joint] - low[joint]) * (cell + 0.5) / 41
            there = widget.compute({**request, "q": q.tolist(), "map": None})[quantity[0]]
            there = there if quantity[0] == "mass" else there[quantity[1]]
            assert cells[j, i] == pytest.approx(there, rel=1e-9)


def test_drawn_blows_do_not_depend_on_how_they_are_asked_for():
    widget = CASES["ur5"]()
    first, later = [
        np.array(widget.compute({**widget.request, "sample": start})["sample"]["mass"])
        for start in (0, 100)
    ]
    np.testing.assert_array_equal(first[100:], later[:-100])
    assert len(first) == 500
    assert 0.9 < np.median(first) < 1.4  # of ten million blows half are lighter than 1.1 kg


@pytest.mark.parametrize("name", CASES)
def test_the_page_computes_what_python_computes_of_a_blow(on_page, name):
    widget = CASES[name]()
    for seed in range(5):
        request = asked(widget, seed)
        there = on_page(widget, "fromBlows", widget.scene, request)["values"]
        here = widget.compute(request)
        assert set(there) == set(here)
        for part in here:
            assert normwise(there[part], here[part]) <= 1e5 * EPS * widget.chain.n, part


def test_the_page_computes_the_same_map(on_page):
    widget = CASES["ur5"]()
    for quantity in (["mass", 0], ["force", 3], ["moment", 1]):
        request = asked(widget, 2, quantity=quantity, axes=[4, 2], map="new")
        there = on_page(widget, "fromBlows", widget.scene, request)["values"]["map"]
        here = widget.compute(request)["map"]
        assert there["key"] == "new"
        np.testing.assert_allclose(
            np.array(there["cells"], float), np.array(here["cells"], float), rtol=1e-8
        )


def test_the_pages_own_random_blows_fill_the_same_histogram(on_page):
    """Another stream of numbers: the quantiles agree as far as 4000 blows can tell."""
    widget = CASES["ur5"]()
    drawn: list[list[float]] = [[], []]
    for start in range(0, 4000, 500):
        request = {**widget.request, "sample": start}
        answers = (
            on_page(widget, "fromBlows", widget.scene, request)["values"],
            widget.compute(request),
        )
        for masses, values in zip(drawn, answers, strict=True):
            assert values["sample"]["start"] == start
            masses.extend(values["sample"]["mass"])
    ours, pages = np.sort(drawn, axis=-1)[::-1]
    for share in (0.1, 0.5, 0.9):
        rank = 4 * np.sqrt(2 * 4000 * share * (1 - share))  # four standard errors of a difference
        low, high = (int(4000 * share + side * rank) for side in (-1, 1))
        assert ours[low] <= pages[int(4000 * share)] <= ours[high]


def test_the_pages_directions_are_uniform(on_page):
    widget = CASES["a slide"]()
    blows = [on_page(widget, "blowOf", widget.scene, i) for i in range(2000)]
    d = np.array([blow["direction"] for blow in blows])
    q = np.array([blow["q"] for blow in blows])
    np.testing.assert_allclose(np.linalg.norm(d, axis=-1), 1, atol=4 * EPS)
    low, high = widget.limits.T
    shares = np.hstack([(q - low) / (high - low), (d[:, 2:] + 1) / 2])
    assert (shares >= 0).all()
    assert (shares < 1).all()
    assert abs(shares.mean(0) - 0.5).max() < 4 / np.sqrt(12 * 2000)
    assert abs(shares.var(0) - 1 / 12).max() < 4 / np.sqrt(180 * 2000)
    assert np.linalg.norm(d.mean(0)) < 4 / np.sqrt(2000)
    assert abs(np.corrcoef(shares.T) - np.eye(shares.shape[1])).max() < 4.5 / np.sqrt(2000)


@pytest.mark.parametrize("name", CASES)
def test_the_heaviest_direction_is_the_least_eigenvector(on_page, name):
    widget = CASES[name]()
    for seed in range(3):
        q = asked(widget, seed)["q"]
        way = np.array(on_page(widget, "heaviestWay", widget.scene, q))
        J = chaindyn.body_jacobian(widget.chain, q, widget.body, frame="mixed")[3:]
        W = J @ np.linalg.solve(chaindyn.crba(widget.chain, q), J.T)
        assert way @ W @ way == pytest.approx(np.linalg.eigvalsh(W)[0], abs=1e-6 * np.trace(W))


def test_the_share_that_is_lighter(on_page):
    """Linear in the logarithm within a bin, as by numpy.interp on the cumulative counts."""
    edges, counts = np.geomspace(1, 100, 9), np.array([0, 1, 5, 3, 0, 2, 1, 0])
    below = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    for mass in (0.5, 1, 3, 8.1, 40, 99, 300):
        got = on_page(AtlasExplorer, "shareBelow", {"edges": edges, "counts": counts}, mass)
        assert got == pytest.approx(np.interp(np.log(mass), np.log(edges), below), abs=1e-12)


def test_it_shows_the_function_that_it_was_given():
    def half(chain, q, direction, *, body=None):
        blow = chaindyn.atlas.strike(chain, q, direction, body=body)
        return Strike(blow.mass / 2, blow.force, blow.moment)

    book, reader = (
        CASES["ur5"](),
        AtlasExplorer(ur5(), BENT, (1, 2, -1), strike=half, body="flange"),
    )
    assert 2 * reader.answer["values"]["mass"] == book.answer["values"]["mass"]
    with pytest.raises(ValueError, match="strike returned shape"):
        AtlasExplorer(ur5(), strike=lambda *args, **options: Strike(1, np.ones(5), np.ones(6)))


def test_an_infinite_mass_is_said_not_computed(on_page):
    """Two parallel hinges cannot move the tip along their axes."""
    rods = Chain(
        [Link(Revolute(), 1, (0.5, 0, 0), np.eye(3), offset=(i, 0, 0)) for i in range(2)],
        frames=[Frame("tip", "link1", (1, 0, 0))],
    )
    widget = AtlasExplorer(rods, [0.3, 0.5], (0, 0, 1), body="tip")
    for values in (
        widget.answer["values"],
        on_page(widget, "fromBlows", widget.scene, widget.request)["values"],
    ):
        assert values["mass"] is None
        assert values["force"] == values["moment"] == [0, 0]


def test_a_singular_posture_is_named(on_page):
    chain = locking()
    widget = AtlasExplorer(chain, [0, 1])
    assert on_page(widget, "fromBlows", widget.scene, widget.request)["fault"] == ""
    locked = {**widget.request, "q": [0, 0]}
    assert "feels no inertia" in on_page(widget, "fromBlows", widget.scene, locked)["fault"]


HINGE = Link(Revolute(), 1, (0.5, 0, 0), np.eye(3), offset=(1, 0, 0))
TWO = Chain([HINGE, HINGE])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AtlasExplorer(TWO, view="top"), "view is 'top'"),
        (lambda: AtlasExplorer(TWO, [0]), "q of the start has shape"),
        (lambda: AtlasExplorer(TWO, direction=(0, 0, 0)), "direction of the start"),
        (lambda: AtlasExplorer(TWO, direction=(0, np.nan, 0)), "direction of the start"),
        (lambda: AtlasExplorer(TWO, cases={"hit": ([0, 1, 2], (1, 0, 0))}), "q of hit has shape"),
        (lambda: AtlasExplorer(TWO, axes=("link1", "link1")), "two joints must differ"),
        (lambda: AtlasExplorer(TWO, axes="link1"), "must be two joints"),
        (lambda: AtlasExplorer(TWO, axes=(0, 5)), "5"),
        (lambda: AtlasExplorer(TWO, body="hand"), "hand"),
        (lambda: AtlasExplorer(Chain([HINGE])), "fewer than two joints move it"),
        (lambda: AtlasExplorer(TWO, atlas=([1, 2, 2], [1, 1])), "edges that do not increase"),
        (lambda: AtlasExplorer(TWO, atlas=([0, 1, 2], [1, 1])), "edges that do not increase"),
        (lambda: AtlasExplorer(TWO, atlas=([1, 2, 3], [1, -1])), "no blow"),
        (lambda: AtlasExplorer(TWO, atlas=([1, 2, 3], [1])), "counts of the atlas"),
        (lambda: AtlasExplorer(TWO, limits=[(0, 1), (1, 1)]), "must be below the second"),
        (
            lambda: AtlasExplorer(
                Chain(
                    [Link(Prismatic(), 1, (0, 0, 0), np.eye(3), drive=Drive(rotor_inertia=1))] * 2
                )
            ),
            "AtlasExplorer",
        ),
    ],
)
def test_what_it_refuses(make, words):
    with pytest.raises((ValueError, NotImplementedError), match=words):
        make()
