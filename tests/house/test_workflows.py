"""The files that other programs read: they parse, and the commands, paths and extras that they name are there."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from book.pages import ROOT
from book.setup import ALIASES, COMMANDS

GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EVERY = [pytest.param(file, id=file.stem) for file in WORKFLOWS]


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def triggers(workflow: dict[Any, Any]) -> dict[str, Any]:
    return workflow[True]  # YAML 1.1 reads the key `on` as a truth value


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in read(file)["jobs"].values() for step in job["steps"]]


def calls(file: Path) -> str:
    """What the steps of a workflow run, line by line."""
    return "\n".join(step["run"] for step in steps(file) if "run" in step)


def test_there_are_the_workflows_that_the_project_needs():
    assert {file.stem for file in WORKFLOWS} == {
        "publish",
        "package",
        "nightly",
        "links",
        "release",
    }


@pytest.mark.parametrize("file", EVERY)
def test_a_workflow_is_complete(file):
    workflow = read(file)
    assert workflow["name"] and triggers(workflow)
    assert workflow["permissions"] == {"contents": "read"}  # a job that needs more says so itself
    for job in workflow["jobs"].values():
        assert job["runs-on"] and job["steps"]
    for step in steps(file):
        assert ("run" in step) != ("uses" in step)


@pytest.mark.parametrize("file", EVERY)
def test_actions_are_pinned(file):
    """A tag or a branch can be moved to another commit; the version stands beside, for readers and for dependabot."""
    uses = re.findall(r"uses: *(.*)", file.read_text(encoding="utf-8"))
    assert len(uses) == sum("uses" in step for step in steps(file))
    for line in uses:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+(\.\d+)+(; .*)?", line), line


@pytest.mark.parametrize("file", EVERY)
def test_what_a_workflow_calls_is_there(file):
    text = calls(file)
    assert set(re.findall(r"python -m book ([a-z-]+)", text)) <= COMMANDS.keys() | ALIASES.keys()
    for extras in re.findall(r"\.\[([a-z,]+)\]", text):
        assert set(extras.split(",")) <= PROJECT["project"]["optional-dependencies"].keys()
    for path in re.findall(r"(?<![\w/.-])((?:tests|book|chaindyn)/[\w/.-]+)", text):
        if not path.startswith("book/_build"):
            assert (ROOT / path).exists(), path
    for marker in re.findall(r'-m "not (\w+)"', text):
        assert any(
            line.startswith(f"{marker}:")
            for line in PROJECT["tool"]["pytest"]["ini_options"]["markers"]
        )


@pytest.mark.parametrize("script", [*EVERY, pytest.param(ROOT / ".ci" / "run", id="ci")])
def test_scripts_are_shell(script):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    text = calls(script) if script.suffix == ".yml" else script.read_text(encoding="utf-8")
    text = re.sub(r"\$\{\{.*?\}\}", "value", text)
    checked = subprocess.run([bash, "-n"], input=text, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_matrix_has_every_python_and_the_oldest_numpy():
    matrix = read(GITHUB / "workflows" / "package.yml")["jobs"]["test"]["strategy"]["matrix"]
    offered = {
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    }
    assert set(matrix["python"]) == offered
    assert f">={min(offered, key=lambda v: int(v[2:]))}" == PROJECT["project"]["requires-python"]
    numpy, scipy = (line.partition(">=")[2] for line in PROJECT["project"]["dependencies"])
    oldest = f"numpy=={numpy}.* scipy=={scipy}.*"
    assert oldest in [entry["numpy"] for entry in matrix["include"]]
    systems = {entry["os"] for entry in matrix["include"]} | set(matrix["os"])
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}


def test_the_oldest_python_that_is_promised_runs_as_debian_has_it():
    job = read(GITHUB / "workflows" / "package.yml")["jobs"]["debian"]
    assert job["container"] == "debian:12" and "python3-venv" in job["steps"][0]["run"]


def test_what_main_deploys_is_never_broken_off():
    for name in ("publish", "release"):
        concurrency = read(GITHUB / "workflows" / f"{name}.yml").get("concurrency", {})
        cancel = concurrency.get("cancel-in-progress", False)
        assert cancel in (False, "${{ github.event_name == 'pull_request' }}")


def test_a_release_is_published_without_a_secret():
    workflow = read(GITHUB / "workflows" / "release.yml")
    assert triggers(workflow)["push"]["tags"] == ["v*"]
    job = workflow["jobs"]["publish"]
    assert job["permissions"] == {"id-token": "write"}
    assert "secrets." not in (GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8")
    # What the tag is compared with stands in the package as the step reads it.
    text = (ROOT / "chaindyn" / "__init__.py").read_text(encoding="utf-8")
    assert re.search(r'^__version__ = "[\d.]+"$', text, re.M)


def test_long_checks_run_at_night_and_links_every_week():
    night = read(GITHUB / "workflows" / "nightly.yml")
    assert re.fullmatch(r"\d+ \d+ \* \* \*", triggers(night)["schedule"][0]["cron"])
    week = read(GITHUB / "workflows" / "links.yml")
    assert re.fullmatch(r"\d+ \d+ \* \* \d", triggers(week)["schedule"][0]["cron"])


def test_dependabot_watches_every_place_that_names_versions():
    entries = read(GITHUB / "dependabot.yml")["updates"]
    assert {entry["package-ecosystem"] for entry in entries} == {"github-actions", "pip", "npm"}
    assert all((ROOT / entry["directory"].strip("/")).is_dir() for entry in entries)


@pytest.mark.parametrize("name", ["erratum", "bug", "unclear"])
def test_a_form_asks_for_something(name):
    form = read(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert {"name", "description", "body"} <= form.keys()
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
    assert all(field["type"] in {"input", "textarea", "dropdown", "checkboxes"} for field in fields)


def test_hooks_call_what_is_there():
    hooks = [h for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] for h in repo["hooks"]]
    assert {"ruff-check", "ruff-format", "export", "twins", "javascript"} == {
        hook["id"] for hook in hooks
    }
    for hook in hooks:
        words = hook["entry"].split()
        if words[0] == "python":
            assert words[1:4] == ["-m", "book", "--no-setup"] and words[4] in COMMANDS
        else:
            assert any(
                words[0] in line for line in PROJECT["project"]["optional-dependencies"]["dev"]
            )
        assert re.compile(hook.get("files", ""))


def test_addresses_are_the_repositorys():
    url = read(ROOT / "_config.yml")["repository"]["url"]
    urls = PROJECT["project"]["urls"]
    assert urls["Source"] == url
    assert all(urls[name].startswith(url) for name in ("Issues", "Changelog"))
