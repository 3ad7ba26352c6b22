"""What two other solvers say of the complementarity problems in `lcps`, kept as data.

Run from tests/ as ``python -m oracles.make_lcp``; needs quantecon and quadprog. Written to lcp.json.gz: for each
problem the z of QuantEcon's `lcp_lemke`, or null where it fails, and for symmetric positive definite ones that of
quadprog, which knows nothing of complementarity: it minimises z.A z / 2 + b.z over z >= 0 by the method of Goldfarb
and Idnani. The problems are not stored: `lcps` makes the same ones each time.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import json
from pathlib import Path

import numpy as np
import quadprog
from lcps import problems
from quantecon.optimize import lcp_lemke

FILE = Path(__file__).with_name("lcp.json.gz")
EACH = 4


def by_quantecon(A: np.ndarray, b: np.ndarray) -> list[float] | None:
    """Return z, or None if its path ends elsewhere."""
    found = lcp_lemke(A, b)
    return [float(f"{x:.13g}") for x in found.z] if found.success else None


def by_quadprog(A: np.ndarray, b: np.ndarray) -> list[float]:
    """Return z of the quadratic program."""
    n = len(b)
    return [float(f"{max(x, 0):.13g}") for x in quadprog.solve_qp(A, -b, np.eye(n), np.zeros(n))[0]]


def main() -> None:
    """Write what both say."""
    said = []
    for kind, A, b in problems(EACH):
        said.append([by_quantecon(A, b), by_quadprog(A, b) if kind == "symmetric" else None])
    content = {
        "engines": {name: importlib.metadata.version(name) for name in ("quantecon", "quadprog")},
        "each": EACH,
        "results": said,
    }
    text = json.dumps(content, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FILE.name}: {len(said)} problems, {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
