"""The page's own functions, which the widgets bring as JavaScript, run by node: no browser is needed for numbers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chaindyn.widgets.explorer import plain

NODE = Path(__file__).with_name("node.mjs")


@pytest.fixture(scope="session")
def on_page() -> Iterator[Callable[..., Any]]:
    """Call a function of a widget's page by name: on_page(widget or its class, name, *inputs).

    What it throws is raised as ArithmeticError. Where there is no node the test is skipped, but not in CI.
    """
    node = shutil.which("node")
    if node is None:
        required = os.environ.get("CI") == "true"
        (pytest.fail if required else pytest.skip)("no node to run the page's JavaScript with")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    with subprocess.Popen([node, str(NODE)], **pipes) as running:

        def call(widget: Any, name: str, *inputs: Any) -> Any:
            asked = {"source": str(widget._esm), "name": name, "inputs": plain(list(inputs))}
            running.stdin.write(json.dumps(asked, allow_nan=False) + "\n")
            running.stdin.flush()
            answer = json.loads(running.stdout.readline())
            if "error" in answer:
                raise ArithmeticError(answer["error"])
            return answer["value"]

        yield call
        running.stdin.close()
