"""``python -m book grade SUBMISSION.ipynb``: which attempts of a submitted chapter their judges accept.

The judge is the book's, never the submission's, and runs in a process of its own. The code of the submission runs in
another (book/submitted.py), anew for each exercise and with limits of time and memory; what it answers passes to the
judge as plain data (book/answers.py), so nothing that it does to NumPy or finds in its own memory gains a point. After
each verdict all that it has started is ended. It still has the rights of who grades it, for files and the network: what
you do not trust, grade in a container. Limits and the end of runaway processes are Linux's; elsewhere less is limited.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import faulthandler
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from book.answers import Ended, Peer
from book.exercises import Exercise, exercises
from book.judging import judged, module_for, needed, statements_of
from book.pages import ROOT, BookError, chapters, code_cells, data_of, read_page
from chaindyn.teaching import described, refusal

LIMIT = 60.0  # seconds for one exercise
GRACE = 15.0  # seconds after which a judge that hears nothing is ended
_SUBREAPER, _DUMPABLE = 36, 4  # of Linux's prctl
_TIMED = re.compile(r"(?m)^(\s*)%(?:time|prun)\s+(?=\w)")
_WHOLE = re.compile(r"\A\s*%%(?:time|timeit|capture|prun)\b.*")


@dataclass(frozen=True)
class Grade:
    """What the judge says of one attempt; `why` is empty if it is solved."""

    exercise: Exercise
    solved: bool
    why: str = ""


def grade(
    submission: Path, page: Path | None = None, limit: float = LIMIT, only: set[str] | None = None
) -> list[Grade]:
    """Judge the attempts of a submission, or those at some exercises. BookError if it is no notebook of a chapter."""
    sources = sources_of(submission)
    return verdicts(page or page_named(submission.name), sources, limit, only)


def verdicts(
    page: Path, sources: list[str], limit: float = LIMIT, only: set[str] | None = None
) -> list[Grade]:
    """Judge every attempt at a chapter's exercises, or those of some labels, in the sources of some cells."""
    found = [one for one in exercises(page) if judged(one.checks)]
    found = [one for one in found if only is None or one.label in only]
    said = dict[str, str]()
    while waiting := [one.label for one in found if one.label not in said]:
        task = {"page": str(page), "labels": waiting, "sources": sources, "limit": limit}
        said |= _by_judges(task)
        if waiting[0] not in said:  # the judge itself did not survive it
            said[waiting[0]] = "its judge ended before it had spoken"
    return [Grade(one, not said[one.label], said[one.label]) for one in found]


def sources_of(submission: Path) -> list[str]:
    """The sources of a notebook's cells of code. BookError if it is none."""
    try:
        return [str(cell.source) for cell in code_cells(nbformat.read(submission, as_version=4))]
    except Exception as error:  # whatever a file may hold
        why = str(error).partition("\n")[0][:200] or type(error).__name__
        raise BookError(f"{submission}: not a notebook: {why}") from None


def page_named(submission: str) -> Path:
    """The chapter whose number a submission's name begins with."""
    for page in chapters():
        if submission.startswith(page.stem[:3]):
            return page
    raise BookError(
        f"{submission}: begin the name with that of the chapter, as in {chapters()[0].stem}.ipynb, "
        "or say which it is: --chapter 1"
    )


def _by_judges(task: dict[str, Any]) -> dict[str, str]:
    """Return what the judges say, by label, as far as their process comes."""
    command = [sys.executable, "-c", "from book.grade import judges; judges()"]
    with tempfile.TemporaryFile("w+") as out, subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        assert process.stdin
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(task))
            process.stdin.close()
        before = -1
        while process.poll() is None and before < (before := os.fstat(out.fileno()).st_size):
            with contextlib.suppress(subprocess.TimeoutExpired):  # it was stopped, or goes on
                process.wait(task["limit"] + 2 * GRACE)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        _end(process)
        out.seek(0)
        return dict(json.loads(line) for line in out if line.endswith("\n"))


