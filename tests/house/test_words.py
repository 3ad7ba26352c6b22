"""The book's English: a short list of words that it does without, and what to write instead."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "chapters").glob("*.md")), *sorted((ROOT / "book").glob("*.md"))]
CODE = re.compile(r"\A---.*?\n---\n|(?<!`)`[^`\n]+`(?!`)", re.DOTALL)

# Mannered words and the field's own, code that talks, and authors as "he".
BANNED = {
    r"\b[Ww]ish(?:es|ed)?\b": "reference, choice",
    r"\b[Pp]atients?\b|\bcustomers?\b": "example",
    r"\b(?:two|three|four|five|few|many|more|further) rounds\b": "steps, repetitions",
    r"\bsays? so\b": "reports, warns, shows",
    r"\bknows? (?:nothing|of)\b": "makes no use of, does not depend on",
    r"\b[Tt]o who\b|\b[Ww]hoever\b|\bWho (?:only|wants|has|knows|gives)\b": "if you, a reader who",
    r"\b(?:is|are|was|were) told\b": "is given, is prescribed",
    r"\bnever heard of\b|\bknows no\b": "does not use",
    r"\bin the place of\b": "instead of",
    r"\bdecides? over\b": "determines",
    r"\bbelongs? into\b": "belongs in",
    r"\bthe house(?:'s)?\b": "this book's",
    r"\breached us\b|\bcome to us\b": "in our copy",
    r"\basked in letters\b|\bhow much is little\b|\bboth hang on\b": "say it plainly",
    r"\bin a nutshell\b|\bby the way\b|\bof course\b|\bneedless to say\b": "leave it out",
    r"\b[Hh]is (?:\(\d|Table|equation|inertia|paper|section|\$)": "name the author: Kim's (31)",
    r"\b[Hh]e (?:writes|counts|calls|cuts|derives)\b": "name the author",
}


def prose(page):
    """Return a page's text, captions, comments and docstrings of cells included; lines stay where they are."""
    return CODE.sub(lambda m: "\n" * m.group().count("\n"), page)


def found(text):
    """Return line, words and advice for each banned word in a text."""
    for pattern, advice in BANNED.items():
        for match in re.finditer(pattern.replace(" ", r"\s"), text):
            yield f"line {text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}: {advice}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_without_mannered_words(page):
    assert not list(found(prose(page.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "sentence",
    [
        "As you wish.",
        "The function says so.",
        "A route that knows\nnothing of twists.",
        "These are his (31) and (32).",
        "the house's normal",
        "It takes three rounds.",
        "Who only wants\nthe result",
        "The joint is told its rate.",
        "It has never heard of energy.",
        "a series in the place of the quotient",
    ],
)
def test_the_words_are_found(sentence):
    assert list(found(prose(sentence)))


def test_names_in_the_text_are_left_alone():
    assert not list(found(prose("the argument `wish`, and `is told`")))


@pytest.mark.parametrize("line", ["alt: A patient.", "# the user is told", "wish = 1"])
def test_cells_are_read_too(line):
    assert list(found(prose(f"```{{code-cell}} ipython3\n{line}\n```\n")))


def test_every_word_of_the_list_has_its_advice():
    assert len(BANNED) < 20, "a short list, or nobody reads it"
    assert all(BANNED.values())
