"""The environment that the commands run in, made where it is missing. Standard library only.

Which Python runs a command, the first that applies:

1. ``--no-setup``, or ``CHAINDYN_PYTHON`` set: the running one, or the one that the variable names, as it is.
2. The running one, if all that ``chaindyn[dev]`` names is installed in it, and chaindyn from this folder
   (conda, Binder, an environment of one's own).
3. That of ``.venv`` in this folder, which is made and filled first. A stamp in it, the hash of
   pyproject.toml and of the Python version, tells when there is nothing to do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv"
CHOSEN = "CHAINDYN_PYTHON"
EXTRAS = ("dev", "peers")

COMMANDS = {
    "serve": "build the site and serve it on this machine (also: book)",
    "site": "build the site",
    "pdf": "build the site and print it as one PDF",
    "epub": "build the site and write it as an EPUB",
    "lab": "open the chapters in JupyterLab",
    "measure": "measure the pages: lines of code, first paint, room for explorers; and which tests take long",
    "edition": "write an edition for a course: student, solutions, instructor, slides or assignments",
    "grade": "judge the attempts in a submitted notebook, or in those of a class",
    "bank": "drills with fresh numbers, for Moodle, for QTI and on paper",
    "test": "run the checks, in ten minutes (with --changed: what a change touches)",
    "test-long": "run the tests that take longer, and those in a browser",
    "nightly": "run what takes too long for every change",
    "export": "write the package from the chapters",
    "physics": "write the physics of the pages from the chapters",
    "javascript": "check format, lint and types of the pages' JavaScript (--fix puts right what it can)",
    "twins": "execute the chapters into the notebooks beside them",
    "sync": "carry what was edited in a notebook back to its chapter",
    "picture": "take the README's picture from the opening page's notebook",
    "cover": "draw the cover",
    "assets": "fetch what the pages load in a browser",
    "live": "gather Python for the browser, and build the lab into the site",
    "setup": "make or refresh the environment",
    "clean": "remove what was built (with --all: the environment too)",
}
ALIASES = {"book": "serve"}


def main(argv: list[str]) -> int:
    """Find or make the environment and run one command in it."""
    parser = argparse.ArgumentParser(
        prog="python -m book",
        usage="%(prog)s [--no-setup] COMMAND [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="commands:\n" + "\n".join(f"  {name:13} {text}" for name, text in COMMANDS.items()),
    )
    parser.add_argument("--no-setup", action="store_true", help="use the running Python as it is")
    parser.add_argument("command", choices=[*COMMANDS, *ALIASES], metavar="COMMAND")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    command = ALIASES.get(arguments.command, arguments.command)
    python = sys.executable if arguments.no_setup or command == "clean" else _python()
    if not _same(python, sys.executable):
        return _continue_in(python, [command, *arguments.rest])
    if command == "setup":
        print(f"setup: ready: {python}")
        return 0
    from book.commands import run  # imports what the environment holds

    return run(command, arguments.rest)


def _continue_in(python: str, argv: list[str]) -> int:
    os.environ[CHOSEN] = python
    command = [python, "-m", "book", *argv]
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(python, command)
    return subprocess.run(command, check=False).returncode


def _same(one: str, other: str) -> bool:
    # Not resolved: the python of a virtual environment is a link to the one that it was made with.
    return os.path.abspath(one) == os.path.abspath(other)


def _python() -> str:
    if named := os.environ.get(CHOSEN):
        found = shutil.which(named)
        if not found:
            sys.exit(f"{CHOSEN}={named}: there is no such program")
        return found
    if not _same(sys.executable, str(_venv_python())) and not missing():
        return sys.executable
    _make()
    return str(_venv_python())


# Is it all here? --------------------------------------------------------------------------------


def requirements(extra: str) -> set[str]:
    """Names of the distributions that an extra of pyproject.toml asks for, without chaindyn itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {_name(line) for line in project["dependencies"]}
    waiting, seen = [extra], set()
    while waiting:
        current = waiting.pop()
        seen.add(current)
        for line in project["optional-dependencies"][current]:
            if inner := re.match(r"chaindyn\[([^]]*)\]", line):
                waiting += [
                    name.strip() for name in inner[1].split(",") if name.strip() not in seen
                ]
            else:
                names.add(_name(line))
    return names


