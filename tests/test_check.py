"""Bad input: each is refused with a ValueError that says what, where, and what would be right."""

import math
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import chaindyn as cd
from chaindyn import Chain, Fixed, Link, Prismatic, Revolute
from chaindyn.guards.arguments import check_motion_subspace, require_between, require_positive
from chaindyn.guards.door import are_numbers, checked
from chaindyn.guards.numbers import as_array, known_values, require_finite

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
    "an array for a parent": (
        lambda: Chain([Link(**GOOD, name="a"), Link(**GOOD, name="b", parent=np.array([0, 1]))]),
        ["link 1 ('b')", "parent array([0, 1])", "earlier link"],
    ),
    "an array of one for a parent": (
        lambda: Chain([Link(**GOOD, name="a"), Link(**GOOD, name="b", parent=np.array(0))]),
        ["link 1 ('b')", "parent array(0)", "earlier link"],
    ),
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
    # numbers of kinds that were not judged, or not computed with
    "a negative mass among objects": (
        lambda: one_link(mass=np.array(-1.5, object)),
        ["'arm'", "mass is -1.5", "not be negative"],
    ),
    "a negative mass as a fraction": (
        lambda: one_link(mass=Fraction(-3, 2)),
        ["'arm'", "mass is -1.5", "not be negative"],
    ),
    "an inertia of no body among objects": (
        lambda: one_link(inertia=np.diag([1.0, 1.0, 3.0]).astype(object)),
        ["'arm'", "triangle inequality", "1, 1 and 3"],
    ),
    "an inertia not symmetric, of fractions": (
        lambda: one_link(inertia=np.array([[1, Fraction(1, 2), 0], [0, 1, 0], [0, 0, 1]], object)),
        ["'arm'", "not symmetric"],
    ),
    "an inertia not symmetric in single precision": (
        lambda: one_link(inertia=np.float32([[1, 1e-5, 0], [0, 1, 0], [0, 0, 1]])),
        ["'arm'", "not symmetric"],
    ),
    "a rotation stretched among objects": (
        lambda: cd.X_motion((2 * np.eye(3)).astype(object), [0, 0, 0]),
        ["E is no rotation matrix", "3.0e+00"],
    ),
    "a rotation stretched in single precision": (
        lambda: cd.log_so3((1 + 1e-5) * np.eye(3, dtype=np.float32)),
        ["R is no rotation matrix", "2.0e-05", "to 4e-6"],
    ),
    "parallel axes among objects": (
        lambda: cd.Universal(np.array([0, 0, 1], object), [0, 0, 1]),
        ["of a universal joint are parallel"],
    ),
    "a direction of zero among objects": (
        lambda: cd.screw((0, 0, 0), np.array([0, 0.0, 0], object)),
        ["direction is [0, 0.0, 0]", "not be zero"],
    ),
    "NaN among objects": (
        lambda: cd.forward_kinematics(ARM, np.array([0, math.nan], object)),
        ["q[1]", "'lower'", "is nan", "finite"],
    ),
    "a type for a number": (
        lambda: strike(restitution=float),
        ["restitution must hold numbers", "class 'float'"],
    ),
    "a simulation compiled by an array": (
        lambda: cd.simulate(ARM, [0, 0], [0, 0], t=[0, 1], compiled=np.zeros(2)),
        ["compiled is array([0., 0.])", "False or True"],
    ),
    "a simulation compiled by a word": (
        lambda: cd.simulate(ARM, [0, 0], [0, 0], t=[0, 1], compiled="no"),
        ["compiled is 'no'", "False or True"],
    ),
    "derivatives of an array": (
        lambda: cd.compiled(cd.aba, ARM, derivatives=np.zeros(2)),
        ["derivatives is array([0., 0.])", "False or True"],
    ),
    "an array without axes for links": (
        lambda: Chain(np.array(1.0)),
        ["links is array(1.)", "must be a sequence of Link"],
    ),
    "an array without axes for frames": (
        lambda: Chain([Link(**GOOD)], frames=np.array(1.0)),
        ["frames is array(1.)", "must be a sequence of Frame"],
    ),
    "an array without axes for geometries": (
        lambda: cd.find_contacts(ARM, np.array(1.0), [0, 0]),
        ["geometries is a ndarray", "must be a list of Geometry"],
    ),
    "an array without axes for contacts": (
        lambda: cd.resting_contact(ARM, [0, 0], [0, 0], [0, 0], np.array(1.0)),
        ["contacts is array(1.)", "must be a list of contacts"],
    ),
    "an array without axes for states": (
        lambda: cd.sweep(cd.crba, ARM, np.array(1.0), progress=False),
        ["states is one number", "first axis"],
    ),
    "infinity among objects": (
        lambda: cd.skew(np.array([1, -math.inf, Fraction(1, 2)], object)),
        ["a[1] is -inf", "finite"],
    ),
    "a quaternion off the sphere among objects": (
        lambda: cd.forward_kinematics(BALL, np.array([1, 0, 0, 0.1], object)),
        ["quaternion of link 'ball'", "length 1.00499"],
    ),
    "restitution above one among objects": (
        lambda: strike(restitution=np.array(1.5, object)),
        ["restitution is 1.5", "between 0 and 1"],
    ),
    "restitution in single precision among objects": (
        lambda: strike(restitution=np.array(np.float32(-0.5), object)),
        ["restitution is -0.5", "between 0 and 1"],
    ),
    "a turn of nothing among objects": (
        lambda: cd.log_quaternion(np.zeros(4, int).astype(object)),
        ["quaternion is [0, 0, 0, 0]"],
    ),
    "axis of a translation among objects": (
        lambda: cd.screw_axis(np.array([0, 0, 0, 1, 2, 3], object)),
        ["[0, 0, 0, 1, 2, 3]", "has no axis"],
    ),
    "a turn whose square overflows": (
        lambda: cd.exp_so3([0, 1e160, 0]),
        ["exp_so3 overflows", "w[1]", "is 1e+160"],
    ),
    "a posture whose inertia overflows": (
        lambda: cd.crba(Chain([Link(**GOOD), Link(**GOOD, offset=(1e200, 0, 0))]), [0, 0]),
        ["crba overflows", "the chain's offset[1, 0]", "is 1e+200"],
    ),
    "a turn whose square overflows in single precision": (
        lambda: cd.exp_so3(np.float32([0, 0, 1e30])),
        ["exp_so3 overflows", "w[2]", "is 1e+30"],
    ),
    "a large system that overflows": (
        lambda: cd.solve_full_system(ARM, [0, 0], [1e160, 0], [0, 0]),
        ["the equations overflow", "too large"],
    ),
    "long doubles where a library takes doubles": (
        lambda: cd.solve_full_system(one_link(mass=np.longdouble(1)), [0], [0], [0]),
        ["solve_full_system computes in double precision", "mass", "floats"],
    ),
    "fractions where a library takes doubles": (
        lambda: cd.maximal_coordinate_dynamics(one_link(mass=Fraction(1, 2)), [0], [0], [0]),
        ["maximal_coordinate_dynamics computes in double precision", "mass", "not Fraction"],
    ),
    "a contact between fractions": (
        lambda: cd.resting_contact(one_link(mass=Fraction(1, 2)), [0], [0], [0], []),
        ["resting_contact computes in double precision", "mass", "not Fraction"],
    ),
    "a blow between fractions": (
        lambda: cd.collision_impulses(
            one_link(com=np.longdouble([0, 0, 1])), [0], [0], [], restitution=0
        ),
        ["collision_impulses computes in double precision", "com"],
    ),
    "no base parameters": (
        lambda: cd.fit_bodies(ARM, None, None),
        ["base is None", "what base_parameters returns"],
    ),
    "no fit": (
        lambda: cd.fit_bodies(ARM, cd.base_parameters(ARM), None),
        ["fit is None", "what fit_linear returns"],
    ),
    "a ragged regressor": (
        lambda: cd.fit_linear([[[1.0], [1.0, 2.0]]], [[1.0]]),
        ["regressor is not an array", "differ in length"],
    ),
    "a regressor whose squares overflow": (
        lambda: cd.fit_linear(1e300 * np.ones((9, 1, 1)), np.arange(9.0)[:, None]),
        ["the equations overflow"],
    ),
    "forces whose squares overflow": (
        lambda: cd.fit_linear(np.ones((9, 1, 1)), 1e300 * np.arange(9.0)[:, None]),
        ["the equations overflow"],
    ),
    "a hull that is too far away": (
        lambda: cd.ConvexHull(1e15 + np.eye(4)[:, :3]).core,
        ["ConvexHull.points", "too far away"],
    ),
    "a box whose distance overflows": (
        lambda: cd.distance(
            cd.Box((1e300, 1, 1)),
            (np.eye(3), np.zeros(3)),
            cd.Sphere(1),
            (np.eye(3), np.array([0, 0, 1e300])),
        ),
        ["distance overflows"],
    ),
    "a masked entry": (
        lambda: cd.crba(ARM, np.ma.array([0.1, 99], mask=[0, 1])),
        ["q holds 1 masked entry", "without a value", "fill"],
    ),
    "a masked entry, with no word of which": (
        lambda: cd.skew(np.ma.array([1, 2, 3], mask=True)),
        ["a holds 3 masked entries"],
    ),
    "masked rows in a list": (
        lambda: cd.skew([np.ma.array([1.0, 2, 3]), np.ma.array([4.0, 5, 6], mask=[0, 1, 0])]),
        ["a holds 1 masked entry"],
    ),
    "booleans of which one is masked": (
        lambda: cd.hybrid_dynamics(
            ARM,
            *np.zeros((2, 2)),
            prescribed=np.ma.array([1, 0], bool, mask=[0, 1]),
            qdd=[0],
            tau=[0],
        ),
        ["prescribed holds 1 masked entry"],
    ),
    "a mass that is masked": (
        lambda: one_link(mass=np.ma.array(2.0, mask=True)),
        ["'arm'", "mass holds 1 masked entry"],
    ),
    "half precision": (
        lambda: cd.skew(np.ones(3, np.float16)),
        ["a is of type float16", "three digits", "float32 or float64"],
    ),
    "a negative mass as NumPy's own number": (
        lambda: one_link(mass=np.float64(-1.5)),
        ["'arm'", "mass is -1.5", "not be negative"],
    ),
    "restitution as NumPy's own number": (
        lambda: strike(restitution=np.float64(1.5)),
        ["restitution is 1.5", "between 0 and 1"],
    ),
    "a mass in half precision": (
        lambda: one_link(mass=np.float16(1)),
        ["'arm'", "mass is of type float16"],
    ),
    "an integer too large for a float": (
        lambda: cd.skew([10**400, 0, 0]),
        ["a holds a number too large for a float"],
    ),
    "an integer too large for a float beside one": (
        lambda: cd.skew([10**400, 0.5, 0]),
        ["a holds a number too large for a float"],
    ),
    "an integer too large for a float among objects": (
        lambda: cd.skew(np.array([10**400, 0, 0], object)),
        ["a holds a number too large for a float"],
    ),
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


