"""Bad input: each is refused with a ValueError that says what, where, and what would be right."""

import math
from fractions import Fraction

import numpy as np
import pytest

import chaindyn as cd
from chaindyn import Chain, Fixed, Link, Prismatic, Revolute
from chaindyn._check import as_array, checked, require_between

INERTIA = np.eye(3)
GOOD = {"joint": Revolute(), "mass": 1, "com": (0, 0, 0), "inertia": INERTIA}
ARM = Chain([Link(**GOOD, name="upper"), Link(**GOOD, offset=(1, 0, 0), name="lower")])
FORK = Chain([Link(**GOOD, name="left"), Link(**GOOD, parent="ground", name="right")])
NAN = [0, math.nan]


def one_link(**changes):
    return Chain([Link(**(GOOD | changes), name="arm")])


# What is called, and parts that its message must hold: the place, the value, what would be right.
REFUSED = {
    # models
    "no links": (lambda: Chain([]), ["at least one link"]),
    "what is no link": (lambda: Chain([Revolute()]), ["links[0]", "Revolute", "must be a Link"]),
    "a lone link": (lambda: Chain(Link(**GOOD)), ["links", "must be a sequence of Link"]),
    "negative mass": (lambda: one_link(mass=-1.5), ["'arm'", "mass is -1.5", "not be negative"]),
    "mass is NaN": (lambda: one_link(mass=math.nan), ["'arm'", "mass", "is nan", "finite"]),
    "mass is a vector": (lambda: one_link(mass=(1, 2)), ["'arm'", "mass", "(2,)", "must be ()"]),
    "mass is a word": (lambda: one_link(mass="heavy"), ["'arm'", "mass", "numbers", "heavy"]),
    "com too short": (lambda: one_link(com=(0, 0)), ["'arm'", "com", "(2,)", "(3,)"]),
    "com infinite": (
        lambda: one_link(com=(0, math.inf, 0)),
        ["'arm'", "com[1]", "is inf", "finite"],
    ),
    "inertia diagonal only": (
        lambda: one_link(inertia=(1, 1, 1)),
        ["'arm'", "inertia", "(3,)", "(3, 3)"],
    ),
    "inertia not symmetric": (
        lambda: one_link(inertia=INERTIA + np.triu(np.ones((3, 3)), 1)),
        ["'arm'", "inertia is not symmetric", "[1.0, 1.0, 1.0]"],
    ),
    "inertia indefinite": (
        lambda: one_link(inertia=np.diag([1, -0.5, 1])),
        ["'arm'", "not positive semidefinite", "-0.5"],
    ),
    "inertia of no body": (
        lambda: one_link(inertia=np.diag([1, 1, 3])),
        ["'arm'", "triangle inequality", "1, 1 and 3", "at least the largest"],
    ),
    "zero axis": (lambda: Revolute((0, 0, 0)), ["axis", "[0, 0, 0]", "not be zero"]),
    "axis of two": (lambda: Prismatic((0, 1)), ["axis", "(2,)", "(..., 3)"]),
    "axis NaN": (lambda: Revolute((0, 0, math.nan)), ["axis[2]", "nan", "finite"]),
    "an exact axis that is long": (
        lambda: Revolute(np.array([0, 0, 2], object)),
        ["axis is [0, 0, 2]", "sqrt(4)", "length one already"],
    ),
    "an exact axis of fractions": (
        lambda: Prismatic([Fraction(1, 2), 0, 0]),
        ["axis is [Fraction(1, 2), 0, 0]", "sqrt(1/4)"],
    ),
    "an exact axis of zero": (
        lambda: Revolute(np.array([0, 0, 0], object)),
        ["axis is [0, 0, 0]", "not be zero"],
    ),
    "several axes in a link": (
        lambda: one_link(joint=Revolute(np.eye(3))),
        ["'arm'", "axis", "(3, 3)", "must be (3,)"],
    ),
    "a class for a joint": (
        lambda: one_link(joint=Fixed),
        ["'arm'", "joint", "Fixed", "Revolute((0, 0, 1))"],
    ),
    "a word for a joint": (lambda: one_link(joint="hinge"), ["'arm'", "joint is 'hinge'"]),
    "offset too long": (lambda: one_link(offset=(0, 0, 0, 1)), ["'arm'", "offset", "(4,)", "(3,)"]),
    "rotation not orthonormal": (
        lambda: one_link(rotation=2 * np.eye(3)),
        ["'arm'", "no rotation matrix", "3.0e+00", "orthonormal"],
    ),
    "rotation written with six digits": (
        lambda: one_link(rotation=[[0.707107, -0.707107, 0], [0.707107, 0.707107, 0], [0, 0, 1]]),
        ["'arm'", "no rotation matrix", "6.2e-07", "to 1e-8"],
    ),
    "inertia of no body, by little": (
        lambda: one_link(inertia=np.diag([1, 1, 2 + 1e-7])),
        ["'arm'", "triangle inequality"],
    ),
    "rotation mirrored": (
        lambda: one_link(rotation=np.diag([1, 1, -1])),
        ["'arm'", "det R = -1", "right-handed"],
    ),
    "a later parent": (
        lambda: Chain([Link(**GOOD, name="a", parent=1), Link(**GOOD, name="b")]),
        ["link 0 ('a')", "parent 1", "earlier link", "[]"],
    ),
    "its own parent": (
        lambda: Chain([Link(**GOOD, name="a", parent="a")]),
        ["parent 'a'", "earlier link"],
    ),
    "an unknown parent": (
        lambda: Chain([Link(**GOOD, name="a"), Link(**GOOD, name="b", parent="c")]),
        ["link 1 ('b')", "parent 'c'", "['a']"],
    ),
    "a negative parent": (
        lambda: Chain([Link(**GOOD), Link(**GOOD, parent=-1)]),
        ["link 1 ('link1')", "parent -1", '"ground"'],
    ),
    "a parent of True": (lambda: Chain([Link(**GOOD), Link(**GOOD, parent=True)]), ["parent True"]),
    "a name twice": (
        lambda: Chain([Link(**GOOD, name="a"), Link(**GOOD, name="a")]),
        ["link 1", "'a'", "must differ"],
    ),
    "a name that a nameless link has": (
        lambda: Chain([Link(**GOOD), Link(**GOOD, name="link0")]),
        ["link 1", "'link0'", "must differ"],
    ),
    "a link named ground": (
        lambda: Chain([Link(**GOOD, name="ground")]),
        ["link 0", "'ground' is taken"],
    ),
    "a name that is no word": (
        lambda: Chain([Link(**GOOD, name=7)]),
        ["link 0", "named 7", "string"],
    ),
    "gravity a number": (lambda: Chain([Link(**GOOD)], gravity=9.81), ["gravity", "()", "(3,)"]),
    "gravity NaN": (
        lambda: Chain([Link(**GOOD)], gravity=(0, 0, math.nan)),
        ["gravity[2]", "finite"],
    ),
    # states
    "q too long": (
        lambda: cd.forward_kinematics(ARM, [1, 2, 3]),
        ["q has shape (3,)", "(..., 2)", "nq = 2"],
    ),
    "q a number": (
        lambda: cd.forward_kinematics(ARM, 1.0),
        ["q has shape ()", "(..., 2)", "nq = 2"],
    ),
    "q NaN": (
        lambda: cd.forward_kinematics(ARM, NAN),
        ["q[1]", "'lower'", "is nan", "finite"],
    ),
    "q infinite in a batch": (
        lambda: cd.forward_kinematics(ARM, [[0, 0], [-math.inf, 0]]),
        ["q[1, 0]", "'upper'", "is -inf"],
    ),
    "q of words": (lambda: cd.forward_kinematics(ARM, ["a", "b"]), ["q must hold numbers", "'a'"]),
    "q ragged": (
        lambda: cd.forward_kinematics(ARM, [[1, 2], [3]]),
        ["q is not an array", "rows differ"],
    ),
    "q of None": (lambda: cd.forward_kinematics(ARM, [None, 1]), ["q must hold numbers", "None"]),
    "qd too short": (lambda: cd.body_twists(ARM, [0, 0], [1]), ["qd has shape (1,)", "nv = 2"]),
    "qd NaN": (lambda: cd.body_twists(ARM, [0, 0], NAN), ["qd[1]", "'lower'", "is nan"]),
    "qdd NaN": (lambda: cd.body_accelerations(ARM, [0, 0], [0, 0], NAN), ["qdd[1]", "'lower'"]),
    "batches that do not fit": (
        lambda: cd.body_twists(ARM, np.zeros((3, 2)), np.zeros((4, 2))),
        ["q (3, 2)", "qd (4, 2)", "cannot be broadcast"],
    ),
    "a batch given by keyword that does not fit": (
        lambda: cd.body_twists(chain=ARM, q=np.zeros((3, 2)), qd=np.zeros((4, 2))),
        ["q (3, 2)", "qd (4, 2)", "cannot be broadcast"],
    ),
    "a chain that is none": (
        lambda: cd.forward_kinematics([1, 2], [0, 0]),
        ["chain must be a Chain", "[1, 2]"],
    ),
    "a chain left out": (
        lambda: cd.forward_kinematics(None, [0, 0]),
        ["chain must be a Chain", "None"],
    ),
    "a class for a chain": (
        lambda: cd.forward_kinematics(Chain, [0, 0]),
        ["chain must be a Chain", "class"],
    ),
    "q of truth values": (
        lambda: cd.forward_kinematics(ARM, [True, False]),
        ["q must hold numbers", "True"],
    ),
    "q of a set": (lambda: one_link(mass={1}), ["'arm'", "mass must hold numbers", "{1}"]),
    "a state of no chain": (lambda: cd.random_state(None), ["chain must be a Chain", "None"]),
    "a batch of one number": (lambda: cd.random_state(ARM, batch=5), ["batch is 5", "(5,)"]),
    "a negative batch": (lambda: cd.random_state(ARM, batch=(2, -1)), ["batch is (2, -1)"]),
    # options
    "classical a word": (
        lambda: cd.body_accelerations(ARM, [0, 0], [0, 0], [0, 0], classical="no"),
        ["classical is 'no'", "False or True"],
    ),
    "classical an array": (
        lambda: cd.jacobian_dot_qd(ARM, [0, 0], [0, 0], classical=np.ones(2)),
        ["classical is array", "False or True"],
    ),
    "unknown frame": (
        lambda: cd.body_twists(ARM, [0, 0], [0, 0], frame="tool"),
        ["frame is 'tool'", "'body' or 'mixed' or 'world'"],
    ),
    "frame None": (lambda: cd.body_jacobian(ARM, [0, 0], frame=None), ["frame is None", "'world'"]),
    "frame a list": (
        lambda: cd.body_jacobian(ARM, [0, 0], frame=["body"]),
        ["frame is ['body']", "'world'"],
    ),
    "unknown recursion": (
        lambda: cd.body_twists(ARM, [0, 0], [0, 0], recursion="mixed"),
        ["recursion is 'mixed'", "'body' or 'world'"],
    ),
    "unknown body": (
        lambda: cd.body_jacobian(ARM, [0, 0], "hand"),
        ["body is 'hand'", "'upper', 'lower'"],
    ),
    "body out of range": (lambda: cd.body_jacobian(ARM, [0, 0], 2), ["body is 2", "below 2"]),
    "body a fraction": (lambda: cd.body_jacobian(ARM, [0, 0], 1.0), ["body is 1.0"]),
    "body True": (lambda: cd.body_jacobian(ARM, [0, 0], True), ["body is True"]),
    "no body, two leaves": (
        lambda: cd.body_jacobian(FORK, [0, 0]),
        ["body is None", "only leaf", "there are 2", "'left', 'right'"],
    ),
    "no body, two leaves, for a bias": (
        lambda: cd.jacobian_dot_qd(FORK, [0, 0], [0, 0]),
        ["only leaf"],
    ),
    "angle without its axis": (
        lambda: cd.rotation_about([0, 0, 1], 0.5),
        ["angle has shape ()", "(..., 1)"],
    ),
    "angle NaN": (lambda: cd.rotation_about([0, 0, 1], [math.nan]), ["angle[0]", "finite"]),
    # spatial algebra
    "skew of two numbers": (lambda: cd.skew([1, 2]), ["a has shape (2,)", "(..., 3)"]),
    "crm of three": (lambda: cd.crm([1, 2, 3]), ["v has shape (3,)", "(..., 6)"]),
    "crf with NaN": (lambda: cd.crf([1, 2, 3, 4, 5, math.nan]), ["v[5]", "nan"]),
    "X of a vector": (
        lambda: cd.X_motion([1, 0, 0], [0, 0, 0]),
        ["E has shape (3,)", "(..., 3, 3)"],
    ),
    "X_force, r too short": (
        lambda: cd.X_force(np.eye(3), [0, 0]),
        ["r has shape (2,)", "(..., 3)"],
    ),
    "X_motion, E stretched": (
        lambda: cd.X_motion(2 * np.eye(3), [0, 0, 0]),
        ["E is no rotation matrix", "3.0e+00", "orthonormal"],
    ),
    "X_force, E mirrored in a batch": (
        lambda: cd.X_force(np.stack([np.eye(3), -np.eye(3)]), [0, 0, 0]),
        ["E is no rotation matrix", "det R = -1", "right-handed"],
    ),
    "X_inverse of 3x3": (lambda: cd.X_inverse(np.eye(3)), ["X has shape (3, 3)", "(..., 6, 6)"]),
    "batches of E and r": (
        lambda: cd.X_motion(np.stack([np.eye(3)] * 2), np.ones((5, 3))),
        ["E (2, 3, 3)", "r (5, 3)", "broadcast"],
    ),
    "swapping five": (lambda: cd.swap_order(np.ones(5)), ["vector has shape (5,)", "(..., 6)"]),
    "screw without direction": (
        lambda: cd.screw((0, 0, 0), (0, 0, 0)),
        ["direction is [0, 0, 0]", "not be zero"],
    ),
    "screw of infinite pitch": (
        lambda: cd.screw((0, 0, 0), (0, 0, 1), math.inf),
        ["pitch is inf", "finite"],
    ),
    "axis of a translation": (
        lambda: cd.screw_axis([[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 2, 3]]),
        ["[0, 0, 0, 1, 2, 3]", "has no axis"],
    ),
    "axis of a turn too slow to square": (
        lambda: cd.screw_axis([1e-200, 0, 0, 1, 0, 0]),
        ["[1e-200, 0.0,", "or their squares"],
    ),
    "inertia of three numbers": (
        lambda: cd.spatial_inertia(1, (0, 0, 0), (1, 1, 1)),
        ["inertia has shape (3,)", "(..., 3, 3)"],
    ),
    "velocity of a point in the plane": (
        lambda: cd.point_velocity(np.zeros(6), (1, 2)),
        ["point has shape (2,)", "(..., 3)"],
    ),
}


