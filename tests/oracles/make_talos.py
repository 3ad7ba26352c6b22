"""The humanoid of chapter 10, and what Pinocchio computes of it, as one small file beside the chapter.

Run from tests/ as ``python -m oracles.make_talos``; needs nothing but dynamics.json.gz, out of which it copies one
model. The links are facts of a robot's file: masses, inertias, places and axes.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("dynamics.json.gz")
FILE = Path(__file__).parents[2] / "chapters" / "10_hybrid_dynamics_talos.json"


def content() -> dict[str, Any]:
    """Return the links of the free-floating humanoid, one state of it, and Pinocchio's M and h there."""
    stored = json.loads(gzip.decompress(SOURCE.read_bytes()))
    (model,) = (model for model in stored["models"] if model["name"] == "Talos, free")
    return {
        "engine": stored["engine"],
        "robot": f"{Path(model['file']).name}, {stored['robots']}",
        "links": model["links"],
        "q": model["state"]["q"],
        "qd": model["state"]["qd"],
        "M": model["crba"],
        "h": model["bias_force"],
    }


def text() -> str:
    """Return the file's text; floats are written so that they are read back to the bit."""
    return json.dumps(content(), separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE.name}: {FILE.stat().st_size / 1e3:.0f} kB")
