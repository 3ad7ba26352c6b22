"""What ``python -m book COMMAND`` does, once the environment is there."""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from book.pages import ROOT, BookError, pages

COVERAGE_FLOOR = 95  # percent of the package's lines and branches
PYTHON = sys.executable
QUICK = "not slow and not nightly"
# nbval is for notebooks; wherever else its plugin is loaded, what it imports costs seconds in every worker
TESTS = ["-p", "no:nbval", "tests", "--ignore=tests/browser"]
# Workers share the cores; a thread pool in each would only get in the others' way.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def run(command: str, argv: list[str]) -> int:
    """Run one command; what an author can put right ends in its message, without a traceback."""
    os.chdir(ROOT)
    try:
        return _COMMANDS[command](argv)
    except BookError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


# The book ---------------------------------------------------------------------------------------


def _export(argv: list[str]) -> int:
    from book.export import main

    return main(argv)


def _physics(argv: list[str]) -> int:
    from chaindyn.widgets.physics import write

    parser = argparse.ArgumentParser(prog="python -m book physics")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail if anything would change"
    )
    check = parser.parse_args(argv).check
    stale = write(check)
    for name in stale:
        print(
            f"chaindyn/widgets/emitted/{name}: {'is not current (run: python -m book physics)' if check else 'written'}"
        )
    return 1 if check and stale else 0


def _javascript(argv: list[str]) -> int:
    from book.javascript import main

    return main(argv)


def _twins(argv: list[str]) -> int:
    from book.twins import main

    return main(argv)


def _sync(argv: list[str]) -> int:
    from book.twins import sync_main

    return sync_main(argv)


def _picture(argv: list[str]) -> int:
    from book.picture import write

    _no_arguments("picture", argv)
    print(f"picture: {write().relative_to(ROOT)}")
    return 0


def _cover(argv: list[str]) -> int:
    from book.cover import write

    _no_arguments("cover", argv)
    for picture in write():
        print(f"cover: {picture.relative_to(ROOT)}")
    return 0


def _assets(argv: list[str]) -> int:
    from book.assets import AssetsUnavailable, fetch

    _no_arguments("assets", argv)
    try:
        print(f"assets: {fetch().relative_to(ROOT)}")
    except AssetsUnavailable as error:
        raise BookError(str(error)) from None
    return 0


def _live(argv: list[str]) -> int:
    from book import live
    from book.assets import AssetsUnavailable
    from book.site import HTML

    _no_arguments("live", argv)
    try:
        live.fetch()
    except AssetsUnavailable as error:
        raise BookError(str(error)) from None
    if (HTML / "_sources").is_dir():
        print(f"live: {live.build(HTML).relative_to(ROOT)}")
    else:
        print("live: ready; the lab itself is built with the site (python -m book site)")
    return 0


def _site(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book site")
    parser.add_argument("--lenient", action="store_true", help="let warnings pass (while writing)")
    arguments = parser.parse_args(argv)
    from book.site import build

    print(f"site: {build(strict=not arguments.lenient).relative_to(ROOT) / 'index.html'}")
    return 0


def _pdf(argv: list[str]) -> int:
    _no_arguments("pdf", argv)
    from book.pdf import write
    from book.site import build

    build()
    print(f"pdf: {write().relative_to(ROOT)}")
    return 0


def _epub(argv: list[str]) -> int:
    _no_arguments("epub", argv)
    from book.epub import write
    from book.site import build

    build()
    print(f"epub: {write().relative_to(ROOT)}")
    return 0


def _serve(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book serve")
    parser.add_argument(
        "--port", type=int, default=8000, help="0 takes any free one (default: 8000)"
    )
    parser.add_argument("--lenient", action="store_true", help="let warnings pass (while writing)")
    parser.add_argument("--watch", action="store_true", help="build anew when a page is saved")
    arguments = parser.parse_args(argv)
    from book.site import HTML, build

    handler = functools.partial(_Quiet, directory=str(HTML))
    try:  # before the build, which takes its time
        server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), handler)
    except OSError as error:
        raise BookError(
            f"port {arguments.port} is not free ({error}); try: python -m book serve --port 0"
        ) from None
    with server:
        build(strict=not arguments.lenient)
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"\nThe book is at {address} (Ctrl-C ends it)", flush=True)
        with contextlib.suppress(KeyboardInterrupt):  # how it is meant to end
            if arguments.watch:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                _whenever_saved(lambda: build(strict=not arguments.lenient))
            else:
                server.serve_forever()
    return 0


