"""A project in a temporary folder: one small chapter, which exports two modules."""

from __future__ import annotations

from pathlib import Path

import pytest

import book  # noqa: F401  before any test imports nbformat, for what it spares that

FRONT = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
chaindyn:
  chapter: 3
  title: Doors and hinges
  modules:
    doors: "Doors: what turns."
    houses: "Houses: what has doors."
---

"""

CHAPTER = (
    FRONT
    + '''# Doors and hinges

## A {ref}`hinge <hinge>`

```{code-cell} ipython3
:tags: [export]

from dataclasses import dataclass
from math import cos, sin, tau


@dataclass(frozen=True)
class Door:
    """A door."""

    width: float


def _opening(door: Door, angle: float) -> float:
    """How far the handle is from the wall."""
    return door.width*sin(angle)
```

A house has doors.

```{code-cell} ipython3
---
tags: [export]
module: houses
---
from chaindyn.houses import widest


# The widest first.
def widest(doors: list[Door]) -> Door:
    """The door through which the sofa goes."""
    return max(doors, key=lambda door: _opening(door, 1))
```

```{code-cell} ipython3
2 + 2
```
'''
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The root of the project."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chaindyn").mkdir()
    (tmp_path / "chaindyn" / "__init__.py").write_text(
        "from chaindyn.doors import Door\n", encoding="utf-8"
    )
    (tmp_path / "chapters" / "03_doors.md").write_text(CHAPTER, encoding="utf-8")
    return tmp_path


@pytest.fixture
def chapter(project: Path) -> Path:
    """Its one chapter."""
    return project / "chapters" / "03_doors.md"
