"""What the pages' style is made of, how wide figures must be, and what travels of the widgets."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from docutils import nodes

from book.extensions.figures import attributes, legible_width
from book.extensions.hosting import (
    _TOP,
    WIDGET_STATE,
    _anew,
    put_states_last,
    without_copies,
    write_sheet,
)
from book.extensions.linked_data import records
from book.extensions.sheet import used, words_of_page, words_of_script


@pytest.mark.parametrize(
    ("css", "sheet", "anew"),
    [
        ('a { src: url("../vendor/a.woff2") }', "_static/book.css", f'a {{ src: url("{_TOP}vendor/a.woff2") }}'),
        ("a{src:url(../vendor/a.woff2)}", "_static/styles/t.css", f'a{{src:url("{_TOP}_static/vendor/a.woff2")}}'),
        ("a { src: url('data:x') }", "_static/styles/t.css", "a { src: url('data:x') }"),
        ('@charset "utf-8";/* b */@import "../basic.css";a {}', "_static/styles/t.css", "a {}"),
    ],
)  # fmt: skip
def test_addresses_in_the_one_style_sheet(css, sheet, anew):
    assert _anew(css, sheet) == anew


def test_each_page_has_the_style_with_addresses_from_its_own_place(tmp_path):
    """Written again, as after a build of some pages only, it is the same."""
    place = '<style id="site-style"></style>'
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static/basic.css").write_text(".here{color:red}.gone{color:red}", "utf-8")
    (tmp_path / "_static/a.css").write_text('.here{background:url("../face.svg")}', "utf-8")
    pages = {"index.html": "", "deep/in/it.html": "../../", "live/lab.html": None}
    for name in pages:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'{place}<p class="here">', "utf-8")
    app = SimpleNamespace(
        env=SimpleNamespace(chaindyn_sheets=["_static/a.css"]),
        builder=SimpleNamespace(name="html"),
        outdir=tmp_path,
    )
    for _ in range(2):
        write_sheet(app, None)
        for name, top in pages.items():
            sheet = f'.here{{color:red}}\n.here{{background:url("{top}face.svg")}}'
            style = place if top is None else place.replace("><", f">{sheet}<")
            assert (tmp_path / name).read_text("utf-8") == f'{style}<p class="here">'


def test_the_smallest_words_decide_how_wide_a_figure_is():
    svg = '<svg height="100pt" width="400pt"><g transform="scale(0.12 -0.12)"/><g transform="scale(0.1 -0.1)"/></svg>'
    assert legible_width(svg) == 360
    assert attributes(svg) == ' width="533" height="133" style="--legible: 360px"'
    scale = "".join(f"<path style='fill: #{k:06x}'/>" for k in range(13))
    assert 'class="as-drawn"' in attributes(svg + scale)
    assert legible_width("<svg></svg>") is None
    assert attributes("<svg></svg>") == ""


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("p{color:red}", "p{color:red}"),
        (".here{top:0}", ".here{top:0}"),
        (".gone{top:0}", ""),
        ("#gone p,#there p{top:0}", "#there p{top:0}"),
        (".here.gone{top:0}", ""),
        (".here .gone{top:0}", ""),
        (".here:not(.gone){top:0}", ".here:not(.gone){top:0}"),
        (":is(.gone,.here) p{top:0}", ":is(.gone,.here) p{top:0}"),
        (".set-later:hover::before{top:0}", ".set-later:hover::before{top:0}"),
        ('[data-x=".gone"]{top:0}', '[data-x=".gone"]{top:0}'),
        ("p{margin:.5em;color:#abc}", "p{margin:.5em;color:#abc}"),
        ("@media print{.gone{top:0}.here{top:0}}", "@media print{.here{top:0}}"),
        ("@media print{.gone{top:0}}", ""),
        ("@font-face{font-family:gone}", "@font-face{font-family:gone}"),
        ("/* b */.here{top:0}", ".here{top:0}"),
        (r".a\:b{top:0}", r".a\:b{top:0}"),
    ],
)
def test_a_style_sheet_keeps_what_pages_and_scripts_can_use(css, kept):
    words = words_of_page('<p class="here a:b" id="there">') | words_of_script(
        'x.className = "set-later"'
    )
    assert used(css, words) == kept


def models(**states):
    """Return the state of widgets as a page has it; what each of them is, is no concern here."""
    return json.dumps({"state": {name: {"state": state} for name, state in states.items()}})


def made_whole(body):
    """Return the states of widgets with their texts, as the page puts them back in `widgets.js`."""
    states = {name: model["state"] for name, model in json.loads(body)["state"].items()}
    for state in states.values():
        for key in ("_esm", "_css"):
            if isinstance(state.get(key), dict):
                state[key] = states[state[key]["as_in"]][key]
    return states


def test_a_text_of_widgets_travels_once():
    """Nothing is lost by it: a text may be empty, be a style here and a script there, or hold the end of a script."""
    given = {
        "a": {"_esm": "</script><b>", "_css": "p {}", "value": 1},
        "b": {"_esm": "</script><b>", "_css": "b {}", "value": 2},
        "c": {"_esm": "p {}", "_css": "b {}"},
        "d": {"_esm": "", "_css": ""},
        "e": {"_esm": "", "_css": "p {}"},
        "f": {"value": "</script>"},
    }
    body = without_copies(models(**given))
    assert "</" not in body
    assert [body.count(text) for text in ("script><b>", "p {}", "b {}")] == [1, 2, 1]
    assert json.loads(body)["state"]["d"]["state"] == given["d"]  # shorter than to say where it is
    assert made_whole(body) == given


def script(body, kind):
    return SimpleNamespace(attributes={"type": kind, "body": body})


def test_states_of_widgets_stand_behind_the_text():
    """In their order, each without copies; the other scripts stay where they were."""
    twice = models(a={"_esm": "x"}, b={"_esm": "x"})
    module, other = script("f()", "module"), script(models(c={"_esm": "y"}), WIDGET_STATE)
    context = {
        "body": "<p>text</p>",
        "script_files": ["site.js", script(twice, WIDGET_STATE), module, other],
    }
    put_states_last(None, "page", "page.html", context, None)
    opening = f'<script type="{WIDGET_STATE}">'
    first, second = without_copies(twice), models(c={"_esm": "y"})
    assert context["body"] == f"<p>text</p>{opening}{first}</script>{opening}{second}</script>"
    assert context["script_files"] == ["site.js", module]


@pytest.mark.parametrize("context", [{}, {"body": "", "script_files": ["site.js"]}])
def test_a_page_without_widgets_stays_as_it_is(context):
    before = dict(context)
    put_states_last(None, "page", "page.html", context, None)
    assert context == before


def test_an_edition_may_leave_out_a_chapter_that_another_needs(tmp_path):
    """What is needed is then named as far as it is there."""
    for number, needs in (1, []), (3, [1, 2]):
        said = f"---\nchaindyn: {{chapter: {number}, needs: {needs}}}\n---\n# Chapter {number}\n"
        (tmp_path / f"{number}.md").write_text(said, "utf-8")
    env = SimpleNamespace(
        found_docs={"1", "3"},
        doc2path=lambda page: tmp_path / f"{page}.md",
        titles={page: nodes.title("", f"Chapter {page}") for page in "13"},
    )
    config = SimpleNamespace(html_baseurl="", author="", language="en", root_doc="intro")
    record = records(SimpleNamespace(env=env, config=config), "3", "Chapter 3", "")
    assert (record["position"], record["competencyRequired"]) == (3, ["Chapter 1"])
