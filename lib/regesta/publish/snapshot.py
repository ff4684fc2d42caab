"""Publish the warehouse's tables as a snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from regesta.embed.encoder import Space
from regesta.embed.step import Embeddings
from regesta.errors import SnapshotError
from regesta.parallel import together
from regesta.publish.build import build_segments
from regesta.publish.files import place_model, remove_old, switch, write_manifest
from regesta.publish.rows import FINE_BUCKETS, bucket, embedded_texts, fine_counts, union
from regesta.query.layout import CURRENT, TABLES, table_name
from regesta.query.manifest import File, Manifest, named, segment_id
from regesta.query.snapshot import check_sizes, current_name, read_manifest
from regesta.query.store import Store
from regesta.timeline.ontology import Ontology

ROWS_PER_BUCKET: Final = 50_000
"""Aimed at when the number of buckets is chosen; leaves room to grow before 200,000."""
FEWEST_BUCKETS: Final = 8

Counts = Counter[tuple[str, int]]
Progress = Callable[[str], None]


def publish(
    tables: Mapping[str, DataFrame],
    *,
    root: str,
    known_at: int,
    batch: int,
    table_versions: Mapping[str, int],
    code_version: str,
    relations: Ontology,
    generation: int = 1,
    changed_groups: DataFrame | None = None,
    embeddings: Embeddings | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Write a snapshot of `tables` under `root`, verify it and make it the current one.

    `tables` are the warehouse's facts, entities, entity_redirects, fact_evidence, communities,
    community_members, resolved_verdicts, episodes and supersessions, all versions; `root` a local
    path or a URI for pyarrow.fs; `known_at` microseconds; `relations` tells which facts are rivals.
    With `changed_groups` (group_id) only their buckets are written, the others' segments are
    carried over from the current snapshot. With `embeddings` the snapshot has vectors. Publishing
    the same batch from the same versions again returns what stands. `progress` is told each step.

    Raises AuditError naming table and row where an audit finds something; the current snapshot then
    stays.
    """
    tell = progress or _silent
    store = Store(root)
    before = standing(store, tell)
    space = embeddings.space if embeddings else None
    origin = (generation, batch, known_at, code_version, dict(table_versions), space)
    if before and table_versions and _origin(before) == origin:
        tell(f"snapshot {before.name} stands")
        return before
    sources = _Sources(tables, root, relations, known_at, embeddings)
    if before and before.embedding != space:
        tell("every bucket is written again: the model that embeds is another")
        changed_groups = None
    buckets, files = _write_segments(sources, before, changed_groups, tell)
    manifest = named(
        Manifest(
            name="",
            known_at=known_at,
            batch=batch,
            table_versions=dict(table_versions),
            code_version=code_version,
            generation=generation,
            bucket_count=buckets,
            buckets={str(number): segment_id(each) for number, each in files.items()},
            segments={segment_id(each): each for each in files.values()},
            embedding=space,
            model=_model(root, embeddings, before),
        )
    )
    _switch(store, manifest, tell)
    return manifest


def _silent(_: str) -> None:
    pass


def standing(store: Store, tell: Progress) -> Manifest | None:
    """Return the current snapshot's manifest if it is whole."""
    if not store.exists(CURRENT):
        return None
    try:
        manifest = read_manifest(store, current_name(store))
        check_sizes(store, manifest)
    except SnapshotError as error:
        tell(f"every bucket is written again: {error}")
        return None
    return manifest


def _model(root: str, embeddings: Embeddings | None, before: Manifest | None) -> Mapping[str, File]:
    """Put the model's files beside the segments, unless those of the snapshot before serve."""
    if embeddings is None:
        return {}
    if before and before.embedding == embeddings.space:
        return before.model
    return place_model(embeddings.folder, root) if embeddings.folder else {}


def _origin(manifest: Manifest) -> tuple[int, int, int, str, dict[str, int], Space | None]:
    versions = dict(manifest.table_versions)
    made = (manifest.generation, manifest.batch, manifest.known_at)
    return (*made, manifest.code_version, versions, manifest.embedding)