def _whenever_saved(build: Callable[[], object]) -> None:
    """Build whenever a page was saved; a page that cannot be built is told, and waited for."""
    before = _saved()
    while True:
        time.sleep(0.5)
        if (now := _saved()) == before:
            continue
        before = now
        try:
            build()
            print("\nserve: built anew", flush=True)
        except BookError as error:
            print(f"\nserve: {error}", flush=True)


def _saved() -> dict[Path, int]:
    """When each page was saved."""
    texts = [
        *ROOT.glob("book/*.md"),
        *ROOT.glob("book/api/*.md"),
        *ROOT.glob("chapters/*.md"),
        ROOT / "_toc.yml",
    ]
    return {text: text.stat().st_mtime_ns for text in texts}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


def _lab(argv: list[str]) -> int:
    from book.twins import sync

    # In the lab Jupytext saves page and twin together (chapters/jupytext.toml) and reads the page's
    # cells, so what was edited in a twin elsewhere has to be in the page first.
    if sync(pages()):
        return 1
    command = [PYTHON, "-m", "jupyterlab", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={ROOT}", "--LabApp.default_url=/lab/tree/chapters", *argv]
    return subprocess.run(command, check=False).returncode


def _measure(argv: list[str]) -> int:
    from book.measure import main

    return main(argv)


def _edition(argv: list[str]) -> int:
    from book.editions import main

    return main(argv)


def _grade(argv: list[str]) -> int:
    from book.classroom import main

    return main(argv)


def _bank(argv: list[str]) -> int:
    from book.bank import main

    return main(argv)


def _clean(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book clean")
    parser.add_argument("--all", action="store_true", help="the environment (.venv) too")
    arguments = parser.parse_args(argv)
    built = [
        "book/_build",
        "book/_assets",
        "book/_live",
        "dist",
        "build",
        ".pytest_cache",
        ".ruff_cache",
        ".mypy_cache",
    ]
    built += [".coverage", "chapters/.ipynb_checkpoints", "book/.ipynb_checkpoints"]
    for name in built + ([".venv"] if arguments.all else []):
        path = ROOT / name
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        else:
            continue
        print(f"clean: {name} removed")
    return 0


def _no_arguments(command: str, argv: list[str]) -> None:
    argparse.ArgumentParser(prog=f"python -m book {command}").parse_args(argv)


# The checks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """One line of the table that ``test`` ends with."""

    name: str
    command: list[str]
    needs: str = ""  # a path without which there is nothing to check


@dataclass(frozen=True)
class Result:
    name: str
    seconds: float
    passed: bool
    counts: str  # pytest's summary, e.g. "12 passed, 1 skipped"


def checks() -> list[Check]:
    """What ``python -m book test`` runs, cheapest first."""
    python = [PYTHON, "-m"]
    pytest = [*python, "pytest", "-n", "auto", "--dist", "loadscope", "-q"]
    notebooks = [str(page.with_suffix(".ipynb").relative_to(ROOT)) for page in pages()]
    return [
        Check("export", [*python, "book", "--no-setup", "export", "--check"]),
        Check("physics", [*python, "book", "--no-setup", "physics", "--check"]),
        Check("ruff check", [*python, "ruff", "check"]),
        Check("ruff format", [*python, "ruff", "format", "--check"]),
        Check("types", [*python, "mypy", "chaindyn"]),
        Check("javascript", [*python, "book", "--no-setup", "javascript"]),
        Check("twins", [*python, "book", "--no-setup", "twins", "--check"]),
        # modules differ much in length: who has finished takes over from who has not
        Check("tests", [*pytest, "--dist", "worksteal", "-m", QUICK, *TESTS], "tests"),
        Check(
            "notebooks",
            [*pytest, "-p", "book.compare", "--nbval-sanitize-with", "book/nbval.cfg", *notebooks],
        ),
        Check("site", [*python, "book", "--no-setup", "site"]),
    ]


def long_checks() -> list[Check]:
    """What ``python -m book test-long`` runs: the tests that take over half a second each, and those in a browser."""
    pytest = [PYTHON, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-q", "-rs"]
    browser = [*pytest, "--durations=5", "-p", "no:nbval", "-m", "not nightly", "tests/browser"]
    return [
        Check("long tests", [*pytest, "-m", "slow and not nightly", *TESTS], "tests"),
        Check("browser", browser, "tests/browser"),
    ]


def _test(argv: list[str]) -> int:
    every = [check for check in checks() if not check.needs or (ROOT / check.needs).exists()]
    parser = argparse.ArgumentParser(prog="python -m book test")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="CHECK",
        help="only these: " + ", ".join(check.name for check in every),
    )
    parser.add_argument(
        "--changed", action="store_true", help="what a change touches, the nearest first"
    )
    parser.add_argument("--since", default="HEAD", help="what it is a change of (default: HEAD)")
    parser.add_argument(
        "--seconds", type=int, default=10, help="for its tests, but for the nearest (default: 10)"
    )
    arguments = parser.parse_args(argv)
    names = arguments.names
    if arguments.changed:
        return _test_changed(arguments.since, arguments.seconds)
    if unknown := set(names) - {check.name for check in every}:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    return _run_all([check for check in every if not names or check.name in names])


def _test_changed(since: str, seconds: int) -> int:
    """Run what is nearest to a change, all of it side by side, and say what was left out."""
    from book.touched import changed_files, plan, planned

    if not (files := changed_files(since)):
        print(f"test: nothing differs from {since}")
        return 0
    own = plan(files, since, max(4, seconds))
    print(f"changed since {since}: {', '.join(own.words) or ', '.join(files)}", flush=True)
    chosen = touched_checks(files, own.files)
    with planned(own, seconds), ThreadPoolExecutor(2) as pool:
        said = [list[str]() for _ in chosen]
        results = list(pool.map(_run, chosen, (lines.append for lines in said)))
    for result, lines in zip(results, said, strict=True):
        if not result.passed:
            print(f"\n--- {result.name}\n" + "".join(lines), end="")
    waiting = [line.strip() for lines in said for line in lines if LEFT in line]
    print("\n" + table(results))
    left = [check.name for check in checks() if check.name not in {one.name for one in chosen}]
    left += waiting + [f"tests that come to it in {len(own.others)} further files"] * bool(
        own.others
    )
    print(f"left out: {'; '.join(left)}\nall of it: python -m book test", flush=True)
    return 0 if all(result.passed for result in results) else 1


LEFT = "more come to the change"  # what book/touched.py says of tests that it did not begin


def touched_checks(files: list[str], tests: list[str]) -> list[Check]:
    """The checks that a change of some files asks for at once; of the tests those in some files, in their order."""
    every = {check.name: check for check in checks()}
    names = [page.relative_to(ROOT).as_posix() for page in pages()]
    changed = [name for name in names if name in files]
    package = any(file.startswith("chaindyn/") for file in files)
    # one after another, as the plan says, and not a share of them for each
    how = "pytest -q -p no:nbval -p book.touched -n auto --dist load --maxschedchunk 2"
    pytest = [PYTHON, "-m", *how.split(), "-m", "not nightly"]
    fill = f"from book.executed import fill; from book.pages import ROOT; fill(ROOT / x for x in {changed})"
    chosen = [Check("tests", [*pytest, *tests])] if tests else []
    chosen += [Check("pages", [PYTHON, "-c", fill])] if changed else []
    chosen += [every["export"]] if changed or package else []
    chosen += [every["types"]] if package else []
    if any(file.endswith(".py") for file in files):
        chosen += [every["ruff check"], every["ruff format"]]
    return chosen


def _test_long(argv: list[str]) -> int:
    every = [check for check in long_checks() if (ROOT / check.needs).exists()]
    parser = argparse.ArgumentParser(prog="python -m book test-long")
    names = [check.name for check in every]
    parser.add_argument("names", nargs="*", metavar="CHECK", help=f"only these: {', '.join(names)}")
    parser.add_argument(
        "--built", action="store_true", help="take the site as it stands, which `test` has built"
    )
    arguments = parser.parse_args(argv)
    if not every:
        print("test-long: an edition for a course has no tests of the library")
        return 0
    if unknown := set(arguments.names) - set(names):
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    if not arguments.built:
        from book.site import build

        build()
    return _run_all([one for one in every if one.name in (arguments.names or names)])


def nightly_checks() -> list[Check]:
    """What takes too long for every change; of each, `test` or `test-long` runs a sample or a shorter form."""
    pytest = [PYTHON, "-m", "pytest", "-q", "-rs", "--durations=10"]
    notebooks = [str(page.with_suffix(".ipynb").relative_to(ROOT)) for page in pages()]
    nbval = ["--nbval", "--nbval-sanitize-with", "book/nbval.cfg", *notebooks]
    parallel = ["-n", "auto", "--dist", "loadscope"]
    coverage = ["--cov=chaindyn", "--cov-branch", f"--cov-fail-under={COVERAGE_FLOOR}"]
    coverage += ["--cov-report=term-missing:skip-covered"]
    return [
        Check("long tests", [*pytest, *parallel, "-m", "nightly", *TESTS]),
        # Tracing lines doubles the time of the tests that run with every change, or more.
        Check("coverage", [*pytest, *parallel, *coverage, "-m", "not nightly", *TESTS]),
        Check("nbval alone", [*pytest, *parallel, *nbval]),
        Check("site", [PYTHON, "-m", "book", "--no-setup", "site"]),
        Check("every page", [*pytest, "-m", "nightly", "tests/browser"]),
    ]


def _nightly(argv: list[str]) -> int:
    _no_arguments("nightly", argv)
    return _run_all(nightly_checks())


def _run_all(chosen: list[Check]) -> int:
    results = []
    for number, check in enumerate(chosen, 1):
        print(f"\n--- {number} of {len(chosen)}: {check.name}", flush=True)
        results.append(_run(check, functools.partial(print, end="", flush=True)))
        print(
            f"--- {check.name}: {'ok' if results[-1].passed else 'FAILED'}, {results[-1].seconds:.1f} s",
            flush=True,
        )
    print("\n" + table(results), flush=True)
    return 0 if all(result.passed for result in results) else 1


def _run(check: Check, say: Callable[[str], object]) -> Result:
    """Run one check, passing on the lines that it prints and noting pytest's closing line."""
    counts = ""
    start = time.perf_counter()
    environment = {**os.environ, **ONE_THREAD, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        check.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            say(line)
            counts = summary(line) or counts
    # 5: pytest found no test, which is a failure: each of these checks has some.
    return Result(check.name, time.perf_counter() - start, process.returncode == 0, counts)


def summary(line: str) -> str:
    """The counts in pytest's closing line ("12 passed, 1 skipped"), or nothing for any other line."""
    found = re.fullmatch(
        r"(?:=+ )?(\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s(?: \([\d:]+\))?(?: =+)?", line.strip()
    )
    return found[1] if found else ""


def table(results: list[Result]) -> str:
    """One line a check, and the sum of the tests' counts."""
    width = max(len(result.name) for result in results)
    lines = []
    for result in results:
        verdict = "ok" if result.passed else "FAILED"
        line = f"{result.name:{width}}  {result.seconds:7.1f} s  {verdict:6}  {result.counts}"
        lines.append(line.rstrip())
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    for result in results:
        for count, kind in re.findall(r"(\d+) (\w+)", result.counts):
            kind = {"error": "failed", "errors": "failed"}.get(kind, kind)
            totals[kind] = totals.get(kind, 0) + int(count)
        if not result.counts:  # a check that is no run of pytest counts as one test
            totals["passed" if result.passed else "failed"] += 1
    lines.append("")
    lines.append(", ".join(f"{totals[kind]} {kind}" for kind in ("passed", "failed", "skipped")))
    return "\n".join(lines)


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "export": _export,
    "physics": _physics,
    "javascript": _javascript,
    "twins": _twins,
    "sync": _sync,
    "picture": _picture,
    "cover": _cover,
    "assets": _assets,
    "live": _live,
    "site": _site,
    "pdf": _pdf,
    "epub": _epub,
    "serve": _serve,
    "lab": _lab,
    "measure": _measure,
    "edition": _edition,
    "grade": _grade,
    "bank": _bank,
    "test": _test,
    "test-long": _test_long,
    "nightly": _nightly,
    "clean": _clean,
}
