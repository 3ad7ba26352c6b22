"""The API: ``{api} MODULES`` lists what some modules offer (their ``__all__``), and each entry leads to the chapter
that derives it; ``{api-index}`` says which page has what. Helpers, which promise nothing, are read where they stand.

Arguments, which docstrings describe as ``name : text`` on a line with others, are listed.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent
from types import ModuleType

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book.extensions.exported import derivations, public_name
from book.extensions.numbers import chapter_number
from book.pages import PACKAGE, ROOT, chapters, front_matter, pages_in_order

FOLDER = "book/api"  # of the pages
EXAMPLE = re.compile(r"^(>>> .*(?:\n.+)*)$", re.MULTILINE)  # up to a blank line
ROOMS = ("compiler", "models")  # whose modules offer something; armour promises nothing


class derived_in(nodes.paragraph):
    """Leads from an API entry to the cell that defines the function; filled in when all pages are read."""


class Api(SphinxDirective):
    """``{api} MODULES``: a section for each of them, in the order in which they are named."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        modules = [module_of(name) for name in self.arguments[0].split()]
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


class ApiIndex(SphinxDirective):
    """``{api-index}``: of each page its modules and their names, at the anchors that these once had on one page."""

    def run(self) -> list[nodes.Node]:
        return [self.page_section(page) for page in api_pages()]

    def page_section(self, page: str) -> nodes.section:
        source = ROOT / f"{page}.md"
        title, modules = page_of_api(source)
        self.env.note_dependency(str(source))
        section = nodes.section(ids=[nodes.make_id(title)], names=[])
        section += nodes.title("", title)
        rows = [self.row(module_of(name), page) for name in modules]
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (30, 70)), cols=2)
        group += nodes.thead("", _row(nodes.Text("module"), nodes.Text("names")))
        group += nodes.tbody("", *rows)
        section += nodes.table("", group, classes=["api-index"])
        return section

    def row(self, module: ModuleType, page: str) -> nodes.row:
        self.env.note_dependency(str(module.__file__))
        short = module.__name__.removeprefix(f"{PACKAGE}.")
        anchor = "module-" + short.replace(".", "-")
        uri = f"{page.removeprefix('book/')}.html#{anchor}"
        name = nodes.literal(text=module.__name__)
        names = nodes.inline()
        for k, own in enumerate(_public(module)):
            full = public_name(short, own)
            names += [nodes.Text(", ")] * bool(k)
            names += _moved(full, f"{page.removeprefix('book/')}.html#{full}", own)
        return _row(_moved(anchor, uri, name), names)


def _moved(anchor: str, uri: str, shown: str | nodes.Node) -> nodes.inline:
    """A link at the anchor where what it leads to once stood: theme/book.js follows it for who comes by that."""
    text = nodes.literal(text=shown) if isinstance(shown, str) else shown
    link = nodes.reference("", "", text, internal=True, refuri=uri)
    return nodes.inline("", "", link, ids=[anchor], classes=["moved"])


def _row(*cells: nodes.Node) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{name}")


def api_pages() -> list[str]:
    """The pages of the API, in their order."""
    return [page for page in pages_in_order() if page.startswith(f"{FOLDER}/")]


_DIRECTIVE = re.compile(r"^```\{api\} (.+)$", re.MULTILINE)


def page_of_api(source: Path) -> tuple[str, list[str]]:
    """The title of a page of the API, and the modules that it lists."""
    text = source.read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ").removeprefix("API: ")
    listed = [name for line in _DIRECTIVE.findall(text) for name in line.split()]
    return title[0].upper() + title[1:], listed


def offering() -> list[ModuleType]:
    """The modules that offer something: those that chapters export, then those that are written by hand."""
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
    found = [module_of(name) for name in names if not name.startswith("_")]
    return [module for module in found if _public(module)]


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
    arguments = _arguments(value)
    parts = EXAMPLE.split("\n".join(lines))  # text, an example, text, ...
    for k, part in enumerate(parts):
        parts[k] = _shown(part) if k % 2 else _text(part, arguments)
    lines[:] = "\n".join(parts).splitlines()


