"""Write a bound PDF small: only what its sheets lead to, each font once, and what is no stream packed into streams."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

TOGETHER = 200  # objects in a stream
NAMES = ("/BaseFont", "/FontName")  # with a prefix of their own in each print


def share_fonts(pages: Sequence[Any]) -> None:
    """Let sheets, and the drawings on them, use one font where theirs are the same."""
    known, seen = dict[bytes, Any](), set[int]()

    def share(resources: Any) -> None:
        fonts = resources.get("/Font", DictionaryObject()).get_object()
        if id(fonts) in seen:
            return
        seen.add(id(fonts))
        for name in fonts:
            font = fonts.raw_get(name)
            if isinstance(font, IndirectObject):
                fonts[name] = known.setdefault(_digest(font), font)
        for drawing in resources.get("/XObject", {}).values():
            share(drawing.get_object().get("/Resources", DictionaryObject()).get_object())

    for page in pages:
        share(page["/Resources"])


def _digest(value: Any) -> bytes:
    """What is the same for two objects if what they say is, whatever their numbers and prefixes are."""
    one = value.get_object() if isinstance(value, IndirectObject) else value
    if isinstance(one, ArrayObject):
        said = b"".join(map(_digest, one))
    elif isinstance(one, DictionaryObject):
        kept = sorted(name for name in one if name not in NAMES)
        said = b"".join(name.encode() + _digest(one.raw_get(name)) for name in kept)
        said += b"".join(str(one[name]).split("+")[-1].encode() for name in NAMES if name in one)
        if isinstance(one, StreamObject):
            said += one._data
    else:
        said = repr(one).encode()
    return sha256(said).digest()


def _within(one: Any) -> Iterator[IndirectObject]:
    """The objects that one names."""
    if isinstance(one, IndirectObject):
        yield one
    elif isinstance(one, ArrayObject | DictionaryObject):
        for part in list(one) if isinstance(one, ArrayObject) else map(one.raw_get, one):
            yield from _within(part)


def write(book: PdfWriter, target: Path) -> None:
    """Write a book, in the form that PDF has had since version 1.5."""
    found, waiting = dict[int, Any](), [book.root_object.indirect_reference]
    while waiting:
        if (name := waiting.pop()) is not None and name.idnum not in found:
            found[name.idnum] = one = name.get_object()
            waiting += _within(one)
    out, rows = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), dict[int, tuple[int, int, int]]()

    def put(number: int, said: bytes) -> None:
        rows[number] = (1, len(out), 0)
        out.extend(b"%d 0 obj\n%b\nendobj\n" % (number, said))

    small = [number for number, one in found.items() if not isinstance(one, StreamObject)]
    for number in found.keys() - set(small):
        put(number, _said(found[number]))
    last = max(found)
    for start in range(0, len(small), TOGETHER):
        last, inside = last + 1, small[start : start + TOGETHER]
        rows |= {number: (2, last, k) for k, number in enumerate(inside)}
        said, head = b"", b""
        for number in inside:
            head += b"%d %d " % (number, len(said))
            said += _said(found[number]) + b"\n"
        put(last, _stream(head + said, b"/Type/ObjStm/N %d/First %d" % (len(inside), len(head))))
    rows[last + 1] = (1, len(out), 0)
    table = b"".join(
        kind.to_bytes(1, "big") + place.to_bytes(4, "big") + k.to_bytes(2, "big")
        for kind, place, k in (rows.get(number, (0, 0, 0)) for number in range(last + 2))
    )
    root = book.root_object.indirect_reference
    assert root is not None
    start = len(out)
    kind = b"/Type/XRef/Size %d/W[1 4 2]/Root %d 0 R" % (last + 2, root.idnum)
    put(last + 1, _stream(table, kind))
    target.write_bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def _said(one: Any) -> bytes:
    into = BytesIO()
    one.write_to_stream(into)
    return into.getvalue()


def _stream(content: bytes, kind: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    head = b"<<%b/Filter/FlateDecode/Length %d>>" % (kind, len(packed))
    return head + b"\nstream\n" + packed + b"\nendstream"
