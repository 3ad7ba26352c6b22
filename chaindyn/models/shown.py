"""How a chain and a model are shown, and when two chains are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from chaindyn.guards.joint_defaults import parameters

__all__: list[str] = []

# A table fits on a screen of 24 lines and some 120 letters.
MOST_ROWS, FIRST_ROWS, MOST_LETTERS, MOST_FRAMES = 18, 12, 20, 80

NUMBERS = (
    *("gravity", "mass", "com", "inertia", "offset", "rotation"),
    *("rotor_inertia", "gear_ratio", "viscous", "coulomb"),
    *("lower_limit", "upper_limit", "velocity_limit", "effort_limit"),
)


def table_of(chain: Any) -> str:
    """Return a chain as a table of a screen or less: a row for each link, and the frames."""
    rows: list[tuple[str, ...]] = [("", "link", "parent", "joint", "", "axis", "q", "mass [kg]")]
    rows += [row_of(chain, i) for i in range(chain.n)]
    if len(rows) > MOST_ROWS + 1:
        last = MOST_ROWS - FIRST_ROWS - 1
        dots = ("", f"... {chain.n - FIRST_ROWS - last} more ...", *[""] * 6)
        rows = [*rows[: FIRST_ROWS + 1], dots, *rows[-last:]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    gravity = ", ".join(map(short, np.asarray(chain.gravity, object)))
    links = "1 link" if chain.n == 1 else f"{chain.n} links"
    head = f"Chain of {links}, nq = {chain.nq}, nv = {chain.nv}, gravity ({gravity}) m/s^2"
    return "\n".join([head, *lines, *frames_of(chain)])


def row_of(chain: Any, i: int) -> tuple[str, ...]:
    """Return what the table says of a link."""
    parent, joint, own = chain.parent[i], chain.joints[i], chain.q_columns[i]
    called = chain.joint_names[i] if chain.joint_names[i] != chain.names[i] else ""
    axis = getattr(joint, "axis", getattr(joint, "normal", ()))
    columns = f"{own.start}" if len(own) == 1 else f"{own.start}:{own.stop}" if own else ""
    return (
        str(i),
        cut(chain.names[i]),
        "ground" if parent < 0 else cut(chain.names[parent]),
        type(joint).__name__,
        cut(called),
        cut(" ".join(short(x, 3) for x in np.asarray(axis, object).ravel())),
        columns,
        cut(short(chain.mass[i])),
    )


def frames_of(chain: Any) -> list[str]:
    """Return a line with the frames' names, if there are any."""
    return listed("frames", [cut(frame.name) for frame in chain.frames], ", ")


def listed(label: str, words: Sequence[str], between: str) -> list[str]:
    """Return a line of words, as many as it holds, and the number of the others; none if there are none."""
    text, shown = "", 0
    for word in words:
        more = f"{between if text else ''}{word}"
        if len(text + more) > MOST_FRAMES:
            break
        text, shown = text + more, shown + 1
    left = len(words) - shown
    return [f"{label}: {text}{f' and {left} more' if left else ''}"] if words else []


def model_as_text(model: Any) -> str:
    """Return a robot's model as its chain's table, and what stands beside it in a line or two."""
    counts = {"shape": len(model.geometries), "constraint": len(model.constraints)}
    beside = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items()]
    return "\n".join(
        [
            f"Model: {', '.join(beside)}{', springs' if model.stiffness is not None else ''}",
            table_of(model.chain),
            *listed("postures", [cut(name) for name in model.postures], ", "),
            *listed(f"left out, {len(model.left_out)}", model.left_out, "; "),
        ]
    )


def short(x: Any, digits: int = 4) -> str:
    """Return a number in four digits or so, anything else as it is written."""
    return (
        f"{x:.{digits}g}"
        if isinstance(x, int | float | np.number) and not np.iscomplex(x)
        else str(x)
    )


def cut(text: str) -> str:
    """Return a text that is not too wide for a column."""
    text = text.replace("\n", " ")
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def structure_of(chain: Any) -> tuple[Any, ...]:
    """Return what two chains share that differ in numbers alone."""
    kinds = tuple(type(joint) for joint in chain.joints)
    frames = tuple((name, link) for name, (link, _, _) in chain.frame_places.items())
    return type(chain), chain.names, chain.joint_names, chain.parent, kinds, frames


def same_chain(one: Any, other: Any) -> bool:
    """Whether two chains have the same structure and numbers, these of the same types and to the last bit.

    Types, for a chain in single precision or of fractions computes otherwise; the sign of a zero is not looked at.
    """
    if structure_of(one) != structure_of(other):
        return False
    if not all(map(same_joint, one.joints, other.joints)):
        return False
    if any(
        getattr(a, "judged", True) != getattr(b, "judged", True)
        for a, b in zip(one.links, other.links, strict=True)
    ):
        return False
    places = zip(one.frame_places.values(), other.frame_places.values(), strict=True)
    return all(same_numbers(getattr(one, x), getattr(other, x)) for x in NUMBERS) and all(
        same_numbers(a[1], b[1]) and same_numbers(a[2], b[2]) for a, b in places
    )


def same_joint(one: Any, other: Any) -> bool:
    """Whether two joints of one class are the same: of no dataclass only if they are one."""
    if one is other:
        return True
    return is_dataclass(one) and all(
        same_numbers(getattr(one, name), getattr(other, name)) for name in parameters(one)
    )


def same_numbers(one: Any, other: Any) -> bool:
    """Whether two parameters are the same, of the same type; of objects each must say so."""
    if one is other:
        return True
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return same_objects(a.flat, b.flat) if a.dtype.hasobject else bool((a == b).all())


def same_objects(ones: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether objects are pair by pair the same; one that gives no truth, as a symbol of CasADi, only as itself."""
    return all(
        x is y or (type(x) is type(y) and type(x == y) in (bool, np.bool) and bool(x == y))
        for x, y in zip(ones, others, strict=True)
    )