def _arguments(value: object) -> list[str]:
    try:
        return list(inspect.signature(value).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # a module, an attribute
        return []


def _text(text: str, arguments: list[str]) -> str:
    """Some paragraphs, with their arguments as lists."""
    made = list[str]()
    for paragraph in re.split(r"\n\s*\n", text):
        before, items, after = split_arguments(" ".join(paragraph.split()), arguments)
        made += [_plain(before)] if before else []
        if items:
            listed = [f"{_terms(names)}\n   {_plain(said)}" for names, said in items]
            made += [".. container:: arguments\n\n" + indent("\n".join(listed), "   ")]
        made += [_plain(after)] if after else []
    return "\n\n".join(made) + "\n"


def _terms(names: str) -> str:
    return ", ".join(f"``{name}``" for name in names.split(", "))


# Sentences that speak of no single argument, though they stand behind one; and, behind the last, those that still do.
_OF_ALL = re.compile(r"(?:Returns?|[A-Z]\w*Error|Gravity|Rotors|With batch|Needs) ?\b")
_GOES_ON = re.compile(r"(?:It|They|Their|Each|There|Then|This|Otherwise|Where)\b")
_SHAPE = re.compile(r"\([^()]*\)\.")  # all that is said of an argument
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z`])")


def split_arguments(text: str, arguments: Iterable[str]) -> tuple[str, list[tuple[str, str]], str]:
    """What is said before the arguments of a function, of each of them, and of all.

    >>> split_arguments("Add. a : (n,) one; b : another. Returns c.", ["a", "b"])
    ('Add.', [('a', '(n,) one'), ('b', 'another')], 'Returns c.')
    """
    name = "|".join(sorted(map(re.escape, arguments), key=len, reverse=True)) or "(?!)"
    places = re.compile(rf"(?:^|(?<=[.;,)\]\"] ))((?:(?:{name}), )*(?:{name})) : ")
    before, *rest = places.split(text)  # text, names, text, names, ...
    items, after = list[tuple[str, str]](), list[str]()
    for k in range(0, len(rest), 2):
        own, of_all = list[str](), list[str]()
        last = k == len(rest) - 2
        for sentence in _SENTENCES.split(rest[k + 1].strip()):
            goes_on = _GOES_ON.match(sentence) and not _SHAPE.fullmatch(" ".join(own))
            ends = _OF_ALL.match(sentence) or (last and (of_all or not goes_on))
            (of_all if own and ends else own).append(sentence)
        after += of_all
        items.append((rest[k], " ".join(own).rstrip(" ;,.")))
    return re.sub(";$", ".", before.strip()), items, " ".join(after)


def _shown(example: str) -> str:
    return "\n.. code-block:: pycon\n\n" + indent(example, "   ") + "\n"


def _plain(text: str) -> str:
    paragraphs = "\n".join(line.strip() for line in text.splitlines())
    pieces = re.split(r"(`+)(.+?)\1", paragraphs)  # text, backticks, code, text, ...
    words = [re.sub(r"([\\*|_`])", r"\\\1", piece) for piece in pieces[::3]]
    code = [f"``{piece}``" for piece in pieces[2::3]]
    return "".join(word for pair in zip(words, [*code, ""], strict=True) for word in pair)


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


def pages_with_entries(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """The pages with entries, to be written again when a chapter may have moved what they lead to."""
    return {entry.docname for entry in env.domains["py"].objects.values()}


def setup(app: Sphinx) -> None:
    app.add_directive("api", Api)
    app.add_directive("api-index", ApiIndex)
    app.add_node(derived_in)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("object-description-transform", add_derivation)
    app.connect("doctree-resolved", fill_in_derivations)
    app.connect("env-updated", pages_with_entries)
