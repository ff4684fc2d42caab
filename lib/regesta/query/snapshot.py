"""Open a published snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from regesta.embed.encoder import Encoder
from regesta.errors import SnapshotError
from regesta.query.errors import QueryError, unknown
from regesta.query.graph import Graph
from regesta.query.graphs import Graphs
from regesta.query.group import Group
from regesta.query.layout import (
    CURRENT,
    MANIFEST,
    MODELS,
    SEGMENTS,
    SNAPSHOTS,
    bucket_of,
    table_name,
)
from regesta.query.manifest import Manifest, from_json
from regesta.query.segment import Segment
from regesta.query.store import Store
from regesta.query.times import to_datetime
from regesta.query.vectors import QueryEncoder


class Snapshot:
    """A published snapshot: many groups, each a graph of its own. What is open stays as it is."""

    def __init__(self, store: Store, manifest: Manifest, encoder: Encoder | None = None) -> None:
        self._store = store
        self._encoder = _query_encoder(store, manifest, encoder)
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
        group = Group(name, self._segment(segment_id), bounds, self._encoder)
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
        for folder, files in self.manifest.folders.items():
            for name, file in files.items():
                if self._store.sha256(folder, name) != file.sha256:
                    raise _damaged(f"{folder}/{name}", "its checksum differs")

    @cached_property
    def _names(self) -> list[str]:
        segments = self.manifest.buckets.values()
        return sorted(name for each in segments for name in self._segment(each).groups)

    def _segment(self, segment_id: str) -> Segment:
        if segment_id not in self._segments:
            self._segments[segment_id] = Segment(self._store, segment_id)
        return self._segments[segment_id]


def open_snapshot(
    root: str | Path, *, name: str | None = None, encoder: Encoder | None = None
) -> Snapshot:
    """Open a snapshot under `root`: a local path or any URI that pyarrow.fs understands.

    It is the current one, unless another is named. `encoder` embeds what is asked; by default that
    does the model that the snapshot was published with, loaded at the first question.

    Raises SnapshotError where there is none, or where a file is missing or has another size than
    published (`Snapshot.verify` compares checksums too); QueryError where `encoder` is of another
    model.
    """
    store = Store(root)
    manifest = read_manifest(store, name or current_name(store))
    check_sizes(store, manifest)
    return Snapshot(store, manifest, encoder)


def _query_encoder(
    store: Store, manifest: Manifest, encoder: Encoder | None
) -> QueryEncoder | None:
    space = manifest.embedding
    if space is None and encoder is not None:
        raise QueryError(
            f"The snapshot has no vectors to compare those of {encoder.space.name} with: publish "
            "it with embeddings.model in conf/base.yaml."
        )
    return QueryEncoder(space, store, manifest.model, encoder) if space else None


def snapshot_names(store: Store) -> list[str]:
    """Return the names of the snapshots under a root, in the order of their batches."""
    return sorted({path.split("/")[0] for path in store.sizes(SNAPSHOTS)})


@dataclass(frozen=True)
class Kept:
    """A snapshot under a root: its manifest, or what is wrong with it."""

    name: str
    is_current: bool
    manifest: Manifest | None
    damage: str | None

    @property
    def bytes(self) -> int:
        """Return the size of its files, which it may share with others."""
        folders = self.manifest.folders.values() if self.manifest else ()
        return sum(file.bytes for files in folders for file in files.values())


def kept_snapshots(root: str | Path) -> list[Kept]:
    """Return the snapshots under a root, oldest first; damaged ones are told, not raised.

    Raises SnapshotError where nothing was published.
    """
    store = Store(root)
    current = current_name(store)
    return [_kept(store, name, current) for name in snapshot_names(store)]


def _kept(store: Store, name: str, current: str) -> Kept:
    try:
        manifest = read_manifest(store, name)
        check_sizes(store, manifest)
    except SnapshotError as error:
        return Kept(name, name == current, None, str(error))
    return Kept(name, name == current, manifest, None)


def current_name(store: Store) -> str:
    """Return the name of the current snapshot; raises SnapshotError where none was published."""
    if not store.exists(CURRENT):
        raise SnapshotError(
            f"Nothing was published in {store.root} yet: its file {CURRENT} is missing. Run "
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
    sizes = {
        f"{parent}/{path}": size
        for parent in (SEGMENTS, *((MODELS,) if manifest.model else ()))
        for path, size in store.sizes(parent).items()
    }
    for folder, files in manifest.folders.items():
        for name, file in files.items():
            size = sizes.get(f"{folder}/{name}")
            if size is None:
                raise _damaged(f"{folder}/{name}", "it is missing")
            if size != file.bytes:
                found = f"it has {size} bytes instead of {file.bytes}"
                raise _damaged(f"{folder}/{name}", found)


def _damaged(path: str, what: str) -> SnapshotError:
    return SnapshotError(f"The snapshot's {path} is damaged: {what}; publish again or roll back.")
