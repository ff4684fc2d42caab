"""A batch's new files become new episodes, heartbeats, supersessions and rejected rows.

Nothing here writes a table: `ingest` stages what it computes and returns DataFrames over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import as_frame
from regesta.context import Batch
from regesta.ids import digest_column
from regesta.sources.declaration import Source
from regesta.sources.judging import (
    complete_deliveries,
    episode_id_column,
    judge,
    with_places,
)
from regesta.sources.limits import check_drops, check_rejected
from regesta.sources.listing import SourceFile
from regesta.sources.reading import read_staged, stage_rows
from regesta.sources.stored import ENDED_CONTENT, Stored


@dataclass(frozen=True)
class Ingested:
    """What a batch adds to the tables, in their schemas (`regesta.model`), and its counts.

    `counts` maps each source with new files to read, new, unchanged, heartbeats, rejected (which
    add up to read) and ended (records absent from a complete delivery, sections from a document,
    which come on top).
    """

    episodes: DataFrame
    supersessions: DataFrame
    heartbeats: DataFrame
    rejected: DataFrame
    deliveries: DataFrame
    counts: Mapping[str, Mapping[str, int]]


def ingest(
    spark: SparkSession,
    sources: Sequence[Source],
    stored: Stored,
    files: Sequence[SourceFile],
    *,
    batch: Batch,
    salt: str,
    staging: str,
    rows_are_staged: bool = False,
) -> Ingested:
    """Read `files` (`listing.new_files`) and judge their rows against what is `stored`.

    `staging` is a folder of this batch for what is computed once; `rows_are_staged` tells that an
    earlier call has read the files into it, which then may have changed. The same arguments give
    the same rows.

    Raises InputError for paths that lead nowhere, for more rejected rows than a source allows, and
    for a complete delivery in which more records are absent than allowed.
    """
    if not files:
        return _nothing(spark)
    folder = f"{staging}/rows"
    if not rows_are_staged:
        stage_rows(spark, sources, files, run_known_at=batch.known_at, salt=salt, folder=folder)
    rows = with_places(read_staged(spark, folder), batch)
    read = _counts(rows, rejected=F.col("reason").isNotNull())
    check_rejected(rows, read, sources, files)
    deliveries = complete_deliveries(rows, stored, sources)
    verdicts = judge(
        *(rows, stored, sources), deliveries=deliveries, batch=batch, salt=salt, staging=staging
    )
    check_drops(rows, stored, verdicts, sources, deliveries=deliveries)
    named = _with_paths(spark, rows, files)
    judged = _judged(named, verdicts)
    episodes = _episodes(judged, sources, batch, salt).unionByName(
        _ended(verdicts, sources, batch, salt)
    )
    return Ingested(
        episodes=episodes,
        supersessions=_supersessions(verdicts, batch),
        heartbeats=_heartbeats(verdicts, batch),
        rejected=_rejected(named, batch),
        deliveries=_deliveries(spark, files, batch),
        counts=_checked_counts(read, judged, verdicts, batch),
    )


def _nothing(spark: SparkSession) -> Ingested:
    def empty(table: str) -> DataFrame:
        return as_frame(spark, [], model.TABLES[table])

    return Ingested(
        episodes=empty("episodes"),
        supersessions=empty("supersessions"),
        heartbeats=empty("heartbeats"),
        rejected=empty("rejected_rows"),
        deliveries=empty("deliveries"),
        counts={},
    )


def _counts(rows: DataFrame, **conditions: Column) -> dict[str, dict[str, int]]:
    """Return per source how many rows were read, and how many meet each condition."""
    sums = [F.count_if(condition).alias(name) for name, condition in conditions.items()]
    counted = rows.groupBy("source").agg(F.count(F.lit(1)).alias("read"), *sums)
    return {row["source"]: row.asDict() | {"source": 0} for row in counted.collect()}


def _checked_counts(
    read: Mapping[str, Mapping[str, int]], judged: DataFrame, verdicts: DataFrame, batch: Batch
) -> dict[str, dict[str, int]]:
    """Return the counts per source; every row read must be accounted for once."""
    last = batch.previous_known_at
    is_past = F.col("known_at") < batch.known_at if last is None else F.col("known_at") <= last
    new = _counts(judged, backdated=is_past)
    kinds = ("unchanged", "heartbeat", "gone", "restamped")
    told = _counts(verdicts, **{kind: F.col("kind") == kind for kind in kinds})
    counts = {}
    for source, row in read.items():
        verdict = told.get(source, {})
        counts[source] = {
            "read": row["read"],
            "new": new.get(source, {}).get("read", 0),
            "unchanged": verdict.get("unchanged", 0),
            "heartbeats": verdict.get("heartbeat", 0),
            "rejected": row["rejected"],
        }
        accounted = sum(counts[source].values()) - row["read"]
        if accounted != row["read"]:
            raise AssertionError(
                f"source {source!r}: {row['read']} rows read, {accounted} accounted"
            )
        counts[source] |= {
            "ended": verdict.get("gone", 0),
            "backdated": new.get(source, {}).get("backdated", 0),
            "restamped": verdict.get("restamped", 0),
        }
    return counts


def _with_paths(spark: SparkSession, rows: DataFrame, files: Sequence[SourceFile]) -> DataFrame:
    schema = pa.schema([("file", pa.int32()), ("path", model.TEXT)])
    paths = as_frame(spark, [(file.number, file.path) for file in files], schema)
    return rows.join(F.broadcast(paths), on="file", how="inner")


def _judged(rows: DataFrame, verdicts: DataFrame) -> DataFrame:
    """Return the rows that are new versions, restamped where that is the verdict."""
    on_rows = verdicts.where(F.col("kind").isin("unchanged", "restamped", "heartbeat")).select(
        "file",
        "row_number",
        F.col("kind").alias("verdict"),
        F.col("known_at").alias("stamped_at"),
    )
    new = F.col("verdict").isNull() | (F.col("verdict") == "restamped")
    return (
        rows.where(F.col("reason").isNull())
        .join(on_rows, on=["file", "row_number"], how="left")
        .where(new)
        .withColumn("known_at", F.coalesce("stamped_at", "known_at"))
    )


def _per_source(sources: Sequence[Source], key: str) -> Column:
    """Return what each source declares under `key`, by the column `source`."""
    pairs = [(F.lit(one.source), F.lit(getattr(one, key))) for one in sources]
    return F.create_map(*[part for pair in pairs for part in pair])[F.col("source")]


def _episodes(judged: DataFrame, sources: Sequence[Source], batch: Batch, salt: str) -> DataFrame:
    stamped = F.col("own_known_at") != F.col("known_at")
    told = F.create_map(
        *(F.lit("path"), F.col("path")),
        *(F.lit("row"), F.col("row_number").cast("string")),
        *(F.lit("spans"), F.col("spans")),
        *(F.lit("source_known_at"), F.when(stamped, _iso(F.col("own_known_at")))),
    )
    attributes = F.map_filter(told, lambda _key, value: value.isNotNull())
    return _as_table(
        judged.withColumns(
            {
                "episode_id": episode_id_column(salt),
                "kind": _per_source(sources, "kind"),
                "mode": _per_source(sources, "mode"),
                "authority": _per_source(sources, "authority"),
                "batch": F.lit(batch.number),
                "attributes": attributes,
            }
        )
    )


def _ended(verdicts: DataFrame, sources: Sequence[Source], batch: Batch, salt: str) -> DataFrame:
    """Return the episodes that say that a record is gone from a delivery or a document."""
    stamped = F.col("own_known_at") != F.col("known_at")
    own = F.create_map(F.lit("source_known_at"), _iso(F.col("own_known_at")))
    nothing = F.lit(None)
    return _as_table(
        verdicts.where(F.col("kind") == "gone").withColumns(
            {
                "kind": _per_source(sources, "kind"),
                "mode": _per_source(sources, "mode"),
                "authority": _per_source(sources, "authority"),
                "version": nothing,
                "thread_id": nothing,
                "position": nothing,
                "author": nothing,
                "content": F.lit(ENDED_CONTENT),
                "content_hash": digest_column(salt, "content", ENDED_CONTENT),
                "batch": F.lit(batch.number),
                "attributes": F.when(stamped, own).otherwise(F.create_map()),
            }
        )
    )


def _iso(micros: Column) -> Column:
    return F.date_format(F.timestamp_micros(micros), "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")


def _as_table(rows: DataFrame) -> DataFrame:
    """Select the columns of the table of episodes; times are given in microseconds."""
    times = ("reference_time", "known_at")
    columns = [
        (F.timestamp_micros(field.name) if field.name in times else F.col(field.name))
        .cast(field.dataType)
        .alias(field.name)
        for field in from_arrow_schema(model.EPISODES)
    ]
    return rows.select(*columns)


def _supersessions(verdicts: DataFrame, batch: Batch) -> DataFrame:
    return verdicts.where(F.col("kind") == "superseded").select(
        "episode_id",
        F.timestamp_micros("at").alias("superseded_at"),
        F.col("other_id").alias("superseded_by"),
        "removal",
        F.lit(batch.number).cast("long").alias("batch"),
    )


def _heartbeats(verdicts: DataFrame, batch: Batch) -> DataFrame:
    return verdicts.where(F.col("kind") == "heartbeat").select(
        *("source", "group_id", "series_id", "item_id", "episode_id"),
        F.timestamp_micros("reference_time").alias("reference_time"),
        F.timestamp_micros("known_at").alias("known_at"),
        F.lit(batch.number).cast("long").alias("batch"),
    )


def _rejected(rows: DataFrame, batch: Batch) -> DataFrame:
    return rows.where(F.col("reason").isNotNull()).select(
        F.lit(batch.number).cast("long").alias("batch"),
        *("source", "path", "row_number", "raw", "reason"),
    )


def _deliveries(spark: SparkSession, files: Sequence[SourceFile], batch: Batch) -> DataFrame:
    rows = [
        (one.source, one.path, one.size, one.modified_at, one.declaration_hash, batch.number)
        for one in files
    ]
    return as_frame(spark, rows, model.DELIVERIES)
