"""All explorers in one place; they need anywidget and ipywidgets."""

try:
    import anywidget  # noqa: F401
except ImportError as error:
    raise ImportError(
        "widgets need anywidget and ipywidgets: pip install 'chaindyn[widgets]'"
    ) from error

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