@dataclass(frozen=True)
class _Sources:
    """What segments are written from and where to, what they are audited by, what embeds."""

    tables: Mapping[str, DataFrame]
    root: str
    relations: Ontology
    known_at: int
    embeddings: Embeddings | None

    def built(self, buckets: int, chosen: Collection[int]) -> dict[int, dict[str, File]]:
        """Write the segments of the chosen buckets and return bucket -> files."""
        space, vectors = None, None
        if self.embeddings:
            texts = embedded_texts(self.tables, buckets=buckets, chosen=chosen)
            space, vectors = self.embeddings.space, self.embeddings.vectors(texts)
        rows = union(self.tables, vectors, buckets=buckets, chosen=chosen)
        return build_segments(rows, self.root, self.relations, space, self.known_at)


def _write_segments(
    sources: _Sources,
    before: Manifest | None,
    changed_groups: DataFrame | None,
    tell: Progress,
) -> tuple[int, dict[int, Mapping[str, File]]]:
    """Return the number of buckets, and bucket -> files, of segments written or carried over."""
    fine, changed = together(
        lambda: fine_counts(sources.tables), lambda: _changed_buckets(before, changed_groups)
    )
    buckets = before.bucket_count if before else _bucket_count(fine)
    counts = _coarse(fine, buckets)
    carried = _carried(before, counts, changed)
    chosen = {number for _, number in counts} - set(carried)
    tell(f"writing {len(chosen)} of {len(chosen) + len(carried)} segments")
    built = sources.built(buckets, chosen) if chosen else {}
    files = dict(sorted({**carried, **built}.items()))
    _check_counts(files, counts)
    return buckets, files


def _bucket_count(counts: Counts) -> int:
    """Return the power of two that gives the longest table about ROWS_PER_BUCKET per bucket."""
    rows = max((sum(n for (t, _), n in counts.items() if t == each) for each in TABLES), default=0)
    wanted = max(FEWEST_BUCKETS, -(-rows // ROWS_PER_BUCKET))
    return min(FINE_BUCKETS, 1 << (wanted - 1).bit_length())


def _coarse(fine: Counts, buckets: int) -> Counts:
    counts: Counts = Counter()
    for (table, number), rows in fine.items():
        counts[table, number % buckets] += rows
    return counts


def _changed_buckets(before: Manifest | None, groups: DataFrame | None) -> set[int] | None:
    """Return the numbers of the buckets to write again; None means all."""
    if before is None or groups is None:
        return None
    rows = groups.select(bucket(before.bucket_count).alias("bucket")).distinct().collect()
    return {row["bucket"] for row in rows}


def _carried(
    before: Manifest | None, counts: Counts, changed: set[int] | None
) -> dict[int, Mapping[str, File]]:
    """Return bucket -> files of the segments that stay as they are."""
    if before is None or changed is None:
        return {}
    kept = {number for _, number in counts} - changed
    segments = {int(number): segment for number, segment in before.buckets.items()}
    return {each: before.segments[segments[each]] for each in kept if each in segments}


def _check_counts(files: Mapping[int, Mapping[str, File]], counts: Counts) -> None:
    for number, each in files.items():
        for table in TABLES:
            written = each[table_name(table)].rows
            if written != counts[table, number]:
                raise SnapshotError(
                    f"The snapshot was not published: {table} has {counts[table, number]} rows in "
                    f"bucket {number}, its segment {segment_id(each)} has {written}; publish "
                    "without changed groups."
                )


def _switch(store: Store, manifest: Manifest, tell: Progress) -> None:
    check_sizes(store, manifest)
    write_manifest(store, manifest)
    switch(store, manifest.name)
    tell(f"snapshot {manifest.name} is current: {sum(manifest.rows.values())} rows")
    try:
        removed = remove_old(store, manifest)
    except SnapshotError as error:
        tell(f"old snapshots were not removed: {error}")
    else:
        tell(f"{removed} old segments removed")
