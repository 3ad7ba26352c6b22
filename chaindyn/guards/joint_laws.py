"""The laws of a joint, tried on joints that are not the package's own when a chain is made of them.

The package's own joints are held to the same laws, and more closely, by its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from chaindyn.guards.door import outside
from chaindyn.guards.joint_defaults import parameters
from chaindyn.guards.numbers import is_concrete

OWN = {"chaindyn.joints", "chaindyn.other_joints"}
STEP = 1e-6  # of central differences, whose error is about 1e-9 for a motion by 1 rad or 1 m
NEAR = 1e-6


class Guest:
    """A joint that is not the package's own. Inside its methods the public functions check what they are given."""

    def __init__(self, joint: Any) -> None:
        self.joint = joint

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["joint"], name)
        return outside(value) if callable(value) else value


def as_guest(joint: Any) -> Any:
    """Return a joint of the package's own as it is, any other as a guest."""
    return joint if type(joint).__module__ in OWN else Guest(joint)


def check_laws(groups: Sequence[Any], joints: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse joints that break a law of `Joint`, naming a link, the joint's class and the law.

    groups : a chain's; joints, names : of its links.
    """
    for guest, _, _ in groups:
        if not isinstance(guest, Guest):
            continue
        kind = type(guest.joint)
        links = [i for i, joint in enumerate(joints) if type(joint) is kind]
        label = f"link {names[links[0]]!r}: its joint, {kind.__name__}, breaks a law of Joint"
        if not all(known(joints[i]) for i in links):
            continue
        try:
            broken = next(broken_laws(guest, [as_guest(joints[i]) for i in links]), None)
        except NotImplementedError:
            raise
        except Exception as error:  # of whatever kind: it is a stranger's code that fails
            count = len(links)
            several = f". One object is asked for all {count} joints of its kind: its parameters have {count} rows"
            why = f"{label}: {type(error).__name__}: {str(error).strip()}"
            raise ValueError(why + several * (count > 1)) from error
        if broken:
            raise ValueError(f"{label}: {broken}")


def known(joint: Any) -> bool:
    """Whether a joint's parameters are plain numbers, so that laws can be tried on them."""
    values = [getattr(joint, name) for name in parameters(joint)] if is_dataclass(joint) else []
    return all(is_concrete(np.asarray(x)) for x in values if not isinstance(x, str | None))


def broken_laws(joint: Any, singles: Sequence[Any]) -> Iterator[str]:
    """Yield what is wrong with a joint that stands for several, and with these one by one."""
    rng = np.random.default_rng(0)
    m, nq, nv = len(singles), joint.nq, joint.nv
    q, other = joint.random(rng, (m,)), joint.random(rng, (m,))
    yield from wrong_shape("random(rng, shape)", q, (m, nq))
    if len(joint.neutral) != nq:
        yield f"neutral has {len(joint.neutral)} entries, but nq = {nq}"
    R, p = joint.pose(q)
    S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
    yield from wrong_shape("R of pose", R, (m, 3, 3))
    yield from wrong_shape("p of pose", p, (m, 3))
    yield from wrong_shape("motion_subspace", S, (m, 6, nv), may_lack=1)
    yield from wrong_shape("constraint_subspace", T, (m, 6, 6 - nv), may_lack=1)
    S, T = np.broadcast_to(S, (m, 6, nv)), np.broadcast_to(T, (m, 6, 6 - nv))

    yield from differs("R of pose is no rotation matrix: R R^T", R @ R.mT, np.eye(3))
    yield from differs("R of pose is mirrored: det R", np.linalg.det(R), np.ones(m))
    yield from differs("motion_subspace^T constraint_subspace", S.mT @ T, 0 * (S.mT @ T))
    # of no columns older versions of NumPy have no rank
    if nv and np.linalg.matrix_rank(S).min(initial=6) < nv:
        yield "the columns of motion_subspace are dependent"
    if nv < 6 and np.linalg.matrix_rank(T).min(initial=6) < 6 - nv:
        yield "the columns of constraint_subspace are dependent"

    for qd in [*np.eye(nv), rng.normal(size=nv)]:
        qd = np.broadcast_to(qd, (m, nv))
        dR, dp = slope(joint.pose, joint, q, qd)
        turning = R.mT @ dR
        w = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=-1)
        twist = np.concatenate([w, (R.mT @ dp[..., None])[..., 0]], axis=-1)
        along = f"while q moves by integrate(q, t qd), qd = {qd[0].round(3).tolist()}"
        yield from differs(f"S qd of motion_subspace, {along},", (S @ qd[..., None])[..., 0], twist)
        (moved,) = slope(lambda x: (joint.motion_subspace(x),), joint, q, qd)
        own = np.broadcast_to(joint.motion_subspace_rate(q, qd), (m, 6, nv))
        yield from differs(
            f"motion_subspace_rate, {along},", own, np.broadcast_to(moved, own.shape)
        )
        (rate,) = slope(lambda x: (x,), joint, q, qd)
        yield from differs(f"rate, {along},", np.broadcast_to(joint.rate(q, qd), q.shape), rate)

    reached = joint.pose(joint.integrate(q, joint.difference(q, other)))
    for name, one, wanted in zip("Rp", reached, joint.pose(other), strict=True):
        yield from differs(f"{name} after integrate(q0, difference(q0, q1))", one, wanted)
    for i, single in enumerate(singles):
        alone = *single.pose(q[i]), single.motion_subspace(q[i])
        for name, one, stacked in zip(("R", "p", "S"), alone, (R, p, S), strict=True):
            yield from differs(f"{name} of a joint alone, and of several as one,", one, stacked[i])


def slope(function: Callable[[Any], Any], joint: Any, q: Any, qd: Any) -> list[Any]:
    """Return the derivatives of what a function of q returns, along the motion qd, by central differences."""
    ahead, behind = (function(joint.integrate(q, sign * STEP * qd)) for sign in (1, -1))
    return [(a - b) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)]


def wrong_shape(what: str, x: Any, wanted: tuple[int, ...], may_lack: int = 0) -> Iterator[str]:
    """Yield a complaint if an array has another shape; so many leading axes may be left out."""
    if np.shape(x) not in (wanted, wanted[may_lack:]):
        yield f"{what} has shape {np.shape(x)}, but must be {wanted}"


def differs(what: str, x: Any, wanted: Any) -> Iterator[str]:
    """Yield a complaint if two arrays are not near each other, or not finite."""
    error = np.abs(np.asarray(x) - wanted).max(initial=0)
    if not error <= NEAR * (1 + np.abs(wanted).max(initial=0)):
        yield f"{what} is off by {error:.2g}"
