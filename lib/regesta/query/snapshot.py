"""Open a published snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path

from regesta.errors import SnapshotError
from regesta.query.errors import unknown
from regesta.query.graph import Graph
from regesta.query.graphs import Graphs
from regesta.query.group import Group
from regesta.query.layout import CURRENT, MANIFEST, SEGMENTS, SNAPSHOTS, bucket_of, table_name
from regesta.query.manifest import Manifest, from_json
from regesta.query.segment import Segment
from regesta.query.store import Store
from regesta.query.times import to_datetime


class Snapshot:
    """A published snapshot: many groups, each a graph of its own. What is open stays as it is."""

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store = store
        self._segments: dict[str, Segment] = {}
        self.manifest = manifest

    def __repr__(self) -> str:
        return f"Snapshot({self.manifest.name!r}, known_at={self.known_at.isoformat()!r})"

    @property
    def known_at(self) -> datetime:
        """Return the known time of the snapshot: its "now"."""
        return to_datetime(self.manifest.known_at)

    def groups(self) -> list[str]:
        """Return the names of all groups, sorted."""
        return self._names

    def group(self, name: str) -> Graph:
        """Return a group's graph as of now; raises QueryError with the nearest names."""
        segment_id = self.manifest.buckets.get(str(bucket_of(name, self.manifest.bucket_count)))
        bounds = self._segment(segment_id).groups.get(name) if segment_id else None
        if segment_id is None or bounds is None:
            raise unknown("group", name, self._names)
        now = self.manifest.known_at
        group = Group(name, self._segment(segment_id), bounds)
        return Graph(group, valid=now, known=now, published=now)

    def graphs(self, names: Sequence[str] | None = None) -> Graphs:
        """Return several groups' graphs, to be searched as one; all groups without names."""
        return Graphs([self.group(name) for name in (self._names if names is None else names)])

    def table_files(self, table: str) -> list[str]:
        """Return the paths of a table's Parquet files, on the file system of the snapshot."""
        segments = sorted(self.manifest.segments)
        return [self._store.path(SEGMENTS, each, table_name(table)) for each in segments]

    def verify(self) -> None:
        """Compare every file with its checksum; raises SnapshotError naming one that differs."""
        check_sizes(self._store, self.manifest)
        for segment_id, files in self.manifest.segments.items():
            for name, file in files.items():
                if self._store.sha256(SEGMENTS, segment_id, name) != file.sha256:
                    raise _damaged(f"{SEGMENTS}/{segment_id}/{name}", "its checksum differs")

    @cached_property
    def _names(self) -> list[str]:
        segments = self.manifest.buckets.values()
        return sorted(name for each in segments for name in self._segment(each).groups)

    def _segment(self, segment_id: str) -> Segment:
        if segment_id not in self._segments:
            self._segments[segment_id] = Segment(self._store, segment_id)
        return self._segments[segment_id]


def open_snapshot(root: str | Path) -> Snapshot:
    """Open the current snapshot under `root`: a local path or any URI that pyarrow.fs understands.

    Raises SnapshotError where there is none, or where a file is missing or has another size than
    published; `Snapshot.verify` compares checksums too.
    """
    store = Store(root)
    manifest = read_manifest(store, current_name(store))
    check_sizes(store, manifest)
    return Snapshot(store, manifest)


def current_name(store: Store) -> str:
    """Return the name of the current snapshot; raises SnapshotError where none was published."""
    if not store.exists(CURRENT):
        raise SnapshotError(
            f"{CURRENT} is missing in {store.root}: nothing was published there. Run "
            "`regesta nightly` first, or name the folder of other snapshots."
        )
    return store.read(CURRENT).decode("utf-8", "replace").strip()


def read_manifest(store: Store, name: str) -> Manifest:
    """Read a snapshot's manifest; raises SnapshotError where it is missing or damaged."""
    path = f"{SNAPSHOTS}/{name}/{MANIFEST}"
    text = store.read(SNAPSHOTS, name, MANIFEST).decode("utf-8", "replace")
    manifest = from_json(text, path=path)
    if manifest.name != name:
        raise _damaged(path, f"it is the manifest of {manifest.name!r}")
    return manifest


def check_sizes(store: Store, manifest: Manifest) -> None:
    """Compare the size of every file with the manifest; raises SnapshotError naming the file."""
    sizes = store.sizes(SEGMENTS)
    for segment_id, files in manifest.segments.items():
        for name, file in files.items():
            size = sizes.get(f"{segment_id}/{name}")
            if size is None:
                raise _damaged(f"{SEGMENTS}/{segment_id}/{name}", "it is missing")
            if size != file.bytes:
                found = f"it has {size} bytes instead of {file.bytes}"
                raise _damaged(f"{SEGMENTS}/{segment_id}/{name}", found)


def _damaged(path: str, what: str) -> SnapshotError:
    return SnapshotError(f"The snapshot's {path} is damaged: {what}; publish again or roll back.")
