"""Leave out of a style sheet what no page of the site can use: of a theme's half megabyte a sixth is needed.

A selector stays if every class and id that it asks for is a word of the pages (in ``class`` or ``id``) or of a script,
which may set it later. What stands in ``:is()``, ``:not()`` and their like is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import tinycss2
from tinycss2.ast import AtRule, Node, QualifiedRule

_NAMED = re.compile(r'\b(?:class|id)="([^"]*)"')
_WORD = re.compile(r"[A-Za-z_][\w-]*")


def words_of_page(html: str) -> set[str]:
    """All classes and ids of a page."""
    return {word for named in _NAMED.findall(html) for word in named.split()}


def words_of_script(script: str) -> set[str]:
    """All words of a script, among them the classes that it may set."""
    return set(_WORD.findall(script))


def used(css: str, words: set[str]) -> str:
    """The rules of a style sheet that can hold for something of these words, in their order and without comments."""
    return "\n".join(_kept(tinycss2.parse_stylesheet(css, True, True), words))


def _kept(rules: Iterable[Node], words: set[str]) -> list[str]:
    return [text for rule in rules if (text := _rule(rule, words))]


def _rule(rule: Node, words: set[str]) -> str:
    """The rule as text; nothing if it cannot hold."""
    if isinstance(rule, QualifiedRule):
        selectors = [each for each in _selectors(rule.prelude) if _asked_for(each) <= words]
        if not selectors:
            return ""
        heads = ",".join(tinycss2.serialize(each).strip() for each in selectors)
        return f"{heads}{{{tinycss2.serialize(rule.content).strip()}}}"
    nested = isinstance(rule, AtRule) and rule.lower_at_keyword in (
        "media",
        "supports",
        "container",
    )
    if not nested:
        return str(rule.serialize())
    inner = _kept(tinycss2.parse_rule_list(rule.content, True, True), words)
    condition = tinycss2.serialize(rule.prelude).strip()
    return f"@{rule.at_keyword} {condition}{{{''.join(inner)}}}" if inner else ""


def _selectors(prelude: list[Node]) -> list[list[Node]]:
    """The selectors between the commas."""
    selectors: list[list[Node]] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def _asked_for(selector: list[Node]) -> set[str]:
    """The classes and ids that something must have, itself or around it."""
    classes = {
        name.value for dot, name in pairwise(selector) if dot == "." and name.type == "ident"
    }
    return classes | {token.value for token in selector if token.type == "hash"}
