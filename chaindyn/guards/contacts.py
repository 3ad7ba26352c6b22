"""Contacts as solvers take them: lists of them, their coefficients, and what in their rows and blows is rounding."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from chaindyn.guards.arguments import check_array, is_several, require_one_state
from chaindyn.guards.door import outside
from chaindyn.guards.model import require_doubles
from chaindyn.guards.numbers import as_array, as_real, read_only_view, require_finite

# words that functions of contact take
LawWord = Literal["newton", "poisson", "moreau"]
OrderWord = Literal["together", "sequence"]
MethodWord = Literal["steps", "events"]
LAWS: set[str] = set(get_args(LawWord))
ORDERS: set[str] = set(get_args(OrderWord))
METHODS: set[str] = set(get_args(MethodWord))


# what a contact says of itself, and up to where its coefficients may go
PARTS = ("bodies", "point", "normal", "gap", "friction", "restitution")


LARGEST = {"restitution": 1, "friction": np.inf}


# At the door ------------------------------------------------------------------------------------


def doubles_of_one_state(what: str, chain: Any, **arrays: Any) -> tuple[np.ndarray, ...]:
    """Return the parts of one state as floats; refuse batches, and numbers that are no doubles."""
    require_one_state(**arrays)
    require_doubles(chain, what)
    return tuple(as_real(x, name) for name, x in arrays.items())


def is_index(x: Any) -> bool:
    """Whether something is a whole number."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def as_contacts(chain: Any, contacts: Any, name: str = "contacts") -> list[Any]:
    """Return contacts as a list, each checked; the name is that of the list in messages."""
    if not is_several(contacts):
        raise ValueError(f"{name} is {contacts!r}, but must be a list of contacts")
    given = list(contacts)
    for k, contact in enumerate(given):
        check_contact(chain, contact, k)
    return given


def check_contact(chain: Any, contact: Any, k: int) -> None:
    """Refuse a contact that does not fit this chain: bodies, point, normal, gap, friction, restitution, radii."""
    place = f"contacts[{k}]"
    lacking = [name for name in PARTS if not hasattr(contact, name)]
    if lacking:
        raise ValueError(
            f"{place} is {contact!r}, but must have {', '.join(PARTS)}, as a Contact has"
        )
    bodies = tuple(contact.bodies) if is_several(contact.bodies) else ()
    whole = all(is_index(b) and -1 <= b < chain.n for b in bodies)
    if len(bodies) != 2 or not whole or bodies[0] == bodies[1]:
        raise ValueError(
            f"{place}.bodies is {contact.bodies!r}, but must be two different links' indices from 0 to "
            f"{chain.n - 1}, or -1 for the ground"
        )
    for name, shape in (("point", (3,)), ("normal", (3,)), ("gap", ())):
        as_real(check_array(getattr(contact, name), f"{place}.{name}", shape), f"{place}.{name}")
    length = float(np.linalg.norm(np.asarray(contact.normal, float)))
    if abs(length - 1) > 1e-6:
        raise ValueError(f"{place}.normal has length {length:.6g}, but must have 1 to 1e-6")
    for name in ("friction", "restitution"):
        check_array(getattr(contact, name), f"{place}.{name}", ())
        check_coefficients(getattr(contact, name), f"{place}.{name}", LARGEST[name])
    given = getattr(contact, "radii", (0, np.inf))
    radii = as_real(as_array(given, f"{place}.radii"), f"{place}.radii")
    if radii.shape != (2,) or not (radii >= 0).all():
        raise ValueError(
            f"{place}.radii is {contact.radii!r}, but must be two numbers, the radii of the surfaces at the contact: "
            "zero or more, infinity for a flat one [m]"
        )