def _name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match, requirement
    return match[0]


def missing(extra: str = "dev") -> list[str]:
    """What the running Python lacks of an extra."""
    absent = []
    for name in sorted(requirements(extra)):
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            absent.append(name)
    return absent if _installed_from_here() else ["chaindyn (from this folder)", *absent]


def _installed_from_here() -> bool:
    try:
        record = metadata.distribution("chaindyn").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return False
    url = urlparse(json.loads(record or "{}").get("url", ""))
    return url.scheme == "file" and Path(url2pathname(unquote(url.path))).resolve() == ROOT


# Making it --------------------------------------------------------------------------------------


def _venv_python() -> Path:
    return FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _stamp() -> str:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8") + str(ROOT)
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{version} {hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def _make() -> None:
    """Make ``.venv`` and install into it, unless its stamp says that both are done."""
    stamp, wanted = FOLDER / "chaindyn-stamp", _stamp()
    found = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    if _venv_python().exists() and found == wanted:
        return
    if not _venv_python().exists() or (found and found.split()[0] != wanted.split()[0]):
        print(f"setup: making {FOLDER.name} with Python {sys.version.split()[0]} ...", flush=True)
        try:
            venv.EnvBuilder(with_pip=True, clear=True, symlinks=os.name != "nt").create(FOLDER)
        except (subprocess.CalledProcessError, OSError) as error:
            sys.exit(
                f"setup: {error}\nsetup: on Debian and Ubuntu this needs: apt install python3-venv"
            )
    stamp.unlink(missing_ok=True)
    print("setup: installing the package, its book and its checks (minutes, once) ...", flush=True)
    if _install(EXTRAS) != 0:
        print(f"setup: trying without {EXTRAS[-1]}, which not every system has ...", flush=True)
        if _install(EXTRAS[:-1]) != 0:
            log = FOLDER / "setup.log"
            said = log.read_text(encoding="utf-8").splitlines()[-25:]
            sys.exit("\n".join([*said, f"setup: pip failed; all it said is in {log}"]))
    stamp.write_text(wanted, encoding="utf-8")


def _install(extras: tuple[str, ...]) -> int:
    """Install what the extras name: by uv, which takes a fraction of the time, and where it cannot, by pip."""
    wanted = f".[{','.join(extras)}]"
    return 0 if _by_uv(wanted) == 0 else _by_pip(wanted)


def _by_uv(wanted: str) -> int:
    """Run the reader's own uv, or one that pip puts into ``.venv``; not 0 where it does not come or go through."""
    uv = [found] if (found := shutil.which("uv")) else [str(_venv_python()), "-m", "uv"]
    environment = dict(os.environ)
    if own_index := os.environ.get("PIP_INDEX_URL"):
        environment.setdefault("UV_DEFAULT_INDEX", own_index)
    pip = [str(_venv_python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install = [*uv, "pip", "install", "--quiet", "--python", str(_venv_python()), "-e", wanted]
    for command in ([] if found else [[*pip, "--no-input", "uv"]]) + [install]:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace"
        )
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            print(f"setup: uv: {said[-1] if said else 'failed'}; by pip then ...", flush=True)
            return done.returncode
    return 0


def _by_pip(wanted: str) -> int:
    """Run pip, showing how far it is; all it says goes to ``.venv/setup.log``."""
    command = [str(_venv_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", "--progress-bar", "off", "-e", wanted]
    live = sys.stdout.isatty()
    found = 0
    with (
        (FOLDER / "setup.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as pip,
    ):
        assert pip.stdout is not None
        for line in pip.stdout:
            log.write(line)
            log.flush()
            if line.startswith("Collecting "):
                found += 1
                if live:
                    told = f"\rsetup: {found:4} packages found: {line.split()[1]:60.60}"
                    print(told, end="", flush=True)
                elif found % 25 == 0:
                    print(f"setup: {found:4} packages found", flush=True)
            elif line.startswith("Installing collected"):
                told = f"setup: installing {line.count(',') + 1} packages ..."
                print("\n" * live + told, flush=True)
    return pip.returncode
