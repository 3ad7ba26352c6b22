"""A PDF is written small, and says what it said."""

from __future__ import annotations

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from book import packing

SMALL = 400  # objects that are no streams, more than one stream takes
FACES = ("/AAAAAA+Serif", "/BAAAAA+Serif", "/AAAAAA+Mono", "/AAAAAA+Serif")
DRAWN = (b"glyphs", b"glyphs", b"glyphs", b"other glyphs")


@pytest.fixture
def made(tmp_path):
    """Four sheets, each with a font of its own; what the first two have is the same but for its prefix."""
    book = PdfWriter()
    for face, drawn in zip(FACES, DRAWN, strict=True):
        page = book.add_blank_page(100, 100)
        glyphs = DecodedStreamObject()
        glyphs.set_data(drawn)
        font = DictionaryObject(
            {
                NameObject("/BaseFont"): NameObject(face),
                NameObject("/FontFile"): book._add_object(glyphs),
            }
        )
        fonts = DictionaryObject({NameObject("/F1"): book._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        content = DecodedStreamObject()
        content.set_data(drawn + face.encode())
        page[NameObject("/Contents")] = book._add_object(content)
    last = book._add_object(DictionaryObject())
    for _ in range(SMALL):
        last = book._add_object(DictionaryObject({NameObject("/Before"): last}))
    book.root_object[NameObject("/Chain")] = last
    lost = DecodedStreamObject()
    lost.set_data(b"nobody leads here")
    book._add_object(lost)
    packing.share_fonts(book.pages)
    packing.write(book, tmp_path / "book.pdf")
    return tmp_path / "book.pdf"


def test_what_it_says_stays(made):
    book = PdfReader(made, strict=True)
    said = [page.get_contents().get_data() for page in book.pages]
    assert said == [drawn + face.encode() for face, drawn in zip(FACES, DRAWN, strict=True)]
    one, count = book.root_object["/Chain"], 1
    while "/Before" in one:
        one, count = one["/Before"], count + 1
    assert count == SMALL + 1


def test_fonts_that_are_the_same_are_one(made):
    pages = PdfReader(made).pages
    fonts = [page["/Resources"]["/Font"].raw_get("/F1").idnum for page in pages]
    assert fonts[0] == fonts[1]
    assert len(set(fonts)) == 3
    drawn = [page["/Resources"]["/Font"]["/F1"]["/FontFile"].get_data() for page in pages]
    assert drawn == list(DRAWN)


def test_what_nothing_leads_to_is_left_out(made):
    content = made.read_bytes()
    assert b"nobody leads here" not in content
    assert content.count(b"/ObjStm") > 1
    assert len(content) < 20 * SMALL  # each would have its line and its place, of some fifty bytes
