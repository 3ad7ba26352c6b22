"""One of each explorer, by its name, as the tests of what they share put it on a page."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from widget_cases import arm

from chaindyn.models.robots import UR5_FLANGE, ur5
from chaindyn.widgets import (
    AtlasExplorer,
    BalanceExplorer,
    ChainExplorer,
    ContactExplorer,
    EffortExplorer,
    Explorer,
    HeftExplorer,
    HybridExplorer,
    ImpactExplorer,
    InertiaExplorer,
    LoopExplorer,
    MassMatrixExplorer,
    RotationExplorer,
    ScrewExplorer,
    StrikeExplorer,
    SwingExplorer,
)

Q, QD = [0.4, -0.5, 0.1, 0.5], [0.8, -1.2, 0.3, 0.9]


def striking(**options) -> StrikeExplorer:
    """The first screen: a UR5 that swings into a wall."""
    q, qd = [-0.3, -1.2, 1.3, -0.2, 1.4, 0.4], [0.2, 1.5, -1.0, -0.6, 0.5, 0.4]
    return StrikeExplorer(ur5(), q, qd, **{"normal": (-1, 0, 0), "tip": UR5_FLANGE, **options})


EXPLORERS: dict[str, Callable[[], Explorer]] = {
    "screw": ScrewExplorer,
    "rotation": RotationExplorer,
    "effort": lambda: EffortExplorer(arm(), Q, [1, 2, 0, 1], load=1),
    "mass": lambda: MassMatrixExplorer(arm(), Q, entry=(1, 0)),
    "inertia": InertiaExplorer,
    "chain": lambda: ChainExplorer(arm(), Q, body="tool"),
    "heft": lambda: HeftExplorer(arm(), Q, body="slide"),
    "impact": lambda: ImpactExplorer(arm(), Q, QD, body="tool", point=(0.1, 0, 0)),
    "atlas": lambda: AtlasExplorer(arm(), Q, body="tool"),
    "swing": lambda: SwingExplorer(motors=True, t=np.linspace(0, 4, 101)),
    "loop": lambda: LoopExplorer(dropped=True, t=np.linspace(0, 1, 26)),
    "contact": lambda: ContactExplorer("stack", "stairs"),
    "balance": BalanceExplorer,
    "hybrid": lambda: HybridExplorer(arm(), Q, [1, 2, 0, 1], qdd=[2]),
    "strike": striking,
}
