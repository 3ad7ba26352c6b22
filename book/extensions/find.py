"""What the search looks through: each section of the book, with its text but without its code, under all its names.

A section's names are its title and the terms of the glossary that it explains; a function of the API has its own. One
file of it is fetched when somebody searches (theme/find.js).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

from book.extensions.glossary import PAGE as GLOSSARY
from book.extensions.glossary import spoken
from book.extensions.numbers import chapter_number

FILE = "find.json"  # in the site
# Not what somebody reads: code, what it printed, tables of numbers, what leads elsewhere, and displays.
APART = (
    nodes.literal_block,
    nodes.raw,
    nodes.comment,
    nodes.math_block,
    nodes.table,
    nodes.image,
    nodes.section,
    nodes.title,
    nodes.target,
    addnodes.index,
    addnodes.desc,
)
# What students type for a term of the glossary, beside the term itself.
ALSO = {
    "complementarity": "LCP linear complementarity problem",
    "articulated-body inertia": "ABA, articulated-body algorithm",
    "composite inertia": "composite rigid body",
    "mass matrix": "CRBA, composite rigid body algorithm, joint space inertia matrix, inertia matrix",
    "quaternion": "quaternion derivative, rate of a quaternion",
    "recursive Newton-Euler algorithm (RNEA)": "Newton Euler, Newton-Euler equations",
    "reflected inertia": "gear ratio, rotor inertia, armature",
    "symplectic Euler method": "symplectic integrator",
    "impact": "collision",
    "centre of percussion": "sweet spot",
    "floating base": "free-flyer, mobile base, humanoid",
    "closure": "four-bar linkage, closed kinematic chain, closed loop, parallel robot",
    "forward kinematics": "direct kinematics",
    "forward dynamics": "direct dynamics",
    "Coriolis matrix": "centrifugal and Coriolis",
    "regressor": "system identification, parameter identification",
}
# And for a section that is no term's own: by page and anchor, "" for the page as a whole.
NAMES = {
    ("chapters/01_plucker_coordinates", "vectors-that-a-body-carries-along"): "cross product",
    ("chapters/02_rigid_motions_as_a_lie_group", "three-numbers-are-not-enough"): (
        "Euler angles, roll pitch yaw, RPY, singularity of Euler angles"
    ),
    ("chapters/03_inertia_momentum_equation_of_motion", "about-any-point-in-any-axes"): (
        "Steiner, inertia of a rod, moment of inertia of a rod, inertia tensor"
    ),
    ("chapters/03_inertia_momentum_equation_of_motion", "a-free-body-turns-over"): (
        "tennis racket theorem, Dzhanibekov effect, intermediate axis, Euler equations"
    ),
    ("chapters/04_joints_links_chains_trees", "is-the-arm-right"): (
        "Denavit Hartenberg, DH parameters"
    ),
    ("chapters/36_a_joint_of_your_own", "robots-from-files"): "URDF, how to load URDF, MJCF",
    ("chapters/06_inverse_dynamics", "where-does-the-weight-go"): (
        "gravity compensation, gravity torques"
    ),
    ("chapters/11_simulation", "energy-and-momentum"): "energy drift, energy error",
    ("chapters/11_simulation", "steps"): "Runge Kutta, RK4, integrator",
    ("chapters/12_control", "feedback"): "PD controller, PID, proportional derivative",
    ("chapters/16_what_rolls", "a-wheel"): "rolling without slipping, nonholonomic constraint",
    ("chapters/21_rest_and_friction", "painleve-s-rod"): "Painlevé paradox",
    ("chapters/22_through_time", "infinitely-many-blows"): "Zeno, Zeno behaviour",
    ("chapters/23_derivatives", "the-best-gain"): "LQR, linear quadratic regulator, Riccati",
    ("book/conventions", ""): "Featherstone, Pinocchio, MuJoCo, Drake, other engines",
}
LOG = logging.getLogger(__name__)


def section_rows(app: Sphinx, page: str) -> Iterator[list[Any]]:
    """Each section of a page: its page, anchor, title, that of the page, other names, and text."""
    doctree = app.env.get_doctree(page)
    title = app.env.titles[page].astext()
    number = chapter_number(app.env, page)
    names = dict[str, list[str]]()
    for _, term, anchor, *_ in getattr(app, "glossary_sections", {}).get(page, []):
        names.setdefault(anchor, []).extend([*spoken(term), ALSO.get(term, "")])
    for (where, anchor), ways in NAMES.items():
        if where == page:
            names.setdefault(anchor, []).append(ways)
    within = f"{number}. {title}" if number is not None else title
    for section in doctree.findall(nodes.section):
        if "solution-content" in section["ids"]:
            continue
        around = section.parent if "exercise-content" in section["ids"] else section
        own = next(iter(around.findall(nodes.title)), None)
        head = _text(own) if own is not None else title
        anchor = "" if isinstance(section.parent, nodes.document) else around["ids"][0]
        ids = section["ids"] if anchor else ["", *section["ids"]]
        also = ", ".join(name for one in ids for name in names.get(one, []) if name)
        yield [page, anchor, head, within, also, _text(section)]


def other_rows(app: Sphinx, page: str) -> Iterator[list[Any]]:
    """The terms of the glossary, and the functions of the API, with what is said of each."""
    doctree, title = app.env.get_doctree(page), app.env.titles[page].astext()
    if page == GLOSSARY:
        for item in doctree.findall(nodes.definition_list_item):
            terms = list(item.findall(nodes.term))
            said = next(iter(item.findall(nodes.definition)))
            also = ", ".join(way for term in terms for way in spoken(term.astext()))
            yield [page, terms[0]["ids"][0], terms[0].astext(), title, also, _text(said)]
    for entry in doctree.findall(addnodes.desc):
        signature = next(iter(entry.findall(addnodes.desc_signature)), None)
        said = next(iter(entry.findall(addnodes.desc_content)), None)
        if signature is not None and signature["ids"]:
            name = signature["ids"][0].removeprefix("chaindyn.")
            yield [page, signature["ids"][0], name, title, "", _text(said) if said else ""]


def _text(node: nodes.Node) -> str:
    """What is read of a node, on one line; formulas as TeX between dollars."""
    return " ".join("".join(_parts(node)).split())


def _parts(node: nodes.Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.math):
            yield f"${child.astext()}$"
        elif isinstance(child, addnodes.pending_xref) and child.astext() == child["reftarget"]:
            continue  # a number or an author that the site will put there
        elif "cell" in getattr(child, "attributes", {}).get("classes", ()):
            continue
        elif not isinstance(child, APART):
            yield from _parts(child)
            if not isinstance(child, nodes.Inline | nodes.TextElement):
                yield " "
            elif isinstance(child, nodes.paragraph | nodes.term):
                yield " "


def write_index(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    rows = list[list[Any]]()
    for page in sorted(app.env.found_docs):
        rows += [*section_rows(app, page), *other_rows(app, page)]
    there = {(page, anchor) for page, anchor, *_ in rows}
    for page, anchor in NAMES.keys() - there:
        if page in app.env.found_docs:
            LOG.warning("find.py names %s#%s, which is not there", page, anchor)
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, FILE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", write_index)