@pytest.mark.parametrize("call, parts", REFUSED.values(), ids=REFUSED)
def test_is_refused(call, parts):
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert not [part for part in parts if part not in message], message


ACCEPTED = {
    "a point mass": lambda: one_link(inertia=np.zeros((3, 3))),
    "a rotation with ten digits": lambda: one_link(
        rotation=[[0.7071067812, -0.7071067812, 0], [0.7071067812, 0.7071067812, 0], [0, 0, 1]]
    ),
    "a thin rod": lambda: one_link(inertia=np.diag([1, 1, 0])),
    "a flat plate": lambda: one_link(inertia=np.diag([1, 2, 3])),
    "a plate turned, with rounding": lambda: one_link(inertia=_turned(np.diag([1.0, 2.0, 3.0]))),
    "no mass": lambda: one_link(mass=0, inertia=np.zeros((3, 3))),
    "rounding of a point mass moved from afar": lambda: one_link(
        com=(0, 0, 0.03), mass=0.526, inertia=-5.4e-20 * np.diag([1, 1, 0])
    ),
    "no state at all": lambda: cd.forward_kinematics(
        Chain([Link(**(GOOD | {"joint": Fixed()}))]), []
    ),
    "a list of integers": lambda: cd.body_twists(ARM, [1, 2], [3, 4]),
    "complex numbers, even NaN": lambda: cd.forward_kinematics(
        ARM, np.array([1j, complex(math.nan)])
    ),
    "an exact axis of length one": lambda: Revolute([Fraction(3, 5), 0, Fraction(4, 5)]),
    "a flag as numpy has it": lambda: cd.body_accelerations(
        ARM, [0, 0], [0, 0], [0, 0], classical=np.True_
    ),
    "a name as numpy has it": lambda: cd.body_jacobian(ARM, [0, 0], np.str_("upper")),
}


