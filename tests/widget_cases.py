"""The chains that the widgets' tests look at, and how they talk to a widget."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import chaindyn
from chaindyn import Chain, Fixed, Link, Prismatic, Revolute

EPS = np.finfo(float).eps
INERTIA = 0.01 * np.eye(3)


def arm() -> Chain:
    """A tree with every joint kind and two leaves."""
    turned = chaindyn.rotation_about(np.array([0.6, 0, 0.8]), np.array([0.7]))
    return Chain(
        [
            Link(Revolute((0, 0, 1)), 1, (0, 0, 0.2), INERTIA, name="base"),
            Link(Revolute((0, 3, 4)), 1, (0.2, 0, 0), INERTIA, offset=(0, 0, 0.4), rotation=turned),
            Link(Prismatic((1, 1, 0)), 1, (0.1, 0, 0), INERTIA, offset=(0.4, 0, 0), name="slide"),
            Link(
                Fixed(), 1, (0.05, 0, 0), INERTIA, offset=(0.2, 0, 0), rotation=turned, name="tool"
            ),
            Link(
                Revolute((1, 0, 0)),
                1,
                (0, 0, 0.15),
                INERTIA,
                offset=(0, 0.1, 0),
                parent="base",
                name="finger",
            ),
        ]
    )


def planar() -> Chain:
    """Two links of 1 m in the x-y plane."""
    links = [
        Link(Revolute(), 1, (0.5, 0, 0), INERTIA, offset=(0 if i == 0 else 1, 0, 0))
        for i in range(2)
    ]
    return Chain(links)


def spindle() -> Chain:
    """A rod, and at its end a massless link that could spin about its own axis."""
    return Chain(
        [
            Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), INERTIA, name="rod"),
            Link(Revolute((1, 0, 0)), 0, (0, 0, 0), 0 * INERTIA, offset=(1, 0, 0), name="spindle"),
        ]
    )


def locking() -> Chain:
    """A needle in a massless ring: where it lies along the ring's axis, at q = (0, 0), the ring feels no inertia."""
    needle = np.diag([1, 1, 0])
    return Chain(
        [
            Link(Revolute((0, 0, 1)), 0, (0, 0, 0), 0 * INERTIA, name="ring"),
            Link(Revolute((1, 0, 0)), 1, (0, 0, 0), needle, name="needle"),
        ]
    )


def tell(widget: Any, **change: Any) -> dict:
    """Send a request as the page does, and return the answer."""
    request = {**widget.request, **change, "serial": widget.request["serial"] + 1}
    widget.set_state({"request": json.loads(json.dumps(request))})
    assert widget.answer["serial"] == request["serial"]
    return widget.answer
