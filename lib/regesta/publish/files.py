"""Writing under a snapshot root: segments, manifests and the switch, and removing what is old."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyarrow.fs as pafs

from regesta.query.layout import CURRENT, MANIFEST, SEGMENTS, SNAPSHOTS
from regesta.query.manifest import File, Manifest, to_json
from regesta.query.snapshot import read_manifest
from regesta.query.store import Store

KEPT_SNAPSHOTS: Final = 7


def place_segment(
    folder: Path, root: str, segment: str, files: Mapping[str, File], *, attempt: int
) -> None:
    """Copy a finished segment to its place, unless it is there already.

    Repeated and rival attempts write the same bytes to the same place. Locally the folder appears
    at once; an object store shows each file whole.
    """
    store = Store(root)
    wanted = {name: file.bytes for name, file in files.items()}
    if store.sizes(SEGMENTS, segment) == wanted:
        return
    target = store.path(SEGMENTS, segment)
    if not store.local:
        pafs.copy_files(str(folder), target, destination_filesystem=store.filesystem)
        return
    part = Path(f"{target}.part{attempt}")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in files:
        shutil.copyfile(folder / name, part / name)
    if Path(target).exists() and store.sizes(SEGMENTS, segment) != wanted:
        shutil.rmtree(target)
    try:
        part.rename(target)
    except OSError:
        if store.sizes(SEGMENTS, segment) != wanted:
            raise
        shutil.rmtree(part)


def write_manifest(store: Store, manifest: Manifest) -> None:
    """Write a snapshot's manifest to its place."""
    _write(store, to_json(manifest), SNAPSHOTS, manifest.name, MANIFEST)


def switch(store: Store, name: str) -> None:
    """Make a snapshot the current one; readers see the old one or the new one, nothing between."""
    _write(store, f"{name}\n", CURRENT)


def _write(store: Store, text: str, *parts: str) -> None:
    path = store.path(*parts)
    if not store.local:
        with store.filesystem.open_output_stream(path) as stream:
            stream.write(text.encode())
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    part = Path(f"{path}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def remove_old(store: Store, current: Manifest) -> int:
    """Keep the newest snapshots and the current one; remove others, and segments none refers to.

    Returns the number of segments removed. Raises SnapshotError, and removes nothing, where a
    manifest can't be read: what it refers to is not known.
    """
    names = sorted({path.split("/")[0] for path in store.sizes(SNAPSHOTS)}, reverse=True)
    manifests = [read_manifest(store, name) for name in names]
    newest = sorted(manifests, key=lambda each: (each.batch, each.known_at, each.name))
    kept = {each.name: each for each in (*newest[-KEPT_SNAPSHOTS:], current)}
    for name in sorted(set(names) - set(kept)):
        store.filesystem.delete_dir(store.path(SNAPSHOTS, name))
    used = {segment for manifest in kept.values() for segment in manifest.segments}
    found = {path.split("/")[0] for path in store.sizes(SEGMENTS)}
    for segment in sorted(found - used):
        store.filesystem.delete_dir(store.path(SEGMENTS, segment))
    return len(found - used)
