"""Widgets to take hold of: screws and rotations, a body that spins, chains to turn, heft, drive, strike and close.

Each takes the functions under study as arguments, so that what it shows is what those functions return.
With a kernel, Python computes; without one, on a page of the book, the same picture works from embedded data.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chaindyn.widgets.atlas import AtlasExplorer
    from chaindyn.widgets.balance import BalanceExplorer
    from chaindyn.widgets.chain import ChainExplorer
    from chaindyn.widgets.contact import ContactExplorer
    from chaindyn.widgets.effort import EffortExplorer
    from chaindyn.widgets.explorer import Explorer
    from chaindyn.widgets.heft import HeftExplorer
    from chaindyn.widgets.hybrid import HybridExplorer
    from chaindyn.widgets.impact import ImpactExplorer, StrikeExplorer
    from chaindyn.widgets.inertia import InertiaExplorer
    from chaindyn.widgets.loop import LoopExplorer
    from chaindyn.widgets.mass import MassMatrixExplorer
    from chaindyn.widgets.rotation import RotationExplorer
    from chaindyn.widgets.screw import ScrewExplorer
    from chaindyn.widgets.swing import SwingExplorer

__all__ = [
    "AtlasExplorer",
    "BalanceExplorer",
    "ChainExplorer",
    "ContactExplorer",
    "EffortExplorer",
    "Explorer",
    "HeftExplorer",
    "HybridExplorer",
    "ImpactExplorer",
    "InertiaExplorer",
    "LoopExplorer",
    "MassMatrixExplorer",
    "RotationExplorer",
    "ScrewExplorer",
    "StrikeExplorer",
    "SwingExplorer",
]


# explorers that do not stand in the module of their name
ELSEWHERE = {"Explorer": "explorer", "MassMatrixExplorer": "mass", "StrikeExplorer": "impact"}


def __getattr__(name: str) -> Any:
    """Load an explorer when it is asked for: the pages' physics beside them needs no widgets."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ELSEWHERE.get(name) or name.removesuffix("Explorer").lower()
    return getattr(import_module(f"{__name__}.{home}"), name)
