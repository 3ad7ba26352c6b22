"""The API page: ``{api}`` lists what each module offers (its ``__all__``), and each entry leads to the chapter that
derives it. Helpers, which promise nothing, are read where they stand."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from types import ModuleType

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book.extensions.exported import derivations, public_name
from book.extensions.numbers import chapter_number
from book.pages import PACKAGE, chapters, front_matter

ROOMS = ("compiler", "models")  # whose modules offer something; armour promises nothing


class derived_in(nodes.paragraph):
    """Leads from an API entry to the cell that defines the function; filled in when all pages are read."""


class Api(SphinxDirective):
    """``{api}``: a section for each module, in the order of the chapters, those written by hand last."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        modules = [module for module in _modules() if _public(module)]
        for module in modules:
            self.env.note_dependency(str(module.__file__))
        return [self.module_section(module) for module in modules]

    def module_section(self, module: ModuleType) -> nodes.section:
        short = module.__name__.removeprefix(f"{PACKAGE}.")
        section = nodes.section(ids=["module-" + short.replace(".", "-")], names=[])
        section += nodes.title("", "", nodes.literal(text=module.__name__))
        lines = [*inspect.cleandoc(module.__doc__ or "").splitlines(), ""]
        for name in _public(module):
            kind = "autoclass" if inspect.isclass(getattr(module, name)) else "autofunction"
            lines += ["", f".. {kind}:: {public_name(short, name)}"]
            if kind == "autoclass":  # armour gives classes of laws their other members
                ours = not short.startswith("widgets")
                lines += ["   :members:", *["   :inherited-members: Joint"] * ours]
        text = ["````{eval-rst}", *lines, "````"]
        source = StringList(text, source=self.env.doc2path(self.env.docname))
        self.state.nested_parse(source, self.content_offset, section)
        return section


def _modules() -> list[ModuleType]:
    exported = [
        name
        for page in chapters()
        for name in front_matter(page).get("chaindyn", {}).get("modules", {})
    ]
    package = importlib.import_module(PACKAGE)
    by_hand = [module.name for module in pkgutil.iter_modules(package.__path__)]
    for room in ROOMS:
        inside = importlib.import_module(f"{PACKAGE}.{room}")
        by_hand += [f"{room}.{module.name}" for module in pkgutil.iter_modules(inside.__path__)]
    # a room of armour or of long computations may define what the package offers
    offered = {str(getattr(package, name).__module__) for name in package.__all__}
    by_hand += sorted(name.removeprefix(f"{PACKAGE}.") for name in offered)
    names = dict.fromkeys([*exported, *by_hand])
    return [
        importlib.import_module(f"{PACKAGE}.{name}") for name in names if not name.startswith("_")
    ]


def _public(module: ModuleType) -> list[str]:
    """The functions and classes that a module itself defines, in order, but for those with a leading underscore."""
    offered = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    own = [
        name
        for name, value in (vars(module) | offered).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__.startswith(module.__name__)
    ]
    chosen = getattr(module, "__all__", None)
    return own if chosen is None else [name for name in own if name in chosen]


def plain_docstring(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """The package's docstrings are plain text with code in backticks, not markup: an a* is no emphasis."""
    paragraphs = "\n".join(line.strip() for line in lines)
    pieces = re.split(r"(`+)(.+?)\1", paragraphs)  # text, backticks, code, text, ...
    text = [re.sub(r"([\\*|_`])", r"\\\1", piece) for piece in pieces[::3]]
    code = [f"``{piece}``" for piece in pieces[2::3]]
    lines[:] = "".join(
        word for pair in zip(text, [*code, ""], strict=True) for word in pair
    ).splitlines()


def add_derivation(app: Sphinx, domain: str, objtype: str, content: nodes.Element) -> None:
    signature = content.parent[0]
    if domain == "py" and objtype in {"function", "class"}:
        content += derived_in("", name=signature["ids"][0].removeprefix(f"{PACKAGE}."))


def fill_in_derivations(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    known = derivations(app.env)
    by_name = {key.split(".")[-1]: value for key, value in known.items()} | known
    for line in list(doctree.findall(derived_in)):
        derivation = by_name.get(line["name"])
        if derivation is None:
            line.parent.remove(line)
            continue
        page, anchor, section = derivation
        uri = app.builder.get_relative_uri(docname, page) + f"#{anchor}"
        number = chapter_number(app.env, page)
        link = nodes.reference("", f"chapter {number}, {section}", internal=True, refuri=uri)
        line.replace_self(
            nodes.paragraph("", "Derived in ", link, nodes.Text("."), classes=["derived-in"])
        )


def api_pages(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """The pages with entries, to be written again when a chapter may have moved what they lead to."""
    return {entry.docname for entry in env.domains["py"].objects.values()}


def setup(app: Sphinx) -> None:
    app.add_directive("api", Api)
    app.add_node(derived_in)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("object-description-transform", add_derivation)
    app.connect("doctree-resolved", fill_in_derivations)
    app.connect("env-updated", api_pages)
