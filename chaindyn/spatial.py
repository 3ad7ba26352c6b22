# Generated from chapters/01_plucker_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: e2b5be37b63c98d83fc07fc96cc739b2b6824e80a6b437b6fcf9330cb833c89a
"""Spatial algebra: six numbers for a motion, six for a force, and the transforms between frames.

Derived in chapter 1, "Plücker coordinates".
"""

from chaindyn._ops import Array, block, concatenate, eye, levi_civita, sqrt
from chaindyn.guards.arguments import unit
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_array, known_values

__all__ = [
    "X_force",
    "X_inverse",
    "X_motion",
    "crf",
    "crm",
    "screw",
    "screw_axis",
    "skew",
    "spatial_inertia",
    "swap_order",
    "swap_order_matrix",
    "wrench",
]


# Chapter 1, "Plücker coordinates": The velocity of a body is a field
@checked(a=3)
def skew(a: Array) -> Array:
    """Return the matrix of the cross product: ``skew(a) @ b`` is a x b.

    a : (..., 3). Returns (..., 3, 3), skew-symmetric.
    """
    return (a @ levi_civita()).reshape((*a.shape[:-1], 3, 3))  # nine entries, row by row


# Chapter 1, "Plücker coordinates": A rotation lives on a line
@checked(point=3, direction=3, pitch=())
def screw(point: Array, direction: Array, pitch: Array = 0) -> Array:
    """Return the unit motion [w; v] about a line: turn by one radian while advancing by
    `pitch`.

    point : (..., 3) any point of the line [m]; direction : (..., 3) along it,
    normalised here (one made of symbols must have length one already); pitch : (...)
    advance [m/rad]; 0 is a pure rotation. Returns (..., 6), angular part first, about
    the origin in which `point` is given. A translation is not of this form: it is [0;
    direction]. ValueError if the direction is zero.
    """
    direction = unit(direction, "direction")
    pitch = as_array(pitch, "pitch")[..., None]
    moment = (skew(point) @ direction[..., None])[..., 0] + pitch * direction
    return concatenate([direction, moment], axis=-1)


# Chapter 1, "Plücker coordinates": A rotation lives on a line
@checked(motion=6)
def screw_axis(motion: Array) -> tuple[Array, Array, Array, Array]:
    """Return a motion's screw: a point of its axis, the direction, the pitch and the
    magnitude.

    motion : (..., 6) [w; v]. Returns the point (..., 3) of the axis nearest the origin
    [m], the direction (..., 3) of length one, the pitch (...) [m/rad] and the magnitude
    (...), |w| [rad/s]: motion = magnitude * screw(point, direction, pitch). For a
    wrench give ``swap_order(f)``. ValueError where w = 0: a translation (for a wrench,
    a couple) has no axis.
    """
    w, v = motion[..., :3], motion[..., 3:]
    square = (w * w).sum(-1, keepdims=True)
    known = known_values(square)
    if known is not None and (known == 0).any():
        first = motion[known[..., 0] == 0][0]
        raise ValueError(
            f"motion {first.tolist()} has no axis: its first three numbers are 0, or "
            f"their squares are"
        )
    point = (skew(w) @ v[..., None])[..., 0] / square
    pitch = (w * v).sum(-1, keepdims=True) / square
    magnitude = sqrt(square)
    return point, w / magnitude, pitch[..., 0], magnitude[..., 0]


# Chapter 1, "Plücker coordinates": Six numbers for a force
@checked(vector=6)
def swap_order(vector: Array) -> Array:
    """Exchange the halves of spatial vectors (..., 6): angular first <-> linear first.
    Its own inverse.
    """
    return concatenate([vector[..., 3:], vector[..., :3]], axis=-1)


@checked(point=3, direction=3, pitch=())
def wrench(point: Array, direction: Array, pitch: Array = 0) -> Array:
    """Return the unit wrench [tau; f] on a line: a force of 1 N with a couple of
    `pitch` about it.

    Arguments as for `screw`; pitch : (...) moment for each newton of force [N m/N].
    Returns (..., 6), moment first, about the origin in which `point` is given. A couple
    alone is not of this form: it is [direction; 0]. ValueError if the direction is
    zero.
    """
    return swap_order(screw(point, direction, pitch))