def check_coefficients(x: Any, name: str, most: float) -> np.ndarray:
    """Return friction or restitution as floats; refuse what lies outside [0, most]."""
    x = as_real(as_array(x, name), name)
    require_finite(x, name)
    wrong = np.argwhere((x < 0) | (x > most))
    if len(wrong):
        entry = f"{name}[{', '.join(map(str, wrong[0]))}]" if x.ndim else name
        limits = "not be negative" if most == np.inf else f"lie between 0 and {most:g}"
        raise ValueError(f"{entry} is {x[tuple(wrong[0])]:.16g}, but must {limits}")
    return x  # type: ignore[no-any-return]


def coefficients(contacts: Sequence[Any], **given: Any) -> tuple[np.ndarray, ...]:
    """Return restitution and friction, by these names, of contacts, (m,) each.

    What is given is one number, (m,) of them, or None for each contact's own.
    """
    return tuple(_coefficient(contacts, name, value) for name, value in given.items())


def _coefficient(contacts: Sequence[Any], name: str, value: Any) -> np.ndarray:
    m = len(contacts)
    if value is None:
        return np.array([float(getattr(contact, name)) for contact in contacts])
    x = check_coefficients(value, name, LARGEST[name])
    if x.shape not in ((), (m,)):
        raise ValueError(
            f"{name} has shape {x.shape}, but must be one number, ({m},), one for each contact, or None for their own"
        )
    return np.broadcast_to(x, (m,)).astype(float)


def check_options(method: MethodWord, law: LawWord, order: OrderWord, **given: Any) -> None:
    """Refuse laws and orders that steps in time do not have, and coefficients that are not one number for all."""
    if method == "steps" and law == "poisson":
        raise ValueError(
            'law "poisson" gives back a share of each push, at rest too: "steps" take "newton" or "moreau"'
        )
    if method == "steps" and order == "sequence":
        raise ValueError(
            'order "sequence" takes blows one after another, but "steps" take all that a step holds together: '
            'method "events" has both orders'
        )
    for name, value in given.items():
        if value is not None and check_coefficients(value, name, LARGEST[name]).shape != ():
            raise ValueError(f"{name} must be one number, or None for each contact's own")


def require_compilable(method: str, driven: Any, geometries: Any) -> None:
    """Refuse motions with contacts that no program steps through, and say which one does."""
    wrong = {
        f"method {method!r}": method != "steps",
        "geometries as a function": callable(geometries),
        "torque as a function": callable(driven.torque),
        "constraints": bool(driven.constraints),
    }
    if named := [name for name, is_so in wrong.items() if is_so]:
        raise ValueError(
            f"compiled=True does not take {' and '.join(named)}: it takes steps of an open chain whose geometries are "
            "listed, with constant torque; leave compiled out"
        )


def finder(
    chain: Any, geometries: Any, find_contacts: Callable[..., Any], margin: float, exclude: Any
) -> Callable[[Any], Sequence[Any]]:
    """Return a function of q that finds contacts: those of geometries, or by the user's own function, checked."""
    if callable(geometries):
        if not is_several(exclude) or len(tuple(exclude)):
            raise ValueError(
                f"exclude is {exclude!r}, but must be empty where geometries is a function, which itself leaves out "
                "what may not touch"
            )
        own = outside(geometries)
        return lambda q: as_contacts(chain, own(read_only_view(q)), "geometries(q)")
    shapes = list(geometries) if is_several(geometries) else geometries
    return lambda q: find_contacts(chain, shapes, q, margin=margin, exclude=exclude)