BALL = Chain([Link(**(GOOD | {"joint": cd.Spherical()}), name="ball")])


def strike(**changes):
    """Strike the end of a rod that turns about its other end."""
    options = {"point": (1, 0, 0), "normal": (0, -1.0, 0), "restitution": 0}
    chain = Chain([Link(Revolute(), 1, (1, 0, 0), np.zeros((3, 3)))])
    return cd.impact(chain, [0.0], [1.0], **(options | changes))


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
    "a flat plate turned in single precision": lambda: one_link(
        inertia=_turned(np.diag([1.0, 2.0, 3.0])).astype(np.float32)
    ),
    "fractions that a body may have": lambda: one_link(
        mass=Fraction(1, 2), inertia=np.diag([Fraction(1, 3)] * 3)
    ),
    "no mass": lambda: one_link(mass=0, inertia=np.zeros((3, 3))),
    "rounding of a point mass moved from afar": lambda: one_link(
        com=(0, 0, 0.03), mass=0.526, inertia=-5.4e-20 * np.diag([1, 1, 0])
    ),
    "no state at all": lambda: cd.forward_kinematics(
        Chain([Link(**(GOOD | {"joint": Fixed()}))]), []
    ),
    "a list of integers": lambda: cd.body_twists(ARM, [1, 2], [3, 4]),
    "complex numbers": lambda: cd.forward_kinematics(ARM, np.array([1j, 2 - 1j])),
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