# Chapter 1, "Plücker coordinates": From one observer to another
@checked(E="rotation", r=3)
def X_motion(E: Array, r: Array) -> Array:
    """Return B_X_A, which takes motion vectors from coordinates A to coordinates B.

    E : (..., 3, 3) takes 3-vectors from A axes to B axes; r : (..., 3) is the origin of
    B seen from A, in A axes [m]. Returns (..., 6, 6) = [E 0; -E r~ E]. "Notes on rigid
    body dynamics", coordinate transformation; Featherstone's ^BX_A.
    """
    return block([[E, 0], [-E @ skew(r), E]])


@checked(E="rotation", r=3)
def X_force(E: Array, r: Array) -> Array:
    """Return B_X*_A, which takes force vectors from coordinates A to coordinates B.

    E, r : as for `X_motion`. Returns (..., 6, 6) = [E -E r~; 0 E], the inverse
    transpose of X_motion.
    """
    return block([[E, -E @ skew(r)], [0, E]])


@checked(X=(6, 6))
def X_inverse(X: Array) -> Array:
    """Return the inverse of a motion or force transform by transposing its 3x3 blocks.

    X : (..., 6, 6), made by `X_motion` or `X_force`, or a product of such. No equation
    is solved.
    """
    top, bottom = X[..., :3, :], X[..., 3:, :]
    return block([[top[..., :3].mT, top[..., 3:].mT], [bottom[..., :3].mT, bottom[..., 3:].mT]])


# Chapter 1, "Plücker coordinates": Vectors that a body carries along
@checked(v=6)
def crm(v: Array) -> Array:
    """Return the spatial cross product matrix on motions: ``crm(v) @ m`` is v x m.

    v : (..., 6) twist [w; v]. Returns (..., 6, 6) = [w~ 0; v~ w~]: the rate of a motion
    vector that is carried along with velocity v. "Notes on rigid body dynamics",
    spatial cross products.
    """
    w, v = skew(v[..., :3]), skew(v[..., 3:])
    return block([[w, 0], [v, w]])


@checked(v=6)
def crf(v: Array) -> Array:
    """Return the spatial cross product matrix on forces: ``crf(v) @ f`` is v x* f.

    v : (..., 6) twist [w; v]. Returns (..., 6, 6) = [w~ v~; 0 w~] = -crm(v)^T: the rate
    of a force vector that is carried along with velocity v. "Notes on rigid body
    dynamics", spatial cross products.
    """
    w, v = skew(v[..., :3]), skew(v[..., 3:])
    return block([[w, v], [0, w]])


# Chapter 1, "Plücker coordinates": The other order
@checked(matrix=(6, 6))
def swap_order_matrix(matrix: Array) -> Array:
    """Exchange the halves of rows and columns of spatial matrices (..., 6, 6). Its own
    inverse.
    """
    columns = concatenate([matrix[..., 3:], matrix[..., :3]], axis=-1)
    return concatenate([columns[..., 3:, :], columns[..., :3, :]], axis=-2)


# Chapter 1, "Plücker coordinates": A first look at inertia
@checked(mass=(), com=3, inertia=(3, 3))
def spatial_inertia(mass: Array, com: Array, inertia: Array) -> Array:
    """Return the spatial inertia about the origin, which maps a twist to a momentum.

    mass : (...) [kg]; com : (..., 3) centre of mass [m]; inertia : (..., 3, 3) about
    the centre of mass, in the axes of `com` [kg m^2]. Values are not checked: a hole is
    a body of negative mass. Returns (..., 6, 6) = [Ic + m c~ c~^T, m c~; m c~^T, m 1].
    "Notes on rigid body dynamics", inertia.
    """
    m = as_array(mass, "mass")[..., None, None]
    c = skew(com)
    return block([[inertia + m * (c @ c.mT), m * c], [m * c.mT, m * eye(3)]])
