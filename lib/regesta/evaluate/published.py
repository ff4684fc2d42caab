"""The tables of a snapshot that are measured, whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from regesta import model
from regesta.errors import SnapshotError
from regesta.query.layout import CURRENT, SEGMENTS, TABLES, table_name
from regesta.query.manifest import Manifest
from regesta.query.snapshot import Snapshot, open_snapshot
from regesta.query.store import Store

_ENTITIES = ("group_id", "entity_id", "name", "identifiers", "expired_at")
_FACTS = (
    *("group_id", "fact_id", "subject_id", "relation", "object_id", "value"),
    *("valid_at", "seen_from", "invalid_at", "created_at", "expired_at", "flags"),
)


@dataclass(frozen=True)
class Published:
    """A snapshot, and of all its segments the entities' versions and the undisputed facts.

    `valid_at` of a fact whose start is unknown is since when it was seen.
    """

    snapshot: Snapshot
    store: Store
    entities: pa.Table
    facts: pa.Table

    @property
    def known_at(self) -> int:
        """Return the known time of the snapshot in microseconds."""
        return self.snapshot.manifest.known_at

    def contents(self, episode_ids: Iterable[str]) -> dict[str, str]:
        """Return the content of episodes by id, where there is one."""
        paths = self.snapshot.table_files("episodes")
        episodes = ds.dataset(paths, filesystem=self.store.filesystem, format="parquet")
        wanted = ds.field("episode_id").isin(sorted(set(episode_ids)))
        found = episodes.to_table(columns=["episode_id", "content"], filter=wanted)
        ids, contents = (found[name].to_pylist() for name in ("episode_id", "content"))
        return dict(zip(ids, contents, strict=True))


def read_published(root: str) -> Published:
    """Read the current snapshot under a root.

    Raises SnapshotError where none was published, or where it is damaged.
    """
    store = Store(root)
    if not store.exists(CURRENT):
        raise SnapshotError(
            f"No snapshot was published in {root}; run `regesta nightly` first, or name another "
            "folder of snapshots with --snapshots."
        )
    snapshot = open_snapshot(root)
    entities = _read(store, snapshot.manifest, "entities", _ENTITIES)
    facts = _read(store, snapshot.manifest, "facts", _FACTS)
    start = pc.coalesce(facts["valid_at"], facts["seen_from"])
    facts = facts.set_column(facts.schema.get_field_index("valid_at"), "valid_at", start)
    return Published(snapshot, store, entities, facts.filter(_undisputed(facts)).combine_chunks())


def _read(store: Store, manifest: Manifest, table: str, columns: tuple[str, ...]) -> pa.Table:
    schema = pa.schema([TABLES[table].field(name) for name in columns])
    pieces = [
        store.parquet(SEGMENTS, segment, table_name(table)).read(columns=list(columns))
        for segment in sorted(manifest.segments)
    ]
    return pa.concat_tables([schema.empty_table(), *pieces]).combine_chunks()


def _undisputed(facts: pa.Table) -> Any:
    joined = pc.binary_join(facts["flags"], ",")
    return pc.invert(pc.fill_null(pc.match_substring(joined, model.DISPUTED), False))
