"""A letter means one thing in a chapter: what the notation page declares, and the chapters' text keeps."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = {int(page.name[:2]): page for page in sorted((ROOT / "chapters").glob("*.md"))}
NOTATION = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
HEADING = "## Letters that mean one thing in a chapter"

# Fonts and accents make another symbol, and words are none.
FONTS = (
    "mathbf|mathcal|mathrm|mathsf|mathbb|mathring|boldsymbol|operatorname|text|textstyle|begin|end|tag|"
    "hat|bar|tilde|underline|dot|ddot|check|widehat"
)
DRESSED = re.compile(rf"\\(?:{FONTS})\*?\s*(?:\{{[^{{}}]*\}}|\\[A-Za-z]+|[A-Za-z])")
INDEX = re.compile(r"[_^](?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?[A-Za-z0-9]+(?![A-Za-z])|.)")
MATH = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", re.DOTALL)
BETWEEN = r"(?:_\{?\w+\}?)?\$"  # what may follow the letter in its formula


def chapters_of(words):
    """Return the chapters that "2, 5-7" names."""
    found = set()
    for part in words.split(","):
        first, _, last = part.strip().partition("–")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def declared(page=NOTATION):
    """Return the meaning of each (letter, chapter); AssertionError if one has two."""
    table = page[page.index(HEADING) + len(HEADING) :].split("\n## ")[0]
    meanings = {}
    for letter, chapters, meaning in re.findall(
        r"^\| \$(\w)\$ \| ([^|]+) \| (.+) \|$", table, re.M
    ):
        for chapter in chapters_of(chapters):
            assert (letter, chapter) not in meanings, (
                f"{letter} has two meanings in chapter {chapter}"
            )
            meanings[letter, chapter] = meaning
    return meanings


MEANINGS = declared()
LETTERS = sorted({letter for letter, _ in MEANINGS})


def prose(page):
    """Return a chapter's prose, exercises and solutions included, in one line, without cells."""
    text = re.sub(r"\A---.*?\n---\n", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"```\{code-cell\}.*?\n```", "", text, flags=re.DOTALL))


def formulas(text):
    return [display or inline for display, inline in MATH.findall(text)]


def letters_in(formula):
    """Return the letters of a formula, without those in fonts, under accents and in indices."""
    formula = DRESSED.sub(" ", formula)
    while (shorter := INDEX.sub("", formula)) != formula:
        formula = shorter
    return set(
        re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", re.sub(r"\\[A-Za-z]+", " ", formula))
    )


