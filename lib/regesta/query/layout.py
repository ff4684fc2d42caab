"""What a snapshot is made of: names of files, tables and arrays, shared by writer and reader.

    root/CURRENT                          the name of the current snapshot
    root/snapshots/<name>/manifest.json   which segments it consists of, with sizes and checksums
    root/segments/<id>/<file>             immutable; the id derives from the content
    root/models/<id>/<file>               likewise: the model that made vectors, to embed questions

A segment holds one bucket of groups. In every table the rows of one group are one slice, and rows
of one fact or one entity are neighbours within it. Row numbers count from the segment's start.
"""

from __future__ import annotations

import zlib
from typing import Final

import pyarrow as pa

from regesta import model

SCHEMA_VERSION: Final = 6
"""Of the files and of the text analysis that their word indexes were made with."""
CURRENT: Final = "CURRENT"
SNAPSHOTS: Final = "snapshots"
SEGMENTS: Final = "segments"
MODELS: Final = "models"
MANIFEST: Final = "manifest.json"
GROUPS: Final = "groups.parquet"
ROW_GROUP_ROWS: Final = 4096
"""Rows that are read together: a few rows of a large table cost one small read."""

FOREVER: Final = 2**63 - 1
"""An absent end."""

DISPUTED: Final = 1
EVENT: Final = 2


def _without(schema: pa.Schema, *names: str) -> pa.Schema:
    return pa.schema([field for field in schema if field.name not in names])


def _only(schema: pa.Schema, *names: str) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


def _with(schema: pa.Schema, *columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([*schema, *(pa.field(name, kind) for name, kind in columns)])


TABLES: Final[dict[str, pa.Schema]] = {
    "entities": model.ENTITIES,
    "redirects": model.ENTITY_REDIRECTS,
    "episodes": _with(
        _only(
            model.EPISODES,
            "episode_id",
            "group_id",
            "source",
            "source_id",
            "kind",
            "removed",
            "author",
            "thread_id",
            "position",
            "reference_time",
            "known_at",
            "content",
        ),
        ("spans", model.TEXT),  # of messages: their parts, see regesta.spans
        ("superseded_at", model.TIME),
    ),
    "facts": _without(model.FACTS, "conflict_key"),
    "evidence": _without(model.FACT_EVIDENCE, "conflict_key"),
    "communities": model.COMMUNITIES,
    "community_members": model.COMMUNITY_MEMBERS,
    "verdicts": _without(
        model.RESOLVED_VERDICTS, "left_key", "right_key", "left_triple", "right_triple"
    ),
}
"""The tables of a segment, in the order in which they are written."""

WAREHOUSE_NAMES: Final = {
    "redirects": "entity_redirects",
    "evidence": "fact_evidence",
    "verdicts": "resolved_verdicts",
}
"""Names in the warehouse, where they differ."""

ORDER: Final[dict[str, tuple[str, str]]] = {
    "entities": ("entity_id", "row_id"),
    "redirects": ("old_entity_id", "row_id"),
    "episodes": ("episode_id", "source_id"),
    "facts": ("fact_id", "row_id"),
    "evidence": ("fact_id", "row_id"),
    "communities": ("community_id", "row_id"),
    "community_members": ("entity_id", "row_id"),
    "verdicts": ("left_fact", "row_id"),
}
"""By what rows are sorted within their group; all are texts."""

OF_A_DAY: Final = ("communities", "community_members")
"""Tables whose rows are of the present, or of a valid day of the past."""

SEARCHED: Final = ("facts", "entities", "communities", "episodes")
"""Tables with a word index and, where a snapshot has any, with vectors.

Of episodes these are of the own words of messages and texts.
"""


def array_name(table: str, array: str) -> str:
    """Return the file name of a table's array.

    facts.times       int64 (4, rows): start, end, created, expired; an absent end is FOREVER
    facts.flags       uint8 (rows,): DISPUTED | EVENT
    facts.entities    int32 (2, rows): first row of the subject's, the object's versions, or -1
    facts.evidence    int32 (2, rows): the slice of the fact's evidence
    entities.times    int64 (2, rows): created, expired
    episodes.times    int64 (2, rows): known, superseded; FOREVER twice where it is not searched
    episodes.dates    int64 (rows,): the reference time
    episodes.threads  int32 (2, rows): at each place the row, the number of its thread or -1; in a
                      group in order of thread, reference time, position, id
    evidence.times    int64 (3, rows): start of the period, created, expired
    evidence.episode  int32 (rows,): the row of the cited episode
    communities.times int64 (3, rows): created, expired, the valid time of a past day's or FOREVER
    community_members.times     int64 (3, rows): likewise
    community_members.entities  int32 (rows,): first row of the entity's versions
    community_members.communities  int32 (rows,): first row of the community's versions
    <table>.words     uint8: the segment's distinct terms, sorted, one after another
    <table>.word_ends int64 (words,): where each ends
    <table>.pairs     int32 (pairs,): term numbers, ascending within each group
    <table>.pair_ends int64 (pairs,): where the postings of each (group, term) end
    <table>.docs      int32 (postings,): rows, ascending within each pair
    <table>.counts    uint16 (postings,): how often the term occurs in the row
    <table>.lengths   int32 (rows,): terms per row
    <table>.vectors   float32 (texts, dimension): unit vectors of a group's distinct texts
    <table>.codes     uint64 (words, texts): the signs of the vectors, a bit each; see `codes`
    <table>.vector    int32 (rows,): the row's in <table>.vectors, or -1
    """
    return f"{table}.{array}.npy"


def table_name(table: str) -> str:
    """Return the file name of a table."""
    return f"{table}.parquet"


def bucket_of(group_id: str, buckets: int) -> int:
    """Return the bucket of a group: CRC-32 of its name, which Spark computes alike."""
    return zlib.crc32(group_id.encode("utf-8")) % buckets


def group_columns() -> tuple[str, ...]:
    """Return the columns of the groups' index, besides `group_id`: starts and stops of slices."""
    found = [f"{table}_{part}" for part in ("pairs", "vectors") for table in SEARCHED]
    slices = [*TABLES, *found]
    return tuple(f"{each}_{end}" for each in slices for end in ("start", "stop"))
