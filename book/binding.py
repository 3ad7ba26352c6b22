"""Bind the prints of pages into one PDF: sheets, outline, places, links between them, and tags for who hears the book.

A print is what Chromium makes of a page, tagged, with links that lead out of it marked by `ELSEWHERE`. Its last sheet,
which shows every sign of the book, only made it embed the same fonts as the others: it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NullObject,
    NumberObject,
)

from book.packing import share_fonts

# The scheme of an address whose path is the name of a place in another print.
ELSEWHERE = "elsewhere:"
# [points] of a number at the foot; a digit of Helvetica is as wide as this of it.
SIZE, HEIGHT, DIGIT = 6, 26, 0.556
# The entries of an element that adds nothing to what is in it.
SILENT = frozenset(("/Type", "/S", "/P", "/K", "/Pg"))


def bind(prints: Sequence[PdfReader]) -> PdfWriter:
    """Return the book of some prints, with a number at the foot of each sheet but the first."""
    for k, printed in enumerate(prints):
        _drop_last(printed.root_object["/Pages"])
        _thin(printed.root_object["/StructTreeRoot"], f"{k}-")
    book = PdfWriter(clone_from=prints[0])
    book.pdf_header = prints[0].pdf_header
    root = book.root_object
    for printed in prints[1:]:
        _add(root, printed.root_object.clone(book))
    pages = list(_pages(root["/Pages"]))
    places = root.get("/Dests", {})
    for page in pages:
        for link in page.get("/Annots", ()):
            _lead(link.get_object(), places)
    _index_tags(book, pages)
    _number(book, pages)
    share_fonts(pages)
    return book


def _set(entries: Any, **values: Any) -> None:
    entries.update({NameObject(f"/{name}"): value for name, value in values.items()})


def _add(root: Any, more: Any) -> None:
    """Add the sheets, places, outline and tags of a print to those before it."""
    sheets, own = root["/Pages"], more["/Pages"]
    sheets["/Kids"].append(own.indirect_reference)
    _set(sheets, Count=NumberObject(sheets["/Count"] + own["/Count"]))
    _set(own, Parent=sheets.indirect_reference)

    root.setdefault(NameObject("/Dests"), DictionaryObject()).update(more.get("/Dests", {}))

    if "/Outlines" in more:
        outline, own = root["/Outlines"], more["/Outlines"]
        last, entry = outline["/Last"], own["/First"]
        _set(last, Next=entry.indirect_reference)
        _set(entry, Prev=last.indirect_reference)
        _set(
            outline,
            Last=own.raw_get("/Last"),
            Count=NumberObject(outline["/Count"] + own["/Count"]),
        )
        while entry is not None:
            _set(entry, Parent=outline.indirect_reference)
            entry = entry.get("/Next")

    (whole,), (part,) = root["/StructTreeRoot"]["/K"], more["/StructTreeRoot"]["/K"]
    _set(part.get_object(), S=NameObject("/Part"), P=whole)
    whole.get_object()["/K"].append(part)


def _drop_last(node: Any) -> None:
    """Take the last sheet away."""
    _set(node, Count=NumberObject(node["/Count"] - 1))
    last = node["/Kids"][-1]
    _drop_last(last) if last.get("/Count", 1) > 1 else node["/Kids"].pop()


def _pages(node: Any) -> Iterator[Any]:
    for kid in node["/Kids"]:
        one = kid.get_object()
        yield from _pages(one) if "/Kids" in one else [one]


def _lead(link: Any, places: Any) -> None:
    """Let a link that led out of its print lead to its place in the book."""
    address = str(link.get("/A", {}).get("/URI", ""))
    if address.startswith(ELSEWHERE):
        del link["/A"]
        place = NameObject(f"/{address.removeprefix(ELSEWHERE)}")
        if place in places:
            _set(link, Dest=place)


# Tags ---------------------------------------------------------------------------------------------


def _thin(tags: Any, prefix: str) -> None:
    """Take out of the tags the nine of ten elements that are only there, and what is indexed anew for the book."""
    for index in ("/ParentTree", "/ParentTreeNextKey", "/IDTree"):
        tags.pop(index, None)
    _set(tags, K=ArrayObject(_thinned(tags, tags, prefix)))


def _thinned(element: Any, owner: Any, prefix: str) -> list[Any]:
    """What stands in an element, as it stands in its owner: elements, and marks of what is on sheets."""
    found = list[Any]()
    for kid in _kids(element):
        one = kid.get_object()
        if isinstance(one, int):  # a mark on the sheet that the element names
            page = element.raw_get("/Pg")
            if owner is not element:
                owner.setdefault(NameObject("/Pg"), page)
            if owner.raw_get("/Pg") != page:
                one, number = DictionaryObject(), one
                _set(one, Type=NameObject("/MCR"), Pg=page, MCID=number)
            found.append(one)
        elif one.get("/Type") != "/StructElem":
            if "/Pg" in element:
                one.setdefault(NameObject("/Pg"), element.raw_get("/Pg"))
            found.append(one)
        elif one["/S"] == "/NonStruct" and one.keys() <= SILENT:
            found += _thinned(one, owner, prefix)
        else:
            _rename(one, prefix)
            _set(one, P=owner.indirect_reference, K=ArrayObject(_thinned(one, one, prefix)))
            found.append(one.indirect_reference)
    return found


def _kids(element: Any) -> Any:
    kids = element.get("/K", ())
    return kids if isinstance(kids, ArrayObject | tuple) else [element.raw_get("/K")]


def _rename(element: Any, prefix: str) -> None:
    """Give an element, and those that it names as its headers, a name that no other print has."""

    def renamed(name: Any) -> ByteStringObject:
        own = name if isinstance(name, bytes) else str(name).encode()
        return ByteStringObject(prefix.encode() + own)

    if "/ID" in element:
        _set(element, ID=renamed(element["/ID"]))
    for attributes in element.get("/A", ()):
        if "/Headers" in attributes:
            _set(attributes, Headers=ArrayObject(map(renamed, attributes["/Headers"])))


def _index_tags(book: PdfWriter, pages: Sequence[Any]) -> None:
    """Write down which element each mark on a sheet, each link and each name belongs to."""
    tags = book.root_object["/StructTreeRoot"]
    owners = list[Any]()  # by number: of a sheet's marks, or of a link
    names = dict[bytes, Any]()
    for page in pages:
        _set(page, StructParents=NumberObject(len(owners)))
        owners.append(ArrayObject())

    def walk(element: Any) -> None:
        if "/ID" in element:
            names[bytes(element["/ID"])] = element.indirect_reference
        for kid in _kids(element):
            one = kid.get_object()
            if isinstance(one, int):
                one = {"/Type": "/MCR", "/Pg": element["/Pg"], "/MCID": one}
            if one.get("/Type") == "/MCR":
                marks = owners[one["/Pg"]["/StructParents"]]
                marks += [NullObject()] * (one["/MCID"] + 1 - len(marks))
                marks[one["/MCID"]] = element.indirect_reference
            elif one.get("/Type") == "/OBJR":
                _set(one["/Obj"], StructParent=NumberObject(len(owners)))
                owners.append(element.indirect_reference)
            else:
                walk(one)

    walk(tags)
    numbers = [x for k, owner in enumerate(owners) for x in (NumberObject(k), owner)]
    ids = [x for name in sorted(names) for x in (ByteStringObject(name), names[name])]
    index, by_name = DictionaryObject(), DictionaryObject()
    _set(index, Nums=ArrayObject(numbers))
    _set(by_name, Names=ArrayObject(ids))
    _set(tags, ParentTree=index, ParentTreeNextKey=NumberObject(len(owners)), IDTree=by_name)


# Numbers ------------------------------------------------------------------------------------------


def _number(book: PdfWriter, pages: Sequence[Any]) -> None:
    """Write a number at the foot of each sheet but the first."""

    def written(text: str) -> Any:
        stream = DecodedStreamObject()
        stream.set_data(text.encode())
        return book._add_object(stream)

    font, before = DictionaryObject(), written("q\n")
    _set(
        font,
        Type=NameObject("/Font"),
        Subtype=NameObject("/Type1"),
        BaseFont=NameObject("/Helvetica"),
    )
    for k, page in enumerate(pages[1:], 2):
        place = (page["/MediaBox"][2] - SIZE * DIGIT * len(str(k))) / 2
        foot = (
            f"\nQ /Artifact BMC BT 0.33 g /Foot {SIZE} Tf {place:.2f} {HEIGHT} Td ({k}) Tj ET EMC\n"
        )
        page["/Resources"].setdefault(NameObject("/Font"), DictionaryObject()).update(
            {NameObject("/Foot"): font}
        )
        content = page.raw_get("/Contents")
        _set(page, Contents=ArrayObject([before, content, written(foot)]))