@pytest.mark.parametrize("normal", [[0, -2.0, 0], [0, np.float32(-2), 0]])
def test_a_normal_among_objects_is_normalised_like_floats(normal):
    assert strike(normal=np.array(normal, object)).impulse == strike(normal=(0, -1.0, 0)).impulse


def test_directions_of_floats_among_objects_are_normalised():
    for size in (1e-200, 3.0, 1e200):
        axis = Revolute(np.array([0.6 * size, 0, 0.8 * size], object)).axis
        assert axis.dtype == object
        assert np.abs(axis.astype(float) - [0.6, 0, 0.8]).max() <= 4e-16
    both = Revolute(np.array([[0, 0, 2.0], [1, 0, 0]], object)).axis
    assert both.tolist() == [[0, 0, 1], [1, 0, 0]] and isinstance(both[1, 0], int)
    assert Revolute(np.array([0.6, 0, 0.8], object)).axis.tolist() == [0.6, 0, 0.8]  # to the bit
    assert Revolute(np.zeros((0, 3), object)).axis.shape == (0, 3)


def test_values_are_those_of_real_numbers():
    sp = pytest.importorskip("sympy")
    for known in ([1, Fraction(1, 2)], [1.5, np.float32(2)], [sp.Rational(1, 2), 3]):
        x = known_values(np.array(known, object))
        assert x.dtype == float and x.tolist() == [float(e) for e in known]
    assert known_values(np.array([sp.Symbol("x"), 1.0], object)) is None
    assert known_values(np.array([1j])) is None and known_values(1.0) is None
    assert known_values(np.array([1.5], np.longdouble)).dtype == float
    single = np.ones(2, np.float32)
    assert known_values(single) is single


