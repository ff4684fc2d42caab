"""Where a file stands in its archive, as the expressions of its records see it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from regesta.sources.declaration import Source

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?(?=/)")
_GLOB: Final = re.compile(r"[][{}*?\\]")


def place_in_archive(path: str, archive: Sequence[str]) -> dict[str, str]:
    """Return what a record can know of the file that holds it.

    `path` is a file's path as a listing gives it, `archive` the paths of its source (files,
    folders, globs). Keys: path (below the archive's root: the folder given, or the last one before
    a pattern), folder (the name of the folder that holds the file), name, stem (the name up to its
    first dot, which may not begin it).
    """
    plain = _plain(path)
    folder, name = posixpath.split(plain)
    roots = [folder if root == plain else root for root in map(_root, archive)]
    above = [root for root in roots if plain.startswith(root.rstrip("/") + "/")]
    below = plain[len(max(above, key=len, default="")) :].lstrip("/")
    stem = name[0] + name[1:].partition(".")[0]
    return {"path": below, "folder": posixpath.basename(folder), "name": name, "stem": stem}


def with_file(source: Source) -> Callable[[Any, str], Any]:
    """Return the function from a record and its file's path to what expressions see.

    That is the record itself unless `source` declares `file`.
    """
    name, archive = source.file, source.path
    if name is None:
        return lambda record, _path: record

    @lru_cache(maxsize=4096)
    def place(path: str) -> dict[str, str]:
        return place_in_archive(path, archive)

    def seen(record: Any, path: str) -> Any:
        return record | {name: place(path)} if isinstance(record, dict) else record

    return seen


def _root(pattern: str) -> str:
    """Return the last folder of a path before its first pattern."""
    found = _GLOB.search(pattern)
    return _plain(pattern if found is None else pattern[: found.start()].rpartition("/")[0])


def _plain(path: str) -> str:
    """Return a path without scheme and host, and without detours."""
    return posixpath.normpath(_SCHEME.sub("", path))
