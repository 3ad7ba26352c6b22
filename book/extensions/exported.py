"""Mark the cells that become the package, give each definition an anchor, and lead from there to its API entry."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book.pages import PACKAGE, front_matter


class Derivation(NamedTuple):
    """Where the book derives a function."""

    page: str
    anchor: str
    section: str  # the title of the section that the cell stands in


def derivations(env: BuildEnvironment) -> dict[str, Derivation]:
    """What the chapters export: by module and name, as in ``spatial.crm``."""
    if not hasattr(env, "chaindyn_derivations"):
        env.chaindyn_derivations = {}  # type: ignore[attr-defined]
    found: dict[str, Derivation] = env.chaindyn_derivations  # type: ignore[attr-defined]
    return found


def public_name(module: str, name: str) -> str:
    """The name that a reader imports: ``chaindyn.crm``, or ``chaindyn.spatial.screw`` where the package does not
    offer it at its top."""
    package = importlib.import_module(PACKAGE)
    return (
        f"{PACKAGE}.{name}"
        if name in getattr(package, "__all__", dir(package))
        else f"{PACKAGE}.{module}.{name}"
    )


def mark_exported_cells(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    modules = list(
        front_matter(Path(app.env.doc2path(page))).get("chaindyn", {}).get("modules", {})
    )
    for cell in list(doctree.findall(nodes.container)):
        if "tag_export" not in cell["classes"]:
            continue
        module = cell["cell_metadata"].get("module", modules[0])
        names = _definitions(cell)
        for name in names:
            derivations(app.env)[f"{module}.{name}"] = Derivation(
                page, f"export-{name}", section_of(cell)
            )
        index = cell.parent.index(cell)
        cell.parent.insert(index, _marker(module, names))


def _definitions(cell: nodes.Element) -> list[str]:
    source = next(iter(cell.findall(nodes.literal_block))).astext()
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]


def section_of(node: nodes.Node) -> str:
    """The title of the section that a node stands in."""
    while not isinstance(node, nodes.section):
        node = node.parent
    return node[0].astext()


def _marker(module: str, names: list[str]) -> nodes.container:
    """The line above an exported cell: where it goes, and links to what the API says of what is no helper."""
    line = nodes.paragraph(
        "",
        "",
        nodes.inline("", "exported to "),
        nodes.literal(text=f"{PACKAGE}/{module.replace('.', '/')}.py"),
    )
    offered = importlib.import_module(f"{PACKAGE}.{module}").__all__
    public = [name for name in names if name in offered]
    for i, name in enumerate(public):
        line += nodes.Text(", " if i else " · API: ")
        link = addnodes.pending_xref(
            "",
            nodes.literal(text=name),
            refdomain="py",
            reftype="obj",
            refexplicit=True,
            refwarn=True,
            reftarget=public_name(module, name),
        )
        line += link
    return nodes.container("", line, classes=["exported"], ids=[f"export-{name}" for name in names])


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    known = derivations(env)
    for name in [name for name, derivation in known.items() if derivation.page == docname]:
        del known[name]


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", mark_exported_cells)
    app.connect("env-purge-doc", forget)