def test_numbers_among_symbols_are_judged_too():
    sp = pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=r"x\[1\] is nan"):
        require_finite(np.array([sp.Symbol("x"), math.nan], object), "x")
    with pytest.raises(ValueError, match=r"x\[1\] is 0, but must be positive"):
        require_positive(np.array([sp.Symbol("x"), 0], object), "x")
    require_positive(np.array([sp.Symbol("x"), 1e-300], object), "x")
    with pytest.raises(ValueError, match=r"share is 2, but"):
        require_between(np.array([sp.Symbol("x"), np.float32(2)], object), "share", 0, 1)


# Subspaces of motion ----------------------------------------------------------------------------

SKEWED = np.random.default_rng(5).normal(size=(4, 6, 3))


@pytest.mark.parametrize(
    ("S", "parts"),
    [
        (np.ones(6), ["S has shape (6,)", "(..., 6, k)"]),
        (np.ones((5, 1)), ["S has shape (5, 1)", "(..., 6, k)"]),
        ([[math.nan]] * 6, ["S[0, 0] is nan"]),
        (np.eye(6)[:, :2] * [1, 0], ["column 1 of S is zero"]),
        (np.zeros((2, 6, 1)), ["column 0 of S is zero"]),
        (np.zeros((6, 1), object), ["column 0 of S is zero"]),
        (np.ones((6, 2)), ["columns of S depend on each other", "of 2 motions, 1 are independent"]),
        (np.ones((6, 2)) * [1e-200, 1e200], ["depend on each other"]),
        (np.random.default_rng(6).normal(size=(6, 7)), ["depend", "of 7 motions, 6 are"]),
        (SKEWED @ np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]]), ["of 3 motions, 2 are"]),
        (SKEWED * np.array([1, 1, 0])[[[0], [1], [1], [2]]][..., None], ["column"]),
        (np.array([[Fraction(1, 3), 1]] * 6), ["depend on each other"]),
    ],
)
def test_a_motion_subspace_that_is_none_is_refused(S, parts):
    with pytest.raises(ValueError) as caught:
        check_motion_subspace(S)
    message = str(caught.value)
    assert not [part for part in parts if part not in message], message


def test_a_motion_subspace_may_have_any_units_and_numbers():
    sp = pytest.importorskip("sympy")
    for S in (
        np.eye(6),
        np.zeros((6, 0)),
        np.zeros((0, 6, 2)),
        SKEWED * [1e-200, 1, 1e200],
        SKEWED.astype(np.float32),
        SKEWED.astype(np.longdouble),
        SKEWED.astype(object),
        np.array([[sp.Symbol("x")]] * 6, object),
        SKEWED + 0j,
    ):
        assert check_motion_subspace(S, "N") is S
    nearly = np.eye(6)[:, [0, 0]] + 1e-9 * np.eye(6)[:, [1, 2]]  # a well made screw pair
    assert check_motion_subspace(nearly) is nearly
    with pytest.raises(ValueError, match="columns of N depend"):
        check_motion_subspace(np.ones((6, 2)), "N")