def _turned(inertia):
    R = cd.rotation_about(np.array([0.6, 0, 0.8]), np.array([1.0]))
    return R @ inertia @ R.T


@pytest.mark.parametrize("call", ACCEPTED.values(), ids=ACCEPTED)
def test_is_accepted(call):
    call()


@pytest.mark.parametrize(
    ("x", "worst"),
    [
        (-0.1, "-0.1"),
        (1.5, "1.5"),
        ([0.2, 7, -3], "7"),
        ([[0, 1], [1, math.nan]], "nan"),
        (2, "2"),
        (1 + 1e-12, "1.000000000001"),  # and not "1", which does lie between
    ],
)
def test_what_lies_outside_is_told(x, worst):
    with pytest.raises(ValueError) as caught:
        require_between(np.array(x), "share", 0, 1)
    assert str(caught.value) == f"share is {worst}, but must lie between 0 and 1"


def test_the_ends_lie_between_and_so_does_what_cannot_be_judged():
    require_between(np.array([0.0, 0.5, 1.0]), "share", 0, 1)
    require_between(np.array(1), "share", 0, 1)
    require_between(np.zeros((0,)), "share", 0, 1)
    require_between(np.array([2 + 1j]), "share", 0, 1)


def test_symbols_pass_where_only_numbers_could_be_judged():
    sp = pytest.importorskip("sympy")
    m, L = sp.symbols("m L")
    chain = Chain(
        [Link(Revolute((0, 0, m)), -m, (L, 0, 0), m * np.diag([0, 1, 5]), offset=(L, 0, 0))]
    )
    assert chain.mass.tolist() == [-m]


