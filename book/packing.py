"""Write a bound PDF small: only what its sheets lead to, each font once, and what is no stream packed into streams."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

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


def write(book: PdfWriter, target: Path) -> None:
    """Write a book, in the form that PDF has had since version 1.5."""
    whole = BytesIO()
    book.write(whole)
    with pikepdf.open(whole) as pdf:
        pdf.save(
            target, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True
        )
