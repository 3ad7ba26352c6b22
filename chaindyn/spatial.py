# Generated from chapters/01_plucker_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: 8d06b3a31c15cdbf263d36194cbc15aa95318423f90b7dd5a98207cc66ad73d9
"""Spatial algebra: six numbers for a motion, six for a force, and the transforms between frames.

Derived in chapter 1, "Plücker coordinates".
"""

from chaindyn._ops import Array, block, concatenate, levi_civita, sqrt
from chaindyn.array_types import Array3, Array3x3, Array6, Array6x6, Scalar
from chaindyn.guards.arguments import require_axis, unit
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_array, without_precision

__all__ = [
    "X_force",
    "X_inverse",
    "X_motion",
    "crf",
    "crm",
    "screw",
    "screw_axis",
    "skew",
    "swap_order",
    "swap_order_matrix",
    "wrench",
]


# Chapter 1, "Plücker coordinates": The velocity of a body is a field
@checked(a=3)
def skew(a: Array3) -> Array3x3:
    """Return the matrix of the cross product: ``skew(a) @ b`` is a x b.

    a : (..., 3). Returns (..., 3, 3), skew-symmetric.

    >>> skew(np.array([1, 0, 0])) @ np.array([0, 1, 0])
    array([0, 0, 1])
    """
    return (a @ levi_civita()).reshape((*a.shape[:-1], 3, 3))


# Chapter 1, "Plücker coordinates": A rotation lives on a line
def cross(a: Array, b: Array) -> Array:
    """Return a x b (..., 3)."""
    return (skew(a) @ b[..., None])[..., 0]


@checked(point=3, direction=3, pitch=())
def screw(point: Array3, direction: Array3, pitch: Scalar = 0) -> Array6:
    """Return the unit motion [w; v] about a line: turn by one radian while advancing by
    `pitch`.

    point : (..., 3) any point of the line [m]; direction : (..., 3) along it,
    normalised here (one made of symbols must have length one already); pitch : (...)
    advance [m/rad]; 0 is a pure rotation. Returns (..., 6), angular part first, about
    the origin in which `point` is given. A translation is not of this form: it is [0;
    direction]. ValueError if the direction is zero.

    >>> screw(point=(1, 0, 0), direction=(0, 0, 1), pitch=0.1)
    array([ 0. ,  0. ,  1. ,  0. , -1. ,  0.1])
    """
    direction = unit(direction, "direction")
    pitch = without_precision(pitch, as_array(pitch, "pitch")[..., None])
    moment = cross(point, direction) + pitch * direction
    return concatenate([direction, moment], axis=-1)


# Chapter 1, "Plücker coordinates": A rotation lives on a line
@checked(motion=6)
def screw_axis(motion: Array6) -> tuple[Array3, Array3, Scalar, Scalar]:
    """Return a motion's screw: a point of its axis, the direction, the pitch and the
    magnitude.

    motion : (..., 6) [w; v]. Returns the point (..., 3) of the axis nearest the origin
    [m], the direction (..., 3) of length one, the pitch (...) [m/rad] and the magnitude
    (...), |w| [rad/s]: motion = magnitude * screw(point, direction, pitch). For a
    wrench give ``swap_order(f)``. ValueError where w = 0: a translation (for a wrench,
    a couple) has no axis.

    >>> point, direction, pitch, size = screw_axis(np.array([0, 0, 2, 0, -2, 0.2]))
    >>> point + 0.0, direction + 0.0
    (array([1., 0., 0.]), array([0., 0., 1.]))
    >>> round(float(pitch), 9), round(float(size), 9)
    (0.1, 2.0)
    """
    w, v = motion[..., :3], motion[..., 3:]
    square = (w * w).sum(-1, keepdims=True)
    require_axis(motion, square)
    point, pitch = cross(w, v) / square, (w * v).sum(-1, keepdims=True) / square
    magnitude = sqrt(square)
    return point, w / magnitude, pitch[..., 0], magnitude[..., 0]


# Chapter 1, "Plücker coordinates": Six numbers for a force
@checked(vector=6)
def swap_order(vector: Array6) -> Array6:
    """Exchange the halves of a spatial vector (..., 6): angular first <-> linear first.
    Its own inverse.

    >>> swap_order(np.array([1, 2, 3, 4, 5, 6]))
    array([4, 5, 6, 1, 2, 3])
    """
    return concatenate([vector[..., 3:], vector[..., :3]], axis=-1)


@checked(point=3, direction=3, pitch=())
def wrench(point: Array3, direction: Array3, pitch: Scalar = 0) -> Array6:
    """Return the unit wrench [tau; f] on a line: a force of 1 N with a couple of
    `pitch` about it.

    Arguments as for `screw`; pitch : (...) moment for each newton of force [N m/N].
    Returns (..., 6), moment first, about the origin in which `point` is given. A couple
    alone is not of this form: it is [direction; 0]. ValueError if the direction is
    zero.

    >>> wrench(point=(2, 0, 0), direction=(0, 0, 1))
    array([ 0, -2,  0,  0,  0,  1])
    """
    return swap_order(screw(point, direction, pitch))