def test_shapes_of_symbols_are_checked_all_the_same():
    sp = pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=r"q has shape \(1,\)"):
        cd.forward_kinematics(ARM, np.array([sp.Symbol("q")]))


def test_the_unchecked_function_stays_in_reach():
    assert np.isnan(cd.skew.__wrapped__(np.full(3, math.nan))).any()


def test_checks_are_made_once_at_the_door():
    """Inside a public function another one is not checked again, and the next call from outside is."""
    seen = []

    @checked(a=3)
    def inner(a):
        seen.append(type(a))
        return a

    @checked(a=3)
    def outer(a):
        return inner([1])  # would be refused at the door

    assert outer([1, 2, 3]) == [1]
    with pytest.raises(ValueError, match="a has shape"):
        inner([1])
    with pytest.raises(ValueError, match="a has shape"):
        outer([1])
    with pytest.raises(ValueError, match="a has shape"):  # an error leaves the door open to checks
        inner([1])


def test_a_failing_function_leaves_the_checks_on():
    @checked(a=3)
    def fails(a):
        raise RuntimeError("inside")

    with pytest.raises(RuntimeError):
        fails([1, 2, 3])
    with pytest.raises(ValueError, match="a has shape"):
        cd.skew([1, 2])


def test_a_wrong_number_of_arguments_is_python_s_own_error():
    with pytest.raises(TypeError):
        cd.skew()
    with pytest.raises(TypeError):
        cd.skew([1, 2, 3], [1, 2, 3])
    with pytest.raises(TypeError):
        cd.skew([1, 2, 3], b=1)
    with pytest.raises(TypeError, match=r"missing .* 'chain'"):
        cd.forward_kinematics(q=[0, 0])


