"""What search engines and catalogues of courses read: JSON-LD (schema.org) in each page, and a list of the pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book import cover
from book.extensions.heads import description
from book.pages import front_matter

LICENCES = [
    "https://creativecommons.org/licenses/by/4.0/",  # text and figures
    "https://opensource.org/license/bsd-3-clause",  # code
]
COURSE = "book/teaching"
UNLISTED = {"search", "genindex"}
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _chapters(env: BuildEnvironment) -> dict[int, str]:
    """The page of each chapter, by its number."""
    own = ((_chapter(env, page), page) for page in env.found_docs)
    return {said["chapter"]: page for said, page in sorted(own, key=lambda x: x[1]) if said}


def _chapter(env: BuildEnvironment, page: str) -> dict[str, Any]:
    """What the front matter says of a chapter; nothing of another page, or of one that has no source."""
    if page not in env.found_docs:
        return {}
    said: dict[str, Any] = front_matter(Path(env.doc2path(page))).get("chaindyn", {})
    return said if "chapter" in said else {}


def records(app: Sphinx, page: str, title: str, said: str) -> dict[str, Any] | None:
    """What a page is: the book, one of its chapters, a course; None for others."""
    env, base = app.env, app.config.html_baseurl
    author = {"@type": "Organization", "name": app.config.author}
    common = {
        "@context": "https://schema.org",
        "url": f"{base}{page}.html",
        "description": said,
        "inLanguage": app.config.language,
        "isAccessibleForFree": True,
        "license": LICENCES,
        "author": author,
    }
    book = {"@type": "Book", "name": cover.TITLE, "url": f"{base}{app.config.root_doc}.html"}
    if page == app.config.root_doc:
        parts = [f"{base}{own}.html" for _, own in sorted(_chapters(env).items())]
        return common | book | {
            "@type": ["Book", "LearningResource"],
            "learningResourceType": "textbook",
            "educationalLevel": "graduate",
            "hasPart": [{"@type": "Chapter", "url": url} for url in parts],
        }  # fmt: skip
    if page == COURSE:
        return common | {
            "@type": "Course",
            "name": cover.TITLE,
            "provider": author,
            "isBasedOn": book,
        }
    if chapter := _chapter(env, page):
        numbered = _chapters(env)
        here = [numbered[k] for k in chapter.get("needs", []) if k in numbered]
        return common | {
            "@type": ["Chapter", "LearningResource"],
            "name": title,
            "position": chapter["chapter"],
            "isPartOf": book,
            "learningResourceType": "chapter",
            "competencyRequired": [env.titles[needed].astext() for needed in here],
        }
    return None


def fill_in(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """A page's record, as a script that no browser runs."""
    title = Markup(context.get("title", "")).striptags()
    if record := records(app, page, title, description(doctree) or cover.SUBTITLE):
        text = json.dumps(record, ensure_ascii=False).replace("</", "<\\/")
        script = f'<script type="application/ld+json">{text}</script>'
        context["metatags"] = context.get("metatags", "") + script


def write_sitemap(app: Sphinx, exception: Exception | None) -> None:
    """The addresses of all pages: also of those that an earlier build has written."""
    if exception or app.builder.name != "html":
        return
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(f"{{{NAMESPACE}}}urlset")
    for page in sorted(app.env.found_docs - UNLISTED):
        place = ElementTree.SubElement(root, f"{{{NAMESPACE}}}url")
        address = f"{app.config.html_baseurl}{page}.html"
        ElementTree.SubElement(place, f"{{{NAMESPACE}}}loc").text = address
    tree = ElementTree.ElementTree(root)
    tree.write(Path(app.outdir, "sitemap.xml"), "utf-8", xml_declaration=True)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", fill_in, priority=600)  # after the head is filled
    app.connect("build-finished", write_sitemap)