def _end(process: subprocess.Popen[Any]) -> None:
    """End a process and its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


# In the judges' process -------------------------------------------------------------------------


def judges() -> None:
    """Judge exercises, as the standard input says, and write a line for each."""
    task = json.load(sys.stdin)
    page, limit = Path(task["page"]), float(task["limit"])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    keep_watch()
    os.chdir(page.parent)
    for exercise in [one for one in exercises(page) if one.label in task["labels"]]:
        faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=sys.stderr)
        judgement = Judgement(exercise, page, task["sources"], limit)
        out.write(json.dumps([exercise.label, judgement.why()]) + "\n")
        out.flush()
        if judgement.thread.is_alive():
            break  # for the others there will be another process
    os._exit(0)


def keep_watch() -> None:
    """On Linux, go on as a copy of this process, which ends what the copy leaves, and itself, once that has ended."""
    be_the_judges_process()
    if sys.platform == "linux" and (judge := os.fork()):
        signal.signal(signal.SIGTERM, lambda *given: sys.exit())
        try:
            os.waitpid(judge, 0)
        finally:
            end_descendants()
            os._exit(0)
    be_the_judges_process()


def be_the_judges_process() -> None:
    """On Linux, take in the orphans of what this process starts, and let no other look into it."""
    _ask_linux(_SUBREAPER, 1)
    _ask_linux(_DUMPABLE, 0)


def _ask_linux(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


class Judgement:
    """One exercise: its judge here, and its answer in a process that lasts as long as this."""

    def __init__(self, exercise: Exercise, page: Path, sources: list[str], limit: float) -> None:
        self.page, self.limit, self.over = page, limit, False
        self.without = list(exercise.facts.without)
        ((self.judge, self.name), *_) = judged(exercise.checks)
        cells = _cells_of(page)
        self.ours = cells[: 1 + max(cells.index(source) for source in exercise.checks)]
        self.own = [source not in cells for source in sources]
        self.sources, self.faults = [], list[str]()
        for source in sources:
            plain, fault = python(source)
            self.sources.append(plain)
            if fault and self.name in source:
                self.faults.append(fault)
        begun = [without_blank(source, self.name) for source in self.sources]
        if any(self.name in one.binds for source in begun for one in statements_of(source)):
            self.sources = begun

    def why(self) -> str:
        """Return nothing if the judge accepts the answer, else why not; within the limit of time."""
        said = list[str]()
        self.thread = threading.Thread(target=lambda: said.append(self._why()), daemon=True)
        self.thread.start()
        self.thread.join(self.limit)
        self.over = not said
        end_descendants()
        self.thread.join(1)
        late = f"no answer within {self.limit:g} s"
        return "; ".join([late, *self.faults]) if self.over else said[0]

    def _why(self) -> str:
        why = self._tried(_indices(self.sources, [], self.name))
        own = [source for source, own in zip(self.sources, self.own, strict=True) if own]
        if why and not self.over and any(self.name in source for source in own):
            why = self._tried(_indices(self.sources, self.own, self.name)) and why
        return "; ".join([why, *self.faults]) if why else ""

    def _tried(self, chosen: list[list[int]]) -> str:
        """Return what the judge says of the answer that some statements of the submission give."""
        try:
            space = module_for("book_cells")
            texts, classes = _given(self.ours, self.judge)
            for text in texts:
                exec(compile(text, "<book>", "exec", dont_inherit=True), space)
            with submitted(self.page, self.limit) as peer:
                peer.classes |= {name: space[name] for name in classes[1]}
                told_first = classes[0], self.sources, self.own, chosen, self.name, self.without
                there, answer = peer.ask("method", 0, "run", told_first, {})
                if not there:
                    return f"there is no {self.name}"
                test = eval(f"lambda: {self.judge}({self.name})", space | {self.name: answer})
                why = refusal(test)
                return "not attempted" if why == "" else why or ""
        except Ended:
            return "its process ended before the judge had spoken"
        except Exception as error:
            return described(error, {})


@contextlib.contextmanager
def submitted(page: Path, limit: float) -> Iterator[Peer]:
    """Start the process of a submission, in a folder of its own with the data of a chapter."""
    with tempfile.TemporaryDirectory(
        prefix="chaindyn-grade-", ignore_cleanup_errors=True
    ) as folder:
        for file in data_of(page):
            shutil.copy(file, folder)
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        here = {name: folder for name in ("HOME", "TMPDIR", "TEMP")}
        named = {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "MPLBACKEND": "agg"}
        command = [sys.executable, "-m", "book.submitted", str(limit), str(page.parent)]
        with subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, env=kept | one_thread | here | named,
        ) as process:  # fmt: skip
            assert process.stdin and process.stdout
            try:
                yield Peer(process.stdout, process.stdin, guarded=True)
            finally:
                _end(process)
                end_descendants()


def end_descendants() -> None:
    """End all that this process has started, and what those have: orphans are this process's on Linux."""
    if sys.platform != "linux":
        return
    for _ in range(1000):  # one that forks for ever may be a step ahead
        if not (found := _descendants()):
            return
        for stopping in (signal.SIGSTOP, signal.SIGKILL):
            for one in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(one, stopping)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _descendants() -> list[int]:
    parents = dict[int, int]()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{entry}/stat").read_text(errors="replace")
            parents[int(entry)] = int(status.rpartition(")")[2].split()[1])
    found, waiting = list[int](), [os.getpid()]
    while waiting:
        above = waiting.pop()
        below = [one for one, parent in parents.items() if parent == above]
        found += below
        waiting += below
    return found


