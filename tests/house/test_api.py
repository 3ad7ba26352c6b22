"""The pages of the API: each module stands on one, and arguments are listed as their docstrings tell them."""

from __future__ import annotations

import doctest
from collections import Counter

import pytest

from book.extensions import api
from book.pages import PACKAGE, ROOT


def test_each_module_that_offers_something_stands_on_one_page():
    listed = [name for page in api.api_pages() for name in api.page_of_api(ROOT / f"{page}.md")[1]]
    assert [name for name, times in Counter(listed).items() if times > 1] == []
    offering = {module.__name__.removeprefix(f"{PACKAGE}.") for module in api.offering()}
    assert set(listed) == offering, "name it in {api} on a page of book/api"


def test_each_page_of_the_folder_is_in_the_table_of_contents():
    assert {page.stem for page in ROOT.glob(f"{api.FOLDER}/*.md")} == {
        page.rpartition("/")[2] for page in api.api_pages()
    }


def test_the_example_of_the_listing():
    assert doctest.testmod(api).failed == 0


@pytest.mark.parametrize(
    ("said", "before", "items", "after"),
    [
        ("The sum.", "The sum.", {}, ""),
        (
            "The sum. q : (n,); qd, tau : (n,) of it [N m]. ValueError if none.",
            "The sum.",
            {"q": "(n,)", "qd, tau": "(n,) of it [N m]"},
            "ValueError if none.",
        ),
        # what is said of one goes on, what is said of all stands below
        (
            "q : a start. It may be bad. Gravity is off. qd : a rate. It is small. All are kept.",
            "",
            {"q": "a start. It may be bad", "qd": "a rate. It is small"},
            "Gravity is off. All are kept.",
        ),
        # a shape alone is all that is said of an argument
        ("The mass. q : (n,). It is felt.", "The mass.", {"q": "(n,)"}, "It is felt."),
        # what is no argument is text
        ("Of x : (n,) nothing. q : one.", "Of x : (n,) nothing.", {"q": "one"}, ""),
    ],
)
def test_arguments_of_a_docstring(said, before, items, after):
    assert api.split_arguments(said, ["q", "qd", "tau"]) == (before, [*items.items()], after)


def test_no_word_of_a_docstring_is_lost():
    """Whatever is listed, in their order, and what is said of all at the end."""
    listed = 0
    for module in api.offering():
        for name in api._public(module):
            value = getattr(module, name)
            said = " ".join((value.__doc__ or "").split())
            before, items, after = api.split_arguments(said, api._arguments(value))
            told = " ".join([before, *(f"{names} {text}" for names, text in items), after])
            assert Counter(_words(told)) == Counter(_words(said)), name
            listed += len(items)
    assert listed > 400


def _words(text):
    return text.replace(" : ", " ").replace(";", " ").replace(",", " ").replace(".", " ").split()