# Chapter 1, "Plücker coordinates": From one observer to another
@checked(E="rotation", r=3)
def X_motion(E: Array3x3, r: Array3) -> Array6x6:
    """Return B_X_A, which takes motion vectors from coordinates A to coordinates B.

    E : (..., 3, 3) takes 3-vectors from A axes to B axes; r : (..., 3) is the origin of
    B seen from A, in A axes [m]. Returns (..., 6, 6) = [E 0; -E r~ E]. "Notes on rigid
    body dynamics", coordinate transformation; Featherstone's ^BX_A.

    >>> X = X_motion(np.eye(3), np.array([1, 0, 0]))
    >>> X @ np.array([0, 0, 1, 0, 0, 0])
    array([0., 0., 1., 0., 1., 0.])
    """
    return block([[E, 0], [-E @ skew(r), E]])


@checked(E="rotation", r=3)
def X_force(E: Array3x3, r: Array3) -> Array6x6:
    """Return B_X*_A, which takes force vectors from coordinates A to coordinates B.

    E, r : as for `X_motion`. Returns (..., 6, 6) = [E -E r~; 0 E], the inverse
    transpose of X_motion.

    >>> X = X_force(np.eye(3), np.array([1, 0, 0]))
    >>> X @ np.array([0, 0, 0, 0, 0, 1])
    array([0., 1., 0., 0., 0., 1.])
    """
    return block([[E, -E @ skew(r)], [0, E]])


@checked(X=(6, 6))
def X_inverse(X: Array6x6) -> Array6x6:
    """Return the inverse of a motion or force transform by transposing its 3x3 blocks.

    X : (..., 6, 6), made by `X_motion` or `X_force`, or a product of such. No equation
    is solved.

    >>> X = X_motion(np.eye(3), np.array([1, 0, 0]))
    >>> X_inverse(X) @ X
    array([[1., 0., 0., 0., 0., 0.],
           [0., 1., 0., 0., 0., 0.],
           [0., 0., 1., 0., 0., 0.],
           [0., 0., 0., 1., 0., 0.],
           [0., 0., 0., 0., 1., 0.],
           [0., 0., 0., 0., 0., 1.]])
    """
    top, bottom = X[..., :3, :], X[..., 3:, :]
    return block([[top[..., :3].mT, top[..., 3:].mT], [bottom[..., :3].mT, bottom[..., 3:].mT]])


# Chapter 1, "Plücker coordinates": Vectors that a body carries along*
@checked(v=6)
def crm(v: Array6) -> Array6x6:
    """Return the spatial cross product matrix on motions: ``crm(v) @ m`` is v x m.

    v : (..., 6) twist [w; v]. Returns (..., 6, 6) = [w~ 0; v~ w~]: the rate of a motion
    vector that is carried along with velocity v. "Notes on rigid body dynamics",
    spatial cross products.

    >>> turn_z, slide_x = np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0])
    >>> crm(turn_z) @ slide_x
    array([0, 0, 0, 0, 1, 0])
    """
    w, v = skew(v[..., :3]), skew(v[..., 3:])
    return block([[w, 0], [v, w]])


@checked(v=6)
def crf(v: Array6) -> Array6x6:
    """Return the spatial cross product matrix on forces: ``crf(v) @ f`` is v x* f.

    v : (..., 6) twist [w; v]. Returns (..., 6, 6) = [w~ v~; 0 w~] = -crm(v)^T: the rate
    of a force vector that is carried along with velocity v. "Notes on rigid body
    dynamics", spatial cross products.

    >>> slide_x, force_y = np.array([0, 0, 0, 1, 0, 0]), np.array([0, 0, 0, 0, 1, 0])
    >>> crf(slide_x) @ force_y
    array([0, 0, 1, 0, 0, 0])
    """
    w, v = skew(v[..., :3]), skew(v[..., 3:])
    return block([[w, v], [0, w]])


# Chapter 1, "Plücker coordinates": The other order*
@checked(matrix=(6, 6))
def swap_order_matrix(matrix: Array6x6) -> Array6x6:
    """Exchange the halves of rows and columns of a spatial matrix (..., 6, 6). Its own
    inverse.

    >>> I = spatial_inertia(2, np.zeros(3), np.eye(3))
    >>> swap_order_matrix(I).diagonal()
    array([2., 2., 2., 1., 1., 1.])
    """
    columns = concatenate([matrix[..., 3:], matrix[..., :3]], axis=-1)
    return concatenate([columns[..., 3:, :], columns[..., :3, :]], axis=-2)
