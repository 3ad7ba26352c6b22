# Generated from chapters/33_stores_that_survive.md by `python -m book export`; edit it there.
# sha256 of the text below: cd7bdb89ba91319dfe7c6d66034c9ecd5aca4403161be644094fc5b713d92ba5
"""Files that are whole, or not there, and say which they are.

Derived in chapter 33, "Stores that survive".
"""

import gzip
import io
import os
import zlib
from contextlib import suppress
from pathlib import Path

__all__: list[str] = []


# Chapter 33, "Stores that survive": A file that is whole, or absent
def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, even if the power fails."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.replace(draft, path)
    except FileNotFoundError:
        # another process of the same sweep was first, and removed it
        if not path.exists():
            raise
    with suppress(OSError):  # some systems cannot open a folder
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


# Chapter 33, "Stores that survive": A file that says which it is
def sealed(name: str, content: bytes) -> bytes:
    """Return a file's content of this name, with its checksum, in gzip's container.

    It is not compressed. Readers of Zarr know it as the codec gzip.
    """
    whole = io.BytesIO()
    with gzip.GzipFile(name, "wb", compresslevel=0, fileobj=whole, mtime=0) as file:
        file.write(content)
    return whole.getvalue()


def unsealed(name: str, content: bytes, size: int) -> bytes | None:
    """Return what was sealed under this name.

    None if this is anything else, or damaged, or of another size.
    """
    own = name.encode("latin-1") + b"\0"
    named = content[3:4] == b"\x08" and content[10:].startswith(own)
    try:
        inside = gzip.decompress(content) if named else b""
    except (OSError, EOFError, zlib.error):
        return None
    return inside if named and len(inside) == size else None
