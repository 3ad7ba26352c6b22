"""The old address of a page leads on, to the same place on the page of today."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from book.pages import ROOT

SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]

PLACES = {  # old and new, each an id of the new page
    "chapters/18_derivatives#equation-eq-18-motion": "chapters/23_derivatives#equation-eq-23-motion",
    "chapters/08_articulated_body_inertia#summary": "chapters/09_articulated_body_inertia#summary",
    "chapters/31_the_mass_matrix_by_composite_inertia": "chapters/08_the_mass_matrix_by_composite_inertia",
    "chapters/34_rest_and_friction#equation-eq-17-rest": "chapters/21_rest_and_friction#equation-eq-21-rest",
}


def address(place: str, asked: str = "") -> str:
    page, _, anchor = place.partition("#")
    return f"{page}.html{asked}" + (f"#{anchor}" if anchor else "")


@pytest.mark.parametrize("old", PLACES)
def test_an_old_address_arrives(chromium, site_url, site_folder, old):
    context = chromium.new_context(bypass_csp=False)  # the page's policy lets its own script run
    page = context.new_page()
    page.goto(site_url + address(old, "?from=afar"), wait_until="commit")
    page.wait_for_url(site_url + address(PLACES[old], "?from=afar"), wait_until="commit")
    context.close()
    name, _, anchor = PLACES[old].partition("#")
    assert not anchor or f'id="{anchor}"' in (site_folder / f"{name}.html").read_text("utf-8")


def test_an_old_address_arrives_without_scripts(chromium, site_url):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site_url}chapters/18_derivatives.html", wait_until="commit")
    page.wait_for_url(f"{site_url}chapters/23_derivatives.html", wait_until="commit")
    context.close()


@pytest.mark.parametrize("old", SETTINGS["redirects"])
def test_an_old_address_stands_in_no_list(site_folder, old):
    text = (site_folder / f"{old}.html").read_text(encoding="utf-8")
    target = re.search(r'<link rel="canonical" href="([^"]+)"', text)[1]
    assert (site_folder / f"{old}.html").parent.joinpath(target).resolve().is_file()
    for name in ("sitemap.xml", "searchindex.js", "objects.inv"):
        assert old.encode() not in (site_folder / name).read_bytes(), name
    assert old not in {row[0] for row in json.loads((site_folder / "find.json").read_text("utf-8"))}