# What is run ------------------------------------------------------------------------------------


@cache
def _cells_of(page: Path) -> list[str]:
    return [cell.source for cell in code_cells(read_page(page))]


def python(source: str) -> tuple[str, str]:
    """Return a cell as Python alone, with IPython's ways taken out, and what is wrong with it if it is none."""
    source = _TIMED.sub(r"\1", _WHOLE.sub("", source))
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        from IPython.core.inputtransformer2 import TransformerManager

        with contextlib.suppress(SyntaxError):  # it is parsed below
            source = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
    try:
        statements_of(source)  # compiled: a `return` outside a function can be parsed
    except SyntaxError as error:
        line = (error.text or "").strip()
        return "", f"a cell is not Python: {error.msg}, in line {error.lineno}: {line}"
    except (ValueError, RecursionError, MemoryError) as error:
        return "", f"a cell is not Python: {error or type(error).__name__}"
    return source, ""


def without_blank(source: str, name: str) -> str:
    """Return a cell without a function of some name that was left as it was; its other lines stay where they are."""
    lines = source.split("\n")
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(body=[*_, ast.Raise(exc=ast.Name("NotImplementedError"))]):
                if node.name == name and len(node.body) <= 1 + bool(ast.get_docstring(node)):
                    first, last = node.lineno - 1, node.end_lineno or node.lineno
                    lines[first:last] = [""] * (last - first)
    return "\n".join(lines)


def _indices(sources: list[str], whole: list[bool], name: str = "") -> list[list[int]]:
    """Return which statements of each cell give a name; of some cells, all that they have and what these need."""
    parts = [statements_of(source) for source in sources]
    flat = [one for part in parts for one in part]
    asked = {len(flat) - 1: {name}} if flat else {}
    forced, first = set[int](), 0
    for part, all_of_it in zip(parts, whole or [False] * len(parts), strict=True):
        for index, one in enumerate(part, first):
            if all_of_it:
                forced.add(index)
                asked.setdefault(index, set()).update(one.reads | one.reads_late)
        first += len(part)
    chosen, first, found = needed(flat, asked) | forced, 0, list[list[int]]()
    for part in parts:
        found.append([k - first for k in range(first, first + len(part)) if k in chosen])
        first += len(part)
    return found


def _given(cells: list[str], judge: str) -> tuple[list[str], tuple[list[str], list[str]]]:
    """Return the texts of a chapter's statements that give a judge, and of those that give their classes, and these."""
    nodes = [node for source in cells for node in ast.parse(source).body]
    flat = [one for source in cells for one in statements_of(source)]
    chosen = needed(flat, {len(flat) - 1: {judge}})
    kinds = [nodes[k].name for k in sorted(chosen) if isinstance(nodes[k], ast.ClassDef)]  # type: ignore[attr-defined]
    shared = needed(flat, {len(flat) - 1: set(kinds)})
    texts = {k: ast.unparse(nodes[k]) for k in chosen | shared}
    return [texts[k] for k in sorted(chosen)], ([texts[k] for k in sorted(shared)], kinds)
