"""Drawings are judged by where their strokes are: against poses, and against distances that must be kept."""

import builtins
import io
import sys

import numpy as np
import pytest

from chaindyn import Chain, Fixed, Link, Prismatic, Revolute, forward_kinematics, random_state
from chaindyn.drawing import COLOURS, PLANES, draw_chain, draw_tree, style

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")

INERTIA = 0.01 * np.eye(3)


@pytest.fixture(autouse=True)
def _clean_figures():
    yield
    plt.close("all")


def tree() -> Chain:
    """A tree with every joint kind, unequal offsets, and two leaves."""
    return Chain(
        [
            Link(Revolute((0, 0, 1)), 1, (0, 0, 0.2), INERTIA, name="base"),
            Link(Revolute((0, 1, 0)), 1, (0.2, 0, 0), INERTIA, offset=(0, 0, 0.4), name="shoulder"),
            Link(Prismatic((1, 0, 0)), 1, (0.1, 0, 0), INERTIA, offset=(0.4, 0, 0), name="slide"),
            Link(Fixed(), 1, (0.05, 0, 0), INERTIA, offset=(0.2, 0, 0), name="tool"),
            Link(
                Revolute((1, 0, 0)),
                1,
                (0, 0, 0.15),
                INERTIA,
                offset=(0, 0.1, 0),
                parent="shoulder",
                name="finger",
            ),
        ]
    )


def planar(n: int = 3) -> Chain:
    links = [
        Link(Revolute(), 1, (0.5, 0, 0), INERTIA, offset=(0 if i == 0 else 1, 0, 0))
        for i in range(n)
    ]
    return Chain(links)


def strokes(ax, colour):
    """The end points of the drawn lines of one colour, (m, 2, dimensions)."""
    lines = [line for line in ax.lines if line.get_color() == colour]
    return np.array([getattr(line, "get_data_3d", line.get_data)() for line in lines]).swapaxes(
        1, 2
    )


@pytest.mark.parametrize("plane", [None, *PLANES])
def test_links_run_from_their_origin_to_their_children(plane):
    chain = tree()
    q, _ = random_state(chain, 1)
    R, p = forward_kinematics(chain, q)
    drawn = strokes(draw_chain(chain, q, plane=plane), COLOURS["link"])
    keep = PLANES[plane] if plane else [0, 1, 2]
    base, shoulder, slide, tool, finger = range(5)
    expected = [
        (p[base], p[shoulder]),
        (
            p[shoulder],
            p[shoulder] + R[shoulder] @ [0.4, 0, 0],
        ),  # as far as the slide's seat, not the slide
        (p[shoulder], p[finger]),
        (p[slide], p[tool]),
        (p[tool], p[tool] + R[tool] @ [0.05, 0, 0]),
        (p[finger], p[finger] + R[finger] @ [0, 0, 0.15]),
    ]
    np.testing.assert_allclose(drawn, np.array(expected)[..., keep], atol=1e-14)


def test_a_slide_is_joined_to_its_seat():
    chain = tree()
    q = np.array([0.3, -0.4, 0.25, 0.0])
    rods = strokes(draw_chain(chain, q), COLOURS["prismatic"])
    lengths = np.linalg.norm(rods[:, 1] - rods[:, 0], axis=-1)
    assert np.isclose(lengths, 0.25, atol=1e-14).any()


def test_tip_ends_the_only_leaf_and_a_tree_refuses_it():
    ax = draw_chain(planar(2), [0.5, -0.2], plane="xy", tip=(1, 0, 0))
    tip = strokes(ax, COLOURS["link"])[-1, 1]
    np.testing.assert_allclose(
        tip, [np.cos(0.5) + np.cos(0.3), np.sin(0.5) + np.sin(0.3)], atol=1e-14
    )
    with pytest.raises(ValueError, match=r"2: .'tool', 'finger'"):
        draw_chain(tree(), np.zeros(4), tip=(1, 0, 0))


def test_a_drum_is_round_across_its_axis_and_straight_along_it():
    chain = planar(1)
    (drum,) = draw_chain(chain, [0.0], plane="xy", scale=1.0).collections
    corners = np.vstack([path.vertices for path in drum.get_paths()])
    np.testing.assert_allclose(np.linalg.norm(corners, axis=-1), 0.45, atol=1e-12)
    (drum,) = draw_chain(chain, [0.0], plane="xz", scale=1.0).collections
    corners = np.vstack([path.vertices for path in drum.get_paths()])
    np.testing.assert_allclose(np.abs(corners[:, 1]).max(), 0.7, atol=1e-12)


def test_units_are_equal_in_space():
    ax = draw_chain(tree(), np.zeros(4))
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    box = np.asarray(ax._box_aspect)
    ratios = np.ptp(limits, axis=1) / box
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_every_outline_in_space_is_as_near_as_the_chain():
    """Outlines of unequal length in one collection would be filled up with whatever lies in memory."""
    ax = draw_chain(tree(), np.zeros(4))
    ax.figure.canvas.draw()
    assert ax.collections
    for collection in ax.collections:
        corners = {len(path.vertices) for path in collection.get_paths()}
        assert len(corners) == 1


