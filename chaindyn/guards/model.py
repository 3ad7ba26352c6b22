"""What a chain is made of: links, joints, frames, drives, and the numbers of a whole chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from chaindyn.guards.arguments import check_array, is_several, require_rotation
from chaindyn.guards.bodies import is_index
from chaindyn.guards.numbers import (
    as_array,
    as_real,
    at_least_rounding,
    first_wrong,
    known_values,
    may_be_nonzero,
    read_only,
    require_finite,
)

# what every joint offers, most of it inherited from `chaindyn.Joint`
JOINT = (
    "nq",
    "nv",
    "quaternion",
    "neutral",
    "pose",
    "motion_subspace",
    "motion_subspace_rate",
    "motion_subspace_second_rate",
    "turns",
    "constraint_subspace",
    "rate",
    "integrate",
    "difference",
    "random",
)


# the shapes of what joints are made of, where one object stands for one joint
PARAMETERS: dict[str, tuple[int, ...]] = {
    "axis": (3,),
    "first": (3,),
    "second": (3,),
    "normal": (3,),
    "pitch": (),
}


# of a hull: by so many a ball keeps two thirds of its radius
FEWEST_CORNERS = 12

InertiaRule = Literal["strict", "warn"]
INERTIA_RULES: set[str] = set(get_args(InertiaRule))


# what a chain multiplies, and what of a result is infinite where a contact cannot move
NUMBERS_OF_A_CHAIN = (
    "mass",
    "com",
    "inertia",
    "offset",
    "rotation",
    "gravity",
    "reflected_inertia",
)


def check_limits(link: Any, label: str) -> None:
    """Refuse limits with other numbers than the joint's, a lower one above the upper one, or a size below zero."""
    limits, joint = link.limits, link.joint
    if limits is None:
        return
    if not hasattr(limits, "velocity") or isinstance(limits, type):
        raise ValueError(f"{label}: limits is {limits!r}, but must be Limits")
    known: dict[str, np.ndarray] = {}
    for name, size in (
        ("lower", joint.nq),
        ("upper", joint.nq),
        ("velocity", joint.nv),
        ("effort", joint.nv),
    ):
        value = as_array(getattr(limits, name), f"{label}: {name} limit")
        if value.shape not in ((), (size,)):
            raise ValueError(
                f"{label}: {name} limit has shape {value.shape}, but must be a number, or ({size},) for its joint"
            )
        known[name] = as_real(value, f"{label}: {name} limit")
        if np.isnan(known[name]).any():
            raise ValueError(
                f"{label}: {name} limit is {getattr(limits, name)}, but must be a number or infinite"
            )
    for name in ("velocity", "effort"):
        if (known[name] < 0).any():
            raise ValueError(
                f"{label}: {name} limit is {getattr(limits, name)}, but is a size and must not be negative"
            )
    if (known["lower"] > known["upper"]).any():
        raise ValueError(
            f"{label}: the lower limit, {limits.lower}, is above the upper one, {limits.upper}"
        )
    if joint.quaternion and np.isfinite([known["lower"].max(), known["upper"].min()]).any():
        raise ValueError(
            f"{label}: the coordinates of {type(joint).__name__} are a quaternion, which has no limits"
        )


def require_doubles(chain: Any, what: str) -> None:
    """Refuse a chain whose numbers a library of double precision does not take: symbols, exact ones, long doubles."""
    for name in NUMBERS_OF_A_CHAIN:
        own = getattr(chain, name)
        if own.dtype.kind not in "iuf" or own.dtype.itemsize > 8:
            kind = type(own.flat[0]).__name__ if own.dtype.kind == "O" else own.dtype
            raise ValueError(
                f"{what} computes in double precision: the chain's {name} must hold real numbers, as floats, and not "
                f"{kind}"
            )


def check_numbers(chain: Any) -> None:
    """Refuse a chain whose parameters are not all real numbers, naming one: machines compute with floats."""
    for name in NUMBERS_OF_A_CHAIN:
        as_real(getattr(chain, name), f"the chain's {name}")


def check_gravity(gravity: Any) -> Any:
    """Return gravity as an array (3,), or say what is wrong with it."""
    gravity = as_array(gravity, "gravity")
    if gravity.shape != (3,):
        raise ValueError(f"gravity has shape {gravity.shape}, but is an acceleration vector (3,)")
    require_finite(gravity, "gravity")
    return read_only(gravity) if isinstance(gravity, np.ndarray) else gravity


