"""Spark around the snapshot series: whole series in, the rows they change out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, Row, as_batches, groups
from regesta.context import Changes, StepContext
from regesta.ids import digester
from regesta.timeline.series import Key, Snapshot, Testimony, testimonies

LAPSE = ("expiry_reason", "expired_by_episode", "expired_by_fact")
_DERIVED = (
    *("row_id", "conflict_key", "created_at", "expired_at", "object_id", "subject_id"),
    *LAPSE,
)
STATEMENT_COLUMNS = (
    *(name for name in model.RESOLVED_STATEMENTS.names if name not in _DERIVED),
    "subject_id",
    "object_id",
)
ENTRY_COLUMNS = (
    "series_id",
    "existed",
    "item_id",
    "entry_id",
    "entry_episode",
    "entry_time",
    "known_from",
    "known_until",
)
DESIRED = pa.schema(
    [
        ("series_id", model.TEXT),
        ("existed", model.FLAG),
        *((name, model.RESOLVED_STATEMENTS.field(name).type) for name in STATEMENT_COLUMNS),
        ("created_at", model.TIME),
        ("expired_at", model.TIME),
        *((name, model.TEXT) for name in LAPSE),
    ]
)
_POLARITY = STATEMENT_COLUMNS.index("polarity")
_AT = {name: place for place, name in enumerate((*ENTRY_COLUMNS, *STATEMENT_COLUMNS))}


class _Listed(NamedTuple):
    values: Row  # of STATEMENT_COLUMNS


class _Entry(NamedTuple):
    row: Row
    listed: dict[Key, _Listed]
    unknown: set[tuple[str, str]]


def desired_rows(
    context: StepContext, series: DataFrame, resolve: Callable[[DataFrame], DataFrame]
) -> DataFrame:
    """Return all that the given snapshot series say, each row with its span of known time.

    `resolve` replaces profiles by entities. Columns: `DESIRED`.
    """
    entries = _entries(context, series)
    statements = resolve(context.warehouse.current("statements")).select(*STATEMENT_COLUMNS)
    listed = entries.join(
        statements,
        on=entries["entry_episode"] == statements["episode_id"],
        how="left",
    ).select(*ENTRY_COLUMNS, *STATEMENT_COLUMNS)
    sorted_rows = listed.repartition("series_id").sortWithinPartitions("series_id")
    salt = context.salt

    def run(batches: Batches) -> Batches:
        make = digester(salt)
        told = (
            row for rows in groups(batches, lambda row: row[0]) for row in _series_rows(rows, make)
        )
        return as_batches(told, DESIRED)

    return sorted_rows.mapInArrow(run, from_arrow_schema(DESIRED))


def _entries(context: StepContext, series: DataFrame) -> DataFrame:
    episodes = (
        context.warehouse.current("episodes")
        .where(F.col("mode") == "snapshot")
        .join(series, on="series_id", how="left_semi")
    )
    superseded = context.warehouse.current("supersessions").select("episode_id", "superseded_at")
    existed = F.min("batch").alias("first_batch")
    before = episodes.groupBy("series_id").agg(existed)
    own = episodes.join(superseded, on="episode_id", how="left").select(
        "series_id",
        "item_id",
        F.col("episode_id").alias("entry_id"),
        F.col("episode_id").alias("entry_episode"),
        F.col("reference_time").alias("entry_time"),
        F.col("known_at").alias("known_from"),
        F.col("superseded_at").alias("known_until"),
    )
    beats = (
        context.warehouse.current("heartbeats")
        .join(series, on="series_id", how="left_semi")
        .select(
            "series_id",
            "item_id",
            F.concat(F.lit("heartbeat:"), "item_id", F.lit(":"), "batch").alias("entry_id"),
            F.col("episode_id").alias("entry_episode"),
            F.col("reference_time").alias("entry_time"),
            F.col("known_at").alias("known_from"),
            F.lit(None).cast("timestamp").alias("known_until"),
        )
    )
    both = own.unionByName(beats).join(before, on="series_id", how="inner")
    return both.withColumn("existed", F.col("first_batch") < context.batch.number).select(
        *ENTRY_COLUMNS
    )


def _series_rows(rows: list[Row], make: Callable[..., str]) -> Iterator[Row]:
    snapshots = _snapshots(rows)
    existed = rows[0][_AT["existed"]]
    for testimony in testimonies(snapshots):
        statement: _Listed = testimony.statement
        if testimony.ends and statement.values[_POLARITY] != "asserts":
            continue  # an end that is no longer told ends nothing
        yield (
            rows[0][0],
            existed,
            *_stated(testimony, statement.values, make),
            testimony.known_from,
            testimony.known_until,
            *(None if testimony.known_until is None else "revised", testimony.lapsed_by, None),
        )


def _snapshots(rows: list[Row]) -> list[Snapshot]:
    entries: dict[str, _Entry] = {}
    first = len(ENTRY_COLUMNS)
    for row in sorted(rows, key=lambda row: (row[_AT["entry_id"]], row[_AT["statement_id"]] or "")):
        entry = entries.setdefault(row[_AT["entry_id"]], _Entry(row, {}, set()))
        if row[_AT["polarity"]] == "unknown":
            entry.unknown.add((row[_AT["subject_id"]], row[_AT["relation"]]))
        elif row[_AT["statement_id"]] is not None:
            entry.listed.setdefault(_sameness(row), _Listed(row[first:]))
    by_item: dict[str, list[_Entry]] = {}
    for entry in entries.values():
        by_item.setdefault(entry.row[_AT["item_id"]], []).append(entry)
    return [snapshot for versions in by_item.values() for snapshot in _versions(versions)]


def _versions(versions: list[_Entry]) -> Iterator[Snapshot]:
    """Snapshots of one item: a later known one ends the one before, heartbeats included."""
    ordered = sorted(versions, key=lambda v: (v.row[_AT["known_from"]], v.row[_AT["entry_id"]]))
    following = [entry.row[_AT["known_from"]] for entry in ordered[1:]] + [None]
    for (row, listed, unknown), next_known in zip(ordered, following, strict=True):
        ends = [end for end in (row[_AT["known_until"]], next_known) if end is not None]
        yield Snapshot(
            item=row[_AT["item_id"]],
            episode=row[_AT["entry_episode"]],
            reference_time=row[_AT["entry_time"]],
            known_from=row[_AT["known_from"]],
            known_until=min(ends, default=None),
            listed=listed,
            unknown=frozenset(unknown),
        )


def _sameness(row: Row) -> Key:
    """What makes a statement of one night the same as that of another.

    A time that was not stated is the night's own and doesn't count.
    """
    valid_at = row[_AT["valid_at"]]
    said = (
        row[_AT["object_id"]],
        row[_AT["value"]],
        row[_AT["polarity"]],
        None if valid_at == row[_AT["reference_time"]] else valid_at,
        row[_AT["invalid_at"]],
        row[_AT["temporary"]],
    )
    return (row[_AT["subject_id"]], row[_AT["relation"]]), said


def _stated(testimony: Testimony, values: Row, make: Callable[..., str]) -> Iterator[Any]:
    """The values of a listed statement as this snapshot makes it."""
    given = dict(zip(STATEMENT_COLUMNS, values, strict=True))
    at = testimony.snapshot.reference_time
    if testimony.ends:
        given["statement_id"] = make("vanished", given["statement_id"], testimony.snapshot.item)
        given |= {"polarity": "ends", "valid_at": None, "invalid_at": at, "retracts": None}
        given |= {"valid_precision": None, "invalid_precision": None}
        given |= {"reference_time": at, "episode_id": testimony.snapshot.episode}
        given |= {"quote_start": 0, "quote_end": 0, "breaks_signature": False}
    elif given["reference_time"] != at:
        given["statement_id"] = make("repeated", given["statement_id"], testimony.snapshot.item)
        if given["valid_at"] == given["reference_time"]:
            given["valid_at"] = at
        given["reference_time"] = at
    return iter(given.values())


def changes_of(
    desired: DataFrame, standing: DataFrame, known_at: Column, previous: int | None
) -> Changes:
    """Compare what series say with the rows that stand open for them.

    What counted before this batch and still does stays; what a published series says anew about an
    earlier known time begins now. A row that is wanted no more speaks of other entities now.
    """
    same = ["statement_id", "subject_id", "object_key"]
    wanted = desired.withColumn("object_key", F.coalesce("object_id", F.lit("")))
    there = standing.withColumn("object_key", F.coalesce("object_id", F.lit(""))).select(
        *same, "row_id", F.col("conflict_key").alias("standing_key")
    )
    last = F.timestamp_micros(F.lit(previous if previous is not None else -(2**62)))
    old = F.col("existed") & (F.col("created_at") <= last)
    covering = wanted.where(old & (F.col("expired_at").isNull() | (F.col("expired_at") > last)))
    fresh = wanted.where(~old)
    joined = covering.join(there, on=same, how="full_outer")
    anew = joined.where("row_id IS NULL").withColumn("created_at", known_at)
    closing = joined.where(
        F.col("row_id").isNotNull()
        & (F.col("series_id").isNull() | F.col("expired_at").isNotNull())
    ).select(
        "row_id",
        F.col("standing_key").alias("conflict_key"),
        F.coalesce("expired_at", known_at).alias("expired_at"),
        F.coalesce("expiry_reason", F.lit("moved")).alias("expiry_reason"),
        "expired_by_episode",
        "expired_by_fact",
    )
    return Changes(closing, fresh.unionByName(anew.select(*fresh.columns)))
