"""Each page is executed once, and site, twins and comparison take its outputs from there.

What a page's cells gave is kept in the cache in which MyST-NB looks (jupyter-cache, ``book/_build/.jupyter_cache``), as
long as neither the cells nor the package nor what is installed changes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import shutil
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.main import JupyterCacheBase
from myst_nb.core.read import read_myst_markdown_notebook
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from book.pages import PACKAGE, ROOT, BookError, code_cells, data_of, pages

TIMEOUT = 300  # seconds a cell; the whole chapter should take 20
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def build_folder(root: Path = ROOT) -> Path:
    """Where the site is built and the outputs are kept."""
    return root / "book" / "_build"


def fill(chosen: Iterable[Path], root: Path = ROOT) -> dict[Path, float]:
    """Execute those of some pages whose outputs are not kept, on all cores; the seconds that each took.

    Raises `BookError`, which names the cells that failed, when all the others are done.
    """
    forget_outdated(root)
    waiting = [page for page in chosen if _kept(page, root) is None]
    if not waiting:
        return {}
    workers = min(len(waiting), os.cpu_count() or 1)
    failures, times = list[str](), dict[Path, float]()
    spawn = multiprocessing.get_context("spawn")  # forking with threads around is not safe
    pool = ProcessPoolExecutor(workers, mp_context=spawn) if workers > 1 else ThreadPoolExecutor(1)
    with pool:
        started = {page: pool.submit(_timed, page, root) for page in waiting}
        for page, future in started.items():
            try:
                times[page] = future.result()
            except BookError as error:
                failures.append(str(error))
            else:
                print(f"{page.relative_to(root)}: executed, {times[page]:.1f} s", flush=True)
    if failures:
        raise BookError("\n".join(failures))
    return times


def _timed(page: Path, root: Path) -> float:
    start = time.perf_counter()
    executed(page, root)
    return time.perf_counter() - start


def executed(page: Path, root: Path = ROOT) -> NotebookNode:
    """The page's code cells with what they gave, from the cache or executed now in the page's folder.

    Raises `BookError` when a cell fails.
    """
    if (kept := _kept(page, root)) is not None:
        return kept
    notebook = _read(page)
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(page.parent)}},
    )
    start = time.perf_counter()
    try:
        client.execute(env=_environment())
    except CellExecutionError as error:
        raise BookError(f"{page.name}: a cell failed:\n{_ANSI.sub('', str(error))}") from None
    seconds = {"execution_seconds": time.perf_counter() - start}
    bundle = CacheBundleIn(notebook, str(page), data=seconds)
    _cache(root).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    notebook.cells = code_cells(notebook)
    return notebook


def _read(page: Path) -> NotebookNode:
    """The page as MyST-NB reads it, so that it finds the outputs."""
    return read_myst_markdown_notebook(page.read_text(encoding="utf-8"), path=str(page))


def _environment() -> dict[str, str]:
    """What makes outputs the same every time: fixed dates and ids in SVG, one thread for sums."""
    environment = dict(
        os.environ, SOURCE_DATE_EPOCH="0", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"
    )
    environment["MATPLOTLIBRC"] = str(ROOT / "book" / "matplotlibrc")
    environment.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    return environment


# Keeping ----------------------------------------------------------------------------------------


class _Cache(JupyterCacheBase):
    """Outputs of a few pages, which many processes put in at once."""

    def truncate_caches(self) -> None:
        """Nothing: what is outdated goes as a whole, and a record that another process is just putting in is no
        longer one too many (jupyter-cache counts the records twice, and removes what came between)."""


def _cache(root: Path) -> JupyterCacheBase:
    return _Cache(str(build_folder(root) / ".jupyter_cache"))


def _kept(page: Path, root: Path) -> NotebookNode | None:
    cache = _cache(root)
    try:
        found = cache.match_cache_notebook(_read(page))
        return cache.get_cache_bundle(found.pk).nb
    except KeyError:
        return None


def forget_outdated(root: Path = ROOT) -> None:
    """Forget all outputs, and the pages that show them, when package, data or environment changed."""
    build = build_folder(root)
    files = [
        *(root / PACKAGE).rglob("*"),
        *(file for page in pages(root) for file in data_of(page)),
    ]
    if changed(build / "code", files, _versions()):
        shutil.rmtree(build / ".jupyter_cache", ignore_errors=True)
        shutil.rmtree(build / ".doctrees", ignore_errors=True)
    _cache(root).db  # noqa: B018  makes the file now, before several processes want it


def changed(stamp: Path, files: Iterable[Path], more: str = "") -> bool:
    """Whether the content of some files differs from when `stamp` was written, which it now is again."""
    digest = hashlib.sha256(more.encode())
    for file in sorted(file for file in files if file.is_file() and file.suffix != ".pyc"):
        digest.update(str(file).encode() + b"\0" + file.read_bytes())
    if stamp.is_file() and stamp.read_text() == digest.hexdigest():
        return False
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest.hexdigest())
    return True


def _versions() -> str:
    """The versions of all that is installed, since a cell may use any of it."""
    return "\n".join(
        sorted(f"{package.name} {package.version}" for package in metadata.distributions())
    )