def test_options_leave_out_what_they_say():
    chain, q = planar(2), np.zeros(2)

    def count(**options):
        ax = draw_chain(chain, q, plane="xy", **options)
        return len(ax.lines), len(ax.texts)

    lines, texts = count(frames=True, coms=True, labels=True)
    assert count(frames=False, coms=True, labels=True) == (lines - 3 * chain.n, texts)
    assert count(frames=True, coms=False, labels=True) == (lines - chain.n, texts)
    assert count(frames=True, coms=True, labels=False) == (lines, texts - chain.n)


def test_it_draws_on_the_axes_it_is_given():
    ax = plt.figure().add_subplot()
    assert draw_chain(planar(), np.zeros(3), plane="xy", ax=ax) is ax
    assert draw_tree(tree(), ax=ax) is ax


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": np.zeros(2)}, r"q has shape \(2,\).*shape \(3,\): one"),
        ({"q": np.zeros((5, 3))}, r"q has shape \(5, 3\).*\(3,\): one posture"),
        ({"q": None}, "q must hold numbers"),
        ({"q": np.zeros(3, complex)}, "q is .*only real numbers can be drawn"),
        ({"q": [0, np.nan, 0]}, r"q\[1\] is nan"),
        ({"chain": None}, "chain must be a Chain, not None"),
        ({"tip": (1, 0)}, r"tip has shape \(2,\), but must have shape \(3,\)"),
        ({"scale": -1}, "scale is -1, but must be a length above zero"),
        ({"scale": 0}, "scale is 0, but must be a length above zero"),
        ({"plane": ["xy"]}, r"plane is \['xy'\], but must be None"),
        ({"plane": "zx"}, r"plane is 'zx', but must be None .* \['xy', 'xz', 'yz'\]"),
    ],
)
def test_bad_input_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        draw_chain(**{"chain": planar(), "q": np.zeros(3), **options})


def test_postures_of_exact_numbers_are_drawn_and_symbols_are_not():
    sp = pytest.importorskip("sympy")
    draw_chain(planar(), [sp.pi / 3, sp.Rational(1, 2), 0])
    with pytest.raises(ValueError, match=r"q is .*only real numbers can be drawn"):
        draw_chain(planar(), sp.symbols("a:3"))


def test_axes_of_the_wrong_kind_are_told():
    with pytest.raises(ValueError, match="must be flat"):
        draw_chain(planar(), np.zeros(3), plane="xy", ax=plt.figure().add_subplot(projection="3d"))
    with pytest.raises(ValueError, match='made with projection="3d"'):
        draw_chain(planar(), np.zeros(3), ax=plt.figure().add_subplot())


def test_a_tree_shows_every_link_above_its_parent():
    chain = tree()
    ax = draw_tree(chain)
    place = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    assert {*chain.names, "ground"} <= set(place)
    for name, parent in zip(chain.names, chain.parent, strict=True):
        below = place["ground" if parent < 0 else chain.names[parent]]
        assert place[name][1] == below[1] + 1
    assert place["shoulder"][0] == (place["slide"][0] + place["finger"][0]) / 2
    kinds = [text.get_text() for text in ax.texts]
    assert kinds.count("revolute") == 3
    assert kinds.count("prismatic") == kinds.count("fixed") == 1


@pytest.mark.parametrize("fingers", [1, 4, 7])
def test_the_words_on_a_tree_keep_clear_of_one_another(fingers):
    rod = (1, (0.1, 0, 0), INERTIA)
    palm = Link(Revolute((0, 0, 1)), *rod, name="palm")
    chain = Chain(
        [palm, *(Link(Prismatic((1, 0, 0)), *rod, parent="palm") for _ in range(fingers))]
    )
    ax = draw_tree(chain)
    ax.figure.canvas.draw()
    words = [text for text in ax.texts if text.get_text()]
    boxes = [text.get_window_extent() for text in words]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i]), words[i].get_text()
    for line in ax.lines:  # the level parts of the ways between links
        (y,) = {round(y, 6) for _, y in ax.transData.transform(line.get_xydata())}
        left, right = sorted(x for x, _ in ax.transData.transform(line.get_xydata()))
        crossed = [b for b in boxes if b.y0 < y < b.y1 and b.x1 > left and b.x0 < right]
        assert not crossed


def test_a_long_chain_is_no_matter():
    draw_tree(planar(1500), ax=plt.figure().add_subplot())


def test_the_same_figure_is_the_same_file():
    style()

    def svg():
        out = io.BytesIO()
        draw_chain(tree(), np.zeros(4)).figure.savefig(out, format="svg", metadata={"Date": None})
        return out.getvalue()

    first = svg()
    assert first == svg()
    assert b"<dc:date>" not in first


@pytest.mark.parametrize(
    "draw", [lambda: draw_chain(planar(), np.zeros(3)), lambda: draw_tree(planar()), style]
)
def test_without_matplotlib_it_names_the_extra(draw, monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install 'chaindyn\[widgets\]'"):
        draw()


def test_importing_does_not_import_matplotlib():
    import subprocess

    code = "import sys, chaindyn.drawing; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