def test_options_are_given_by_keyword_alone():
    with pytest.raises(TypeError, match="positional"):
        cd.body_twists(ARM, [0, 0], [0, 0], "world")
    with pytest.raises(TypeError, match="positional"):
        cd.body_jacobian(ARM, [0, 0], None, "world")


def test_arrays_are_not_cast():
    assert as_array([1, 2], "x").dtype.kind == "i"
    x = np.arange(3.0)
    assert as_array(x, "x") is x


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32])
def test_narrow_integers_give_what_python_s_own_give(kind):
    """In 8 bits -1 is 255, 200 + 200 is 144, and NumPy's cosine has three digits."""
    assert np.array_equal(cd.skew(np.array([1, 2, 3], kind)), cd.skew([1, 2, 3]))
    q, qd = np.array([1, 2], kind), np.array([100, 110], kind)
    assert np.array_equal(cd.body_twists(ARM, q, qd), cd.body_twists(ARM, [1, 2], [100, 110]))
    assert np.array_equal(Revolute(np.array([0, 0, 64], kind)).axis, (0, 0, 1))
    assert Revolute(np.array([0, 0, -128], np.int8)).axis.tolist() == [0, 0, -1]


def test_complex_axes_are_normalised_as_analytic_functions():
    """So that a complex step through an axis gives the derivative of the unit axis."""
    assert Revolute(np.array([0, 0, 2 + 0j])).axis.tolist() == [0, 0, 1]
    axis, change = np.array([1.0, 2.0, 2.0]), np.array([0.3, -0.1, 0.7])
    rate = np.imag(Revolute(axis + 1e-30j * change).axis) / 1e-30
    k = axis / 3
    assert np.abs(rate - (change - k * (k @ change)) / 3).max() < 1e-15


def test_directions_of_jax_are_normalised_too(jax):
    direction = jax.numpy.array([0, 3, 4], dtype="float32")
    for screw in (cd.screw, jax.jit(cd.screw)):
        twist = screw(jax.numpy.zeros(3), direction)
        assert np.abs(np.asarray(twist) - [0, 0.6, 0.8, 0, 0, 0]).max() < 1e-6  # single precision


def test_public_names_are_there_and_sorted():
    assert all(hasattr(cd, name) for name in cd.__all__)
    assert cd.__all__ == sorted(cd.__all__)