def words(meaning):
    return {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", MATH.sub(" ", meaning).lower())}


def nouns_beside(letter, text):
    """Return the words that introduce a letter: "the pitch $h$", "$h$ is the pitch", "$h_{\\text{bias}}$"."""
    symbol = rf"\${letter}{BETWEEN}"
    before = re.findall(rf"([a-z]+) \${letter}(?:_\{{?\w+\}}?)?(?:\$| =)", text)
    after = re.findall(
        rf"{symbol},? (?:is|are|be|for|stands for|means) (?:the |a |an )((?:\w+ ?){{1,4}})", text
    )
    index = re.findall(rf"(?<![A-Za-z\\]){letter}_\{{\\(?:text|mathrm)\{{(\w+)", text)
    said = [*before, *" ".join(after).split(), *index]
    return {word.rstrip("s") for word in said if word not in PLAIN}


def labels(letter, text):
    """Return what stands below a letter and counts nothing: the w of $Q_w$, not the i of $Q_i$."""
    below = {
        index
        for formula in formulas(text)
        for index in re.findall(
            rf"(?<![A-Za-z\\]){letter}_(\\[a-z]+|\w|\{{[^{{}}]*\}})", DRESSED.sub(" ", formula)
        )
    }
    return {index for index in below if index.strip("{} ") and not COUNTS.search(index)}


def is_a_number(letter, text):
    """Whether a letter is given a value other than 0 and 1, as no matrix is."""
    values = re.findall(rf"\${letter}(?:_\w)? = ([0-9.]+)", text)
    return any(float(value.rstrip(".")) not in (0, 1) or "." in value for value in values)


def tidied(formula):
    """Return a formula without indices, accents and spaces, to compare."""
    formula = re.sub(r"\\(?:hat|bar|tilde|,|;|!)", "", formula)
    return re.sub(r"[\s{}]", "", re.sub(r"_(?:\{[^{}]*\}|\w)", "", formula)).rstrip(".,;")


def definitions(letter, text):
    """Return what stands behind `letter =` at the start of formulas, if it has letters in it, tidied."""
    found = []
    for formula in formulas(text):
        match = re.match(rf"\s*{letter}(?:_\{{?\w+\}}?)?\s*=\s*([^=]+)$", formula)
        if match and re.search(r"[A-Za-z]", match[1]) and "matrix" not in match[1]:
            found.append(tidied(match[1]))
    return found


def slips(chapter, text):
    """Return what a chapter's text does with the letters that the table does not say."""
    used = set().union(*map(letters_in, formulas(text)))
    for letter in LETTERS:
        meaning = MEANINGS.get((letter, chapter))
        if (meaning is None) == (letter in used):
            yield (
                f"{letter} is displayed"
                if meaning is None
                else f"{letter} is declared and not used"
            )
        if meaning is None:
            continue
        elsewhere = set().union(*(words(m) for (a, _), m in MEANINGS.items() if a == letter))
        for noun in (nouns_beside(letter, text) & (elsewhere | ALIEN)) - words(meaning):
            yield f"{noun} {letter}, which is declared as: {meaning}"
        for label in labels(letter, text):
            if f"{letter}_{label}" not in meaning:
                yield f"{letter}_{label}, and {letter} is declared as: {meaning}"
        if letter in "JPQ" and is_a_number(letter, text):
            yield f"{letter} is a number, and declared as: {meaning}"
        ours = [tidied(m.partition("=")[2]) for m in formulas(meaning)]
        for formula in definitions(letter, text) if letter in "PDB" else ():
            if formula not in ours:
                yield f"{letter} = {formula}, which is declared as: {meaning}"


COUNTS = re.compile(
    r"[0-9ijkmnpqNabcefsuvxyz]|lambda|nu|ell"
)  # what may count links, joints, directions

# Words beside a letter that say nothing of what it means.
PLAIN = {"from", "take", "matrix", "times", "with", "that"}

# What these letters stand for in other books.
ALIEN = {
    "inertia",
    "moment",
    "impulse",
    "momentum",
    "mass",
    "length",
    "energy",
    "velocity",
    "time",
    "damping",
    "point",
}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=str)
def test_a_letter_means_one_thing_in_a_chapter(chapter):
    found = list(slips(chapter, prose(CHAPTERS[chapter].read_text(encoding="utf-8"))))
    assert not found, found


def test_the_jacobian_has_its_letter_for_itself():
    assert {
        words(m) & {"jacobian"} == {"jacobian"} for (a, _), m in MEANINGS.items() if a == "J"
    } == {True}


def test_no_symbol_has_two_rows_in_the_tables_of_one_chapter():
    rows = defaultdict(Counter)
    for section in re.split(r"^## ", NOTATION, flags=re.MULTILINE):
        chapter = re.search(r"^Chapter (\d+)", section, re.MULTILINE)
        if chapter:
            for cell in re.findall(r"^\| (\$[^|]*\$) \|", section, re.MULTILINE):
                symbols = [
                    formula.split("=")[0].strip() for formula in re.findall(r"\$([^$]+)\$", cell)
                ]
                rows[int(chapter[1])].update(symbols)
    assert len(rows) > 15
    twice = {n: [s for s, k in found.items() if k > 1] for n, found in rows.items()}
    assert not {n: s for n, s in twice.items() if s}


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("The rotor has the inertia $J$.", "inertia J"),
        ("A step of the length $h$ is taken.", "length h"),
        ("The kinetic energy $T$ stays.", "energy T"),
        ("Let $Q_w$ weigh the errors.", "Q is displayed"),
        ("A disc of $J = 0.5$ kg m².", "J is a number"),
        ("The column of $J_w$ is taken.", "J_w"),
        ("With the friction $h_{\\text{step}}$ it stops.", "step h"),
        ("With $D = 1 + u^2$ it is short.", "D = 1+u^2"),
    ],
)
def test_a_second_meaning_is_found(sentence, what):
    """In chapter 6 J is the Jacobian and h the bias force; Q and D are not used there, and D is declared in 8."""
    chapter = 9 if "D" in sentence else 6
    page = CHAPTERS[chapter].read_text(encoding="utf-8")
    text = prose(page.replace("```{exercise-end}", f"{sentence}\n```{{exercise-end}}", 1))
    assert any(what in slip for slip in slips(chapter, text))


def test_a_letter_with_two_rows_is_refused():
    row = "| $J$ | 5 | moment of inertia |\n"
    first = NOTATION.index("| $J$ | 5")
    with pytest.raises(AssertionError, match="two meanings"):
        declared(NOTATION[:first] + row + NOTATION[first:])