# Once at the door -------------------------------------------------------------------------------


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


def test_an_interrupt_leaves_the_checks_on_wherever_it_strikes():
    """A KeyboardInterrupt before every instruction of the door, one after another."""
    previous, door = sys.gettrace(), cd.skew.__code__

    def interrupted(k):
        count = 0

        def trace(frame, event, arg):
            nonlocal count
            if frame.f_code is not door:
                return None
            frame.f_trace_opcodes = True
            count += 1
            if count == k:
                raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            cd.crm([1, 2, 3, 4, 5, 6])  # calls `skew`, by the door too
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(previous)
        return False

    k = 1
    while interrupted(k):
        with pytest.raises(ValueError, match="a has shape"):
            cd.skew([1, 2])
        k += 1
    assert k > 100


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
        cd.body_twists(ARM, [0, 0], [0, 0], None, "world")
    with pytest.raises(TypeError, match="positional"):
        cd.body_jacobian(ARM, [0, 0], None, "world")


def test_arrays_are_not_cast():
    assert as_array([1, 2], "x").dtype.kind == "i"
    for kind in (np.float32, np.float64, np.longdouble, np.complex64, np.complex128):
        x = np.arange(3).astype(kind)
        assert as_array(x, "x") is x
    fractions = np.array([Fraction(1, 3), 10**30], object)
    assert as_array(fractions, "x") is fractions
    assert as_array([Fraction(1, 3), 2], "x").tolist() == [Fraction(1, 3), 2]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_result_is_asked_for_infinity_and_nan_in_every_part():
    """Of a blow where nothing moves the effective mass is infinite, but never NaN."""
    blow = strike(point=(0, 0, 0))
    assert blow.effective_mass == math.inf and are_numbers(blow)
    for part, bad in (
        ("effective_mass", math.nan),
        ("impulse", math.inf),
        ("qd_jump", np.array([math.nan])),
    ):
        assert not are_numbers(replace(blow, **{part: bad}))
    big = np.full((200, 3), 1e200)
    for x in (
        1.0,
        big,
        big.T,
        np.float32(1),
        1j * math.inf,
        np.array([1, math.inf], object),
        "inf",
        None,
    ):
        assert are_numbers(x) and are_numbers((1, [2], x, ARM))
    for x in (math.nan, np.float32(math.inf), big * big):
        assert not are_numbers(x) and not are_numbers((1, x))
    for k in (0, 599):
        wrong = np.ones((200, 3))
        wrong.flat[k] = math.nan
        assert not are_numbers(wrong) and not are_numbers(wrong.T) and not are_numbers(wrong[::-1])


def test_an_array_with_nothing_masked_is_one():
    whole = np.ma.array([0.1, 0.2], mask=[0, 0])
    for given in (whole, np.ma.array([0.1, 0.2]), [whole[0], whole[1]]):
        assert type(as_array(given, "q")) is np.ndarray
        assert np.array_equal(cd.crba(ARM, given), cd.crba(ARM, [0.1, 0.2]))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32, np.uint64])
def test_narrow_integers_give_what_python_s_own_give(kind):
    """In 8 bits -1 is 255, 200 + 200 is 144, and NumPy's cosine has three digits."""
    assert np.array_equal(cd.skew(np.array([1, 2, 3], kind)), cd.skew([1, 2, 3]))
    q, qd = np.array([1, 2], kind), np.array([100, 110], kind)
    assert np.array_equal(cd.body_twists(ARM, q, qd), cd.body_twists(ARM, [1, 2], [100, 110]))
    assert np.array_equal(Revolute(np.array([0, 0, 64], kind)).axis, (0, 0, 1))
    assert Revolute(np.array([0, 0, -128], np.int8)).axis.tolist() == [0, 0, -1]


@pytest.mark.parametrize("x", [1025, -1025, 2**31, 2**62, 2**63, 2**70])
def test_large_integers_become_floats_where_products_would_be_cut(x):
    assert as_array([x, 0], "x").dtype == float
    assert as_array([x, 0], "x").tolist() == [x, 0]
    assert as_array([1024, -1024], "x").dtype.kind == "i"
    if x >= 2**63:
        assert as_array(np.array([2**63 + 2**12], np.uint64), "x").tolist() == [2**63 + 2**12]


