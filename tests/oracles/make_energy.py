"""Count how often each law of impact makes energy, in 10 000 blows of each kind, for chapter 20.

Run from tests/ as ``python -m oracles.make_energy``. It writes chapters/20_contact_energy.json: for each kind of blow
and each law the seeds in which energy grows, and those in which no answer was found.
"""

from __future__ import annotations

import json
from pathlib import Path

from energies import LAWS, SETS, counted

FILE = Path(__file__).parents[2] / "chapters" / "20_contact_energy.json"
COUNT = 10_000


def main() -> None:
    """Write the seeds."""
    found = {name: {law: counted(name, law, range(COUNT)) for law in LAWS} for name in SETS}
    content = {"count": COUNT, **found}
    FILE.write_text(json.dumps(content, separators=(",", ":")) + "\n")
    for name, laws in found.items():
        for law, seeds in laws.items():
            print(f"{name:9} {law:8} gains {len(seeds['gains']):5}  none {len(seeds['none']):5}")


if __name__ == "__main__":
    main()
