"""Writing under a snapshot root: segments, manifests and the switch, and removing what is old."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyarrow.fs as pafs

from regesta.errors import SnapshotError
from regesta.query.layout import CURRENT, MANIFEST, MODELS, SEGMENTS, SNAPSHOTS
from regesta.query.manifest import File, Manifest, segment_id, to_json
from regesta.query.snapshot import current_name, open_snapshot, read_manifest, snapshot_names
from regesta.query.store import Store

KEPT_SNAPSHOTS: Final = 7


def described(path: Path, rows: int | None = None) -> File:
    """Return a file's size and checksum."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return File(bytes=path.stat().st_size, sha256=digest, rows=rows)


def place_model(folder: Path, root: str) -> dict[str, File]:
    """Copy a model's files to their place, unless they are there already; return what they are."""
    files = {path.name: described(path) for path in sorted(folder.iterdir())}
    place(folder, root, MODELS, files, attempt=0)
    return files


def place(folder: Path, root: str, parent: str, files: Mapping[str, File], *, attempt: int) -> None:
    """Copy a finished segment or model below its parent folder, unless it is there already.

    Repeated and rival attempts write the same bytes to the same place. Locally the folder appears
    at once; an object store shows each file whole.
    """
    store, name = Store(root), segment_id(files)
    wanted = {name: file.bytes for name, file in files.items()}
    if store.sizes(parent, name) == wanted:
        return
    target = store.path(parent, name)
    if not store.local:
        pafs.copy_files(str(folder), target, destination_filesystem=store.filesystem)
        return
    part = Path(f"{target}.part{attempt}")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for each in files:
        shutil.copyfile(folder / each, part / each)
    if Path(target).exists() and store.sizes(parent, name) != wanted:
        shutil.rmtree(target)
    try:
        part.rename(target)
    except OSError:
        if store.sizes(parent, name) != wanted:
            raise
        shutil.rmtree(part)


def write_manifest(store: Store, manifest: Manifest) -> None:
    """Write a snapshot's manifest to its place."""
    _write(store, to_json(manifest), SNAPSHOTS, manifest.name, MANIFEST)


def switch(store: Store, name: str) -> None:
    """Make a snapshot the current one; readers see the old one or the new one, nothing between."""
    _write(store, f"{name}\n", CURRENT)


def roll_back(root: str | Path, name: str | None = None) -> Manifest:
    """Make an earlier snapshot the current one: the one named, else the one before the current.

    Its files are compared with their checksums first. The next batch publishes from it on.

    Raises SnapshotError where there is no such snapshot, or it is damaged; the current one stays.
    """
    store = Store(root)
    names, current = snapshot_names(store), current_name(store)
    earlier = [each for each in names if each < current]
    wanted = name or (earlier[-1] if earlier else None)
    if wanted not in names:
        what = f"no snapshot {wanted!r}" if wanted else f"no snapshot before {current}"
        raise SnapshotError(f"There is {what} in {store.root}; it has {', '.join(names)}.")
    opened = open_snapshot(root, name=wanted)
    opened.verify()
    switch(store, opened.manifest.name)
    return opened.manifest


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
    """Keep the newest snapshots and the current one, with their segments and models; remove others.

    Returns the number of segments and models removed. Raises SnapshotError, and removes nothing,
    where a manifest can't be read: what it refers to is not known.
    """
    names = snapshot_names(store)
    manifests = [read_manifest(store, name) for name in names]
    newest = sorted(manifests, key=lambda each: (each.batch, each.known_at, each.name))
    kept = {each.name: each for each in (*newest[-KEPT_SNAPSHOTS:], current)}
    for name in sorted(set(names) - set(kept)):
        store.filesystem.delete_dir(store.path(SNAPSHOTS, name))
    used = {folder for manifest in kept.values() for folder in manifest.folders}
    found = {
        f"{parent}/{path.split('/')[0]}"
        for parent in (SEGMENTS, MODELS)
        for path in store.sizes(parent)
    }
    for folder in sorted(found - used):
        store.filesystem.delete_dir(store.path(folder))
    return len(found - used)