def as_links(links: Any) -> tuple[Any, ...]:
    """Return links as a tuple, or say what is not a link."""
    if not is_several(links):
        raise ValueError(f"links is {links!r}, but must be a sequence of Link")
    given = tuple(links)
    for i, link in enumerate(given):
        if not all(hasattr(link, part) for part in ("joint", "mass", "parent")):
            raise ValueError(f"links[{i}] is {link!r}, but must be a Link")
        if not isinstance(link.name, str | None):
            raise ValueError(f"link {i} is named {link.name!r}, but a name must be a string")
    return given


def check_links(links: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse links that cannot be: each message names the link, the value and what would be right."""
    if not links:
        raise ValueError("a Chain needs at least one link")
    taken, joints = {"ground"}, set[str]()
    for i, (link, name) in enumerate(zip(links, names, strict=True)):
        if name in taken:
            raise ValueError(
                f"link {i} is named {name!r}: names must differ, and 'ground' is taken"
            )
        taken.add(name)
        label = f"link {i} ({name!r})"
        check_parent(link.parent, label)
        check_joint(link.joint, label)
        called = getattr(link.joint, "name", None)
        if not isinstance(called, str | None) or called in joints:
            raise ValueError(
                f"{label}: its joint is named {called!r}, but a name must be a string that no other joint has"
            )
        joints |= {called} if called else set()
        check_drive(link, label)
        check_limits(link, label)
        check_placement(link, label)
        check_mass(link, label)
        if getattr(link, "judged", True):
            require_inertia_of_a_body(link, label)


def check_drive(link: Any, label: str) -> None:
    """Refuse a drive with other numbers than its joint's rates, negative ones, or a rotor that no rate of q turns."""
    drive = link.drive
    if drive is None:
        return
    if not hasattr(drive, "rotor_inertia") or isinstance(drive, type):
        raise ValueError(f"{label}: drive is {drive!r}, but must be a Drive")
    nv = link.joint.nv
    if nv == 0:
        raise ValueError(f"{label} has a drive, but its joint does not move: leave the drive out")
    for name in ("rotor_inertia", "gear_ratio", "viscous", "coulomb"):
        value = as_array(getattr(drive, name), f"{label}: {name}")
        if value.shape not in ((), (nv,)):
            raise ValueError(
                f"{label}: {name} has shape {value.shape}, but must be a number, or ({nv},) for the joint's rates"
            )
        require_finite(value, f"{label}: {name}")
        wrong = first_wrong(value, lambda entry: entry < 0)
        if wrong is not None and name != "gear_ratio":  # which may turn the other way
            raise ValueError(f"{label}: {name} is {value[wrong]}, but must not be negative")
    probe = np.arange(1.0, nv + 1)
    rate = np.asarray(link.joint.rate(np.array(link.joint.neutral), probe))
    turns_with_q = rate.shape == probe.shape and bool((rate == probe).all())
    if may_be_nonzero(as_array(drive.rotor_inertia, "rotor_inertia")) and not turns_with_q:
        raise ValueError(
            f"{label}: a rotor turns with a coordinate, but the velocities of {type(link.joint).__name__} are not the "
            "rates of its coordinates; rotors belong on hinges and slides"
        )


def require_no_friction(chain: Any, what: str) -> None:
    """Refuse a chain with friction in its joints where it would be left out, naming the first link that has it."""
    if chain.has_friction:
        column = next(
            k for k, x in enumerate(zip(chain.viscous, chain.coulomb, strict=True)) if x != (0, 0)
        )
        raise ValueError(
            f"{what} knows no friction in joints, but the drive of link {chain.link_of('nv', column)!r} has it: "
            "leave it out"
        )


def require_no_rotors(chain: Any, what: str) -> None:
    """Refuse a chain with rotors where they would be left out, naming the first link that has one."""
    if chain.has_rotors:
        column = next(k for k, x in enumerate(chain.reflected_inertia) if not (x == 0))
        raise ValueError(
            f"{what} knows no rotors, but the drive of link {chain.link_of('nv', column)!r} has one: leave out the "
            "drives, or put each rotor in as a link with a Coupling"
        )


def require_mass(mass: Any, n: int) -> None:
    """Refuse a chain of n links whose mass (1,) is zero: it has no centre."""
    known = known_values(mass)
    if known is not None and not known.all():
        raise ValueError(
            f"none of the {n} links of the chain has mass, so that it has no centre of mass: give a link one"
        )


def as_frames(frames: Any) -> tuple[Any, ...]:
    """Return frames as a tuple, or say what is none."""
    if not is_several(frames) or isinstance(frames, str):
        raise ValueError(f"frames is {frames!r}, but must be a sequence of Frame")
    given = tuple(frames)
    for i, frame in enumerate(given):
        if isinstance(frame, type) or not all(
            hasattr(frame, part) for part in ("name", "link", "offset", "rotation")
        ):
            raise ValueError(f"frames[{i}] is {frame!r}, but must be a Frame")
        if not isinstance(frame.name, str) or not frame.name:
            raise ValueError(f"frames[{i}] is named {frame.name!r}, but a name must be a string")
    return given


def check_frame(frame: Any, taken: Sequence[str]) -> None:
    """Refuse a frame with the name of a link or of another frame, and one that is no pose."""
    label = f"frame {frame.name!r}"
    if frame.name in taken or frame.name == "ground":
        raise ValueError(
            f"{label}: names must differ among links and frames, and 'ground' is taken"
        )
    check_placement(frame, label)


def check_parent(parent: Any, label: str) -> None:
    """Refuse what names no link at all, an array for instance; whether it is an earlier one is seen later."""
    if not isinstance(parent, int | np.integer | str | None):
        raise ValueError(
            f"{label} has parent {parent!r}: a parent is None (the previous link), "
            '"ground", or the index or name of an earlier link'
        )


def check_joint(joint: Any, label: str) -> None:
    """Refuse what is no joint, and a joint that stands for several."""
    if not hasattr(joint, "motion_subspace") or isinstance(joint, type):
        raise ValueError(
            f"{label}: joint is {joint!r}, but must be one such as Revolute((0, 0, 1))"
        )
    lacking = [name for name in JOINT if not hasattr(joint, name)]
    if lacking:
        raise ValueError(
            f"{label}: its joint, {type(joint).__name__}, has no {', '.join(lacking)}: a class derived from "
            "chaindyn.Joint has them"
        )
    for part, shape in PARAMETERS.items():
        value = getattr(joint, part, np.zeros(shape))
        if np.shape(value) != shape:
            raise ValueError(
                f"{label}: the joint's {part} has shape {np.shape(value)}, but must be {shape}"
            )


def check_placement(link: Any, label: str) -> None:
    """Refuse an offset that is no vector and a rotation that is none."""
    check_array(link.offset, f"{label}: offset", (3,))
    require_rotation(check_array(link.rotation, f"{label}: rotation", (3, 3)), f"{label}: rotation")


def check_mass(link: Any, label: str) -> None:
    """Refuse a mass below zero, and parameters of other shapes or not finite."""
    mass = known_values(check_array(link.mass, f"{label}: mass", ()))
    check_array(link.com, f"{label}: com", (3,))
    check_array(link.inertia, f"{label}: inertia", (3, 3))
    if mass is not None and mass < 0:
        raise ValueError(f"{label}: mass is {mass}, but must not be negative")


def require_inertia_of_a_body(link: Any, label: str) -> None:
    """Refuse an inertia that no distribution of mass has; shapes were checked."""
    mass, com, inertia = (
        known_values(as_array(getattr(link, p), p)) for p in ("mass", "com", "inertia")
    )
    if inertia is None:
        return
    tolerance = at_least_rounding(1e-9, inertia) * np.abs(inertia).max()
    if mass is not None and com is not None:
        # an inertia moved here from the origin carries the rounding of m c^2
        tolerance += 4 * np.finfo(float).eps * mass * (com @ com)
    if np.abs(inertia - inertia.T).max() > tolerance:
        raise ValueError(f"{label}: inertia is not symmetric: {inertia.tolist()}")
    a, b, c = np.linalg.eigvalsh(inertia)  # a <= b <= c
    moments = f"its principal moments are {a:.6g}, {b:.6g} and {c:.6g} kg m^2"
    if a < -tolerance:
        raise ValueError(f"{label}: inertia is not positive semidefinite: {moments}")
    if a + b < c - tolerance:
        raise ValueError(
            f"{label}: inertia breaks the triangle inequality, so no body has it: {moments}, and the two "
            "smaller must add up to at least the largest"
        )


def check_corners(corners: Any) -> None:
    """Refuse a number of corners that is none, or too few for a shape of some fidelity."""
    if corners is not None and not is_index(corners, FEWEST_CORNERS, 1 << 31):
        raise ValueError(
            f"corners is {corners!r}, but must be None or a whole number, at least {FEWEST_CORNERS}"
        )