def test_integers_never_wrap():
    assert np.array_equal(cd.exp_so3([2**32, 0, 0]), cd.exp_so3([2.0**32, 0, 0]))
    assert np.array_equal(cd.skew(np.array([2**63, 1, 2], np.uint64)), cd.skew([2.0**63, 1, 2]))
    joints = (cd.Prismatic((1, 0, 0)), Revolute((0, 1, 0)))
    for number in (int, np.int8, float):  # of a mass in grams, at millimetres, of micrograms
        scale = 10**6 if number is int else 100
        data = {
            "mass": scale,
            "com": (0, 0, 10 * scale if number is int else scale),
            "inertia": np.diag([scale] * 3),
            "offset": (scale, 0, scale),
        }
        whole = {name: np.array(x).astype(number) for name, x in data.items()}
        real = {name: np.array(x).astype(float) for name, x in data.items()}
        chains = [Chain([Link(joint, **kind) for joint in joints]) for kind in (whole, real)]
        M, expected = (cd.crba(chain, np.array([3, 0], int)) for chain in chains)
        assert np.array_equal(M, expected)
        p, expected = (cd.forward_kinematics(chain, [3, 0])[1] for chain in chains)
        assert np.array_equal(p, expected)
    far = Chain([Link(cd.Prismatic((1, 0, 0)), 3 * 10**9, (0, 0, 0), np.zeros((3, 3), int))])
    assert cd.rnea(far, [0], [0], [4 * 10**9]).tolist() == [3e9 * 4e9]


def test_integers_of_jax_do_not_wrap(jax):
    small = jax.numpy.array([2**20, 0, 0], dtype="int32")
    assert np.array_equal(np.asarray(cd.exp_so3(small)), np.asarray(cd.exp_so3(small * 1.0)))
    assert np.array_equal(np.asarray(jax.jit(cd.exp_so3)(small)), np.asarray(cd.exp_so3(small)))


@pytest.mark.parametrize("kind", [np.float32, np.longdouble, np.complex64])
def test_floats_are_computed_with_in_their_own_precision(kind):
    """What is made of arrays alone has their precision, and passes the checks of what it is given to."""
    w, v = np.array([0.3, -0.5, 0.2]).astype(kind), np.arange(1, 7).astype(kind)
    I = np.diag([1, 2, 3, 4, 4, 4]).astype(kind)
    R, p = cd.exp_se3(v / 5)
    q = cd.exp_quaternion(w)
    results = [
        R, p, q, cd.skew(w), cd.crm(v), cd.crf(v), cd.X_motion(R, p), cd.X_force(R, p), cd.Ad(R, p),
        cd.log_so3(R), cd.log_se3(R, p), cd.log_quaternion(q), cd.rotation_from_quaternion(q),
        cd.quaternion_from_rotation(R), cd.left_jacobian_so3(w), cd.screw(w, w, w[0]), cd.newton_euler(I, v, v),
        cd.pseudo_inertia(I), cd.inertia_rate(I, v), cd.apparent_inverse_inertia(I, I[:, :2]),
        cd.spatial_inertia(I[0, 0], w, I[:3, :3]), cd.quaternion_product(q, q), cd.X_inverse(cd.Ad(R, p)),
        cd.rotation_about(w / np.sqrt((w * w).sum()), w[:1]), *cd.screw_axis(v),
    ]  # fmt: skip
    assert {x.dtype for x in results} == {np.dtype(kind)}
    one_link(rotation=R.real, mass=kind(1).real, inertia=I[:3, :3].real)


def test_axes_cannot_be_changed_after_they_were_checked():
    given = np.array([0.0, 0.0, 1.0])
    for axis in (given, (0, 0, 2), given.astype(object), 2 * given, 1j * given):
        joint = Revolute(axis)
        with pytest.raises(ValueError, match="read-only"):
            joint.axis[0] = 7
        with pytest.raises(ValueError, match="read-only"):  # the same for every posture
            joint.motion_subspace(np.zeros(1))[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        cd.Universal().second[0] = 7
    joint = Revolute(given)
    given[0] = 7  # the caller's own array can be written
    assert joint.axis.tolist() == [0, 0, 1]


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


def test_public_names_are_there_and_listed_once():
    """Their order is the linter's affair."""
    assert all(hasattr(cd, name) for name in cd.__all__)
    assert len(set(cd.__all__)) == len(cd.__all__)
