"""Format, lint and types of the JavaScript that the project contains, by Biome and TypeScript.

``python -m book javascript`` runs them. Both come from npm, pinned by the lock beside this file. What they hold to is
said in ``biome.json`` and ``tsconfig.json`` at the top of the project, where editors look for them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from pathlib import Path

from book.assets import AssetsUnavailable, npm, run
from book.pages import ROOT, BookError

FOLDER = Path(__file__).resolve().parent
WORK = ROOT / "build" / "javascript"  # where they are installed
MODULES = WORK / "node_modules"
STAMP = MODULES / "package-lock.json"  # what was installed


def main(argv: list[str]) -> int:
    """Check all of it, or put right what can be by itself; without npm that is left out, but not in CI."""
    parser = argparse.ArgumentParser(prog="python -m book javascript")
    parser.add_argument("--fix", action="store_true", help="write what can be put right by itself")
    fix = parser.parse_args(argv).fix
    try:
        node = tools()
    except AssetsUnavailable as error:
        if os.environ.get("CI") == "true":
            raise BookError(str(error)) from None
        print(f"javascript: not checked, for there is no npm here: {error}")
        return 0
    biome = [node, str(MODULES / "@biomejs" / "biome" / "bin" / "biome"), "check"]
    types = [node, str(MODULES / "typescript" / "bin" / "tsc"), "--project", str(ROOT)]
    checks = [[*biome, "--error-on-warnings", *(["--write"] if fix else [])], types]
    return max(subprocess.run(check, cwd=ROOT, check=False).returncode for check in checks)


def tools() -> str:
    """Install the tools where the lock has changed, and return the Node.js that runs them."""
    WORK.mkdir(parents=True, exist_ok=True)
    tool, lock = npm(WORK), FOLDER / "package-lock.json"
    if not STAMP.is_file() or STAMP.read_bytes() != lock.read_bytes():
        print("javascript: fetching Biome and TypeScript from npm ...", flush=True)
        for file in (FOLDER / "package.json", lock):
            shutil.copy(file, WORK)
        run([*tool, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], WORK)
        shutil.copy(lock, STAMP)
    return tool[0] if len(tool) > 1 else str(shutil.which("node"))