def require_apart(contacts: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse a start in which bodies are more than a millimetre inside each other, with names and depth."""
    for contact in contacts:
        if contact.gap < -1e-3:
            one, other = ("ground" if b < 0 else names[b] for b in contact.bodies)
            raise ValueError(
                f"{one!r} starts {-contact.gap:.3g} m deep inside {other!r}, at {np.round(contact.point, 3).tolist()}: "
                "bodies may touch at the start, and overlap by 1e-3 m at most; `exclude` leaves pairs out, and "
                "`overlapping_pairs` says which overlap"
            )


# Rows -------------------------------------------------------------------------------------------


def directions_of_slip(normals: np.ndarray, slips: np.ndarray) -> np.ndarray:
    """Return a unit tangent (m, 3) along each slip, any where what slips is rounding; normals, slips : (m, 3)."""
    along = slips - (slips * normals).sum(-1, keepdims=True) * normals
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    size = np.abs(slips).max(initial=0)
    other = np.eye(3)[np.abs(normals).argmin(-1)]
    other = other - (other * normals).sum(-1, keepdims=True) * normals
    other = other / np.linalg.norm(other, axis=-1, keepdims=True)
    slipping = length > 1e-9 * size
    first: np.ndarray = np.where(slipping, along / np.where(slipping, length, 1), other)
    return first


def without_locked(K: np.ndarray, W: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (3 m, nv) and response (3 m, 3 m), zero where loops leave no motion but rounding.

    free : (3 m, 3 m), the response without the loops.
    """
    locked = np.diagonal(W) <= 1e-12 * np.diagonal(free)
    W = np.where(locked[:, None] | locked, 0, W)
    return np.where(locked[:, None], 0, K), (W + W.mT) / 2


def without_rounding(b: np.ndarray, K: np.ndarray, size: float) -> np.ndarray:
    """Return accelerations (m, 3), zero where the rows K (3 m, nv) have no motion and b is rounding of this size."""
    locked = ~K.any(axis=-1).reshape(-1, 3)
    return np.where(locked & (np.abs(b) <= 1e-10 * size), 0, b)


# Blows ------------------------------------------------------------------------------------------


def affordable_share(spent: float, wanted: float) -> float:
    """Return by how much impulses are to be scaled whose energy must not be above what was spent: 1 if it is not."""
    return 1.0 if wanted <= spent * (1 + 1e-14) else float(np.sqrt(spent / wanted))


@dataclass(frozen=True, eq=False)
class SeriesOfBlows:
    """Who is struck next, until nothing approaches; a series that never ends is told from one that does.

    movable : (m,), not the contacts whose inverse mass along the normal is below 1e-12 of that in all directions;
    size, fastest : of all speeds and of those along normals before the first blow [m/s].
    """

    movable: np.ndarray
    size: float
    fastest: float
    law: LawWord

    @classmethod
    def of(cls, W: np.ndarray, v: np.ndarray, law: LawWord) -> SeriesOfBlows:
        """Return the series that begins with velocities v (3 m,); W : (3 m, 3 m)."""
        diagonal = np.diagonal(W)
        movable = diagonal[0::3] > 1e-12 * diagonal.reshape(-1, 3).sum(-1)
        size, fastest = np.abs(v).max(initial=0), np.abs(v[0::3]).max(initial=0)
        return cls(movable, float(size), float(fastest), law)

    def is_last(self, count: int) -> bool:
        """Whether this is the last blow, after 100 for each contact: all together, and without restitution."""
        return count == 100 * len(self.movable)

    def struck(self, v: np.ndarray, count: int, order: OrderWord) -> np.ndarray:
        """Return which contacts (k,) the next blow strikes, none if no one approaches; v : (3 m,), count : of blows.

        ArithmeticError if the law gains energy with every blow.
        """
        speeds = np.where(self.movable, v[0::3], np.inf)
        fastest = speeds.min(initial=np.inf)
        if not fastest < -1e-12 * self.fastest or count > 100 * len(self.movable):
            return np.zeros(0, int)
        if np.abs(v).max() > 1e6 * self.size:
            raise ArithmeticError(
                f"the law {self.law!r} gains energy with each blow: after {count} blows the contacts are 1e6 times "
                'faster; the law "moreau" never gains'
            )
        if order == "together" or self.is_last(count):
            return np.flatnonzero(self.movable)
        return np.flatnonzero(speeds <= fastest * (1 - 1e-9))  # those that are equally fast


# Rest -------------------------------------------------------------------------------------------


def resting_ones(contacts: Sequence[Any], speeds: np.ndarray, tolerance: float) -> np.ndarray:
    """Return which contacts (k,) can carry force: gap and speed along the normal (m,) are zero to the tolerance.

    ValueError if one approaches: that is a blow.
    """
    touch = np.array([float(contact.gap) <= tolerance for contact in contacts], bool)
    wrong = np.flatnonzero(touch & (speeds < -tolerance))
    if len(wrong):
        k = int(wrong[0])
        raise ValueError(
            f"contacts[{k}] is closed and approaches at {-speeds[k]:.3g} m/s: that is a blow, which "
            "`collision_impulses` takes; only a contact with gap and speed zero rests"
        )
    return np.flatnonzero(touch & (speeds <= tolerance))


@contextmanager
def explained_as_jams() -> Iterator[None]:
    """Say of an LCP of contact forces without a solution what that means: they may jam."""
    try:
        yield
    except ArithmeticError as error:
        raise ArithmeticError(
            f"no forces at the contacts obey Coulomb's law here ({error}): where friction is strong a rigid body "
            "that slides may jam, which takes an impulse; `simulate_contact` goes on"
        ) from None


def warn_if_not_unique(
    solutions_of: Callable[..., Any],
    W: np.ndarray,
    b: np.ndarray,
    mu: np.ndarray,
    sliding: np.ndarray,
) -> None:
    """Warn if contacts, all of which slide or are smooth, have several motions; W : (3 m, 3 m), b : (3 m,).

    solutions_of : gives all solutions (k, m) of an LCP of A and b.
    """
    if not sliding.any() or len(mu) > 12 or ((mu > 0) & ~sliding).any():
        return
    A = W[0::3, 0::3] - mu * W[0::3, 1::3]
    if np.linalg.eigvalsh(A + A.T)[0] >= -1e-12 * np.abs(A).max():
        return
    solutions, _ = solutions_of(A, b[0::3])
    if np.ptp(solutions @ A.T, axis=0).max() > 1e-9:
        warnings.warn(
            "friction leaves more than one motion: forces that hold the contact and others that let it go both "
            "obey Coulomb's law (Painleve); one of them is returned",
            RuntimeWarning,
            stacklevel=4,
        )


def comes_to_rest(approach: np.ndarray, restitution: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """Return which contacts (m,) would bounce for less than 1e-5 s, and so come to rest.

    approach : their speeds before the blow; pull : their accelerations towards closing.
    """
    short: np.ndarray = 2 * restitution * approach < 1e-5 * pull
    return short & (pull > 0) & (restitution < 1)


def is_pressed(speeds: np.ndarray, accelerations: np.ndarray) -> bool:
    """Whether some contact has no speed along its normal, and would close."""
    return bool(((np.abs(speeds) <= 1e-9) & (accelerations < -1e-9)).any())


# Landings ---------------------------------------------------------------------------------------


def first_time(late: Callable[[float], float], t: float, h: float) -> float | None:
    """Return the first time tau within h at which something is due, or None if it is not by then.

    late : a function of tau, how long ago it was due, or nothing if it is not yet: tau less that is a step of Newton's
    method. Sought at four times; Newton's steps are bracketed between a time before and one after. t : the time at
    tau = 0, which rounds tau.
    """
    early = 0.0
    for after in h * np.array([0.25, 0.5, 0.75, 1.0]):
        due = late(after)
        if due > 0:
            break
        early = after
    else:
        return None
    for _ in range(100):
        tau = after - due if early < after - due else (early + after) / 2
        still_due = late(tau)
        if still_due > 0:
            after, due = tau, still_due
        elif due <= 1e-9:  # a last Newton step, smaller than its error
            return float(tau)
        else:
            early = tau
        if due <= 1e-16 or after - early <= 4 * np.finfo(float).eps * (abs(t) + after):
            break
    return float(after)


def longest_lateness(gaps: np.ndarray, speeds: np.ndarray) -> float:
    """Return the longest time since a closed contact (m,) should have struck [s], by its gap and speed; 0 if none."""
    late = speeds < -1e-10
    return float((gaps[late] / speeds[late]).max(initial=0))
