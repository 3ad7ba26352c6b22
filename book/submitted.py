"""The process in which the code of a submission runs, and answers what a judge asks (book/grade.py).

It has few rights that can be taken from it: limits of time, memory and files, an empty folder, a few variables of the
environment; and it knows nothing that is worth a point, since judge and verdict are in another process.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import sys
from pathlib import Path
from typing import Any

from book.answers import Peer
from book.judging import module_for

MEMORY = 4 << 30  # bytes
FILES = 256 << 20
PROCESSES = 4096  # of this user, whoever started them


class Submission:
    """What a judge asks for first: that cells be run, and for a name."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer

    def run(
        self,
        book: list[str],
        cells: list[str],
        own: list[bool],
        chosen: list[list[int]],
        name: str,
        without: list[str],
    ) -> Any:
        """Run statements of the book, then some of a submission's; return whether there is an answer, and what it is.

        own : which cells are not the chapter's; without : functions that neither the library nor the chapter's cells
        give to an answer.

        Of a class that is there already, in the same words, no second one is made: to a judge its objects would be
        strange. A statement that fails costs only what it would have given.
        """
        ours = module_for("book_cells")
        for source in book:
            exec(compile(source, "<book>", "exec", dont_inherit=True), ours)
        known = dict[str, type]()
        for node in (node for source in book for node in ast.parse(source).body):
            if isinstance(node, ast.ClassDef):
                known[ast.dump(node)] = self.peer.classes[node.name] = ours[node.name]
        refused = _withheld(without)
        space = self.peer.space = module_for("submitted_cells")
        space["get_ipython"] = lambda: None
        first: BaseException | None = None
        for number, (source, mine, indices) in enumerate(zip(cells, own, chosen, strict=True)):
            file = f"<cell {number}>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            body = ast.parse(source).body if indices else []
            for node in (body[index] for index in indices):
                try:
                    if isinstance(node, ast.ClassDef) and (one := known.get(ast.dump(node))):
                        space[node.name] = one
                    else:
                        exec(
                            compile(ast.Module([node], []), file, "exec", dont_inherit=True), space
                        )
                except BaseException as error:  # exit() too
                    first = first or error
                if not mine:
                    space.update((one, refused[one]) for one in refused.keys() & space.keys())
        if name not in space and first is not None:
            raise first
        return name in space, space.get(name)


def _withheld(names: list[str]) -> dict[str, Any]:
    """Put in place of some functions of the library, wherever it has them, what refuses to be called."""
    import chaindyn

    refused = dict[str, Any]()
    for name in names:

        def refuse(*given: Any, _name: str = name, **more: Any) -> Any:
            raise ValueError(f"this exercise is to be solved without {_name}")

        withheld, refused[name] = getattr(chaindyn, name), refuse
        for module in [one for key, one in sys.modules.items() if key.startswith("chaindyn")]:
            if vars(module).get(name) is withheld:
                setattr(module, name, refuse)
    return refused


def _limited(seconds: float) -> None:
    with contextlib.suppress(ImportError):  # Windows has none of them
        import resource

        limits = {
            "AS": MEMORY,
            "FSIZE": FILES,
            "CPU": int(seconds) + 1,
            "CORE": 0,
            "NPROC": PROCESSES,
        }
        for name, most in limits.items():
            if (kind := getattr(resource, f"RLIMIT_{name}", None)) is not None:
                hard = resource.getrlimit(kind)[1]
                most = most if hard == resource.RLIM_INFINITY else min(most, hard)
                with contextlib.suppress(OSError, ValueError):
                    resource.setrlimit(kind, (most, most))


def _kept_from(folder: Path) -> None:
    """Let no Python of this process open what is in a folder: the chapters, with their solutions."""
    closed = os.path.join(os.path.realpath(folder), "")

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(given[0], str | bytes | os.PathLike):
            if os.path.realpath(os.fsdecode(given[0])).startswith(closed):
                raise PermissionError("a submission does not read the chapters")

    sys.addaudithook(hook)


def main(seconds: str, chapters: str) -> None:
    reads, writes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    peer = Peer(reads, writes, guarded=False)
    peer.lent[0] = Submission(peer)
    _limited(float(seconds))
    _kept_from(Path(chapters))
    with contextlib.suppress(Exception):
        peer.serve()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
