"""The rules of `versions` over all series that a batch touches, in Spark.

Only narrow rows (no contents) are compared, and only those of series in which there is something to
compare: a record that arrives once and was never seen is a new version without further ado.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from regesta.arrow import Row, as_batches, groups
from regesta.context import Batch
from regesta.ids import digest, digest_column
from regesta.sources.declaration import Source
from regesta.sources.documents import absent_sections
from regesta.sources.stored import ENDED_CONTENT, Stored
from regesta.sources.versions import (
    ARRIVAL,
    BY_ARRIVAL,
    EPISODE,
    HEARTBEAT,
    LISTED,
    LOWEST_PLACE,
    Delivery,
    Night,
    Verdict,
    Version,
    judge_item_series,
    judge_snapshot_series,
)

VERDICTS: Final = pa.schema(
    [
        ("kind", pa.string()),  # Verdict.kind
        ("source", pa.string()),
        ("source_id", pa.string()),
        ("series_id", pa.string()),
        ("item_id", pa.string()),
        ("group_id", pa.string()),
        ("file", pa.int32()),  # with row_number, the arrival; null: the verdict is on an episode
        ("row_number", pa.int64()),
        ("episode_id", pa.string()),
        ("other_id", pa.string()),
        ("reference_time", pa.int64()),
        ("known_at", pa.int64()),
        ("own_known_at", pa.int64()),
        ("at", pa.int64()),
        ("place", pa.string()),
        ("removed", pa.string()),
        ("removal", pa.string()),
    ]
)

_VERDICT_SCHEMA: Final = from_arrow_schema(VERDICTS)
_SERIES_COLUMNS: Final = (
    "series_id",
    "source",
    "source_id",
    "kind",
    "item_id",
    "reference_time",
    "place",
    "known_at",
    "own_known_at",
    "content_hash",
    "group_id",
    "removed",
    "file",
    "row_number",
    "episode_id",
    "published",
    "superseded",
)


def episode_id_column(salt: str) -> Column:
    """Return the id of an episode from item_id, group_id, place, content_hash, removed, and
    known_at and own_known_at in microseconds."""
    own = F.coalesce("own_known_at", "known_at")
    parts = ("item_id", "group_id", "place", "content_hash", "removed", "known_at")
    return digest_column(salt, "episode", *map(F.col, parts), own)


def with_places(rows: DataFrame, batch: Batch) -> DataFrame:
    """Give rows without a place the one of their arrival, and all the known_at that they bring."""
    arrival = F.format_string(f"{BY_ARRIVAL}{batch.number:010d}/%08d/%012d", "file", "row_number")
    return rows.withColumns(
        {
            "place": F.coalesce("place", arrival),
            "known_at": F.coalesce("own_known_at", F.lit(batch.known_at)),
        }
    )


def judge(
    rows: DataFrame,
    stored: Stored,
    sources: Sequence[Source],
    *,
    deliveries: Mapping[str, Sequence[Delivery]],
    batch: Batch,
    salt: str,
    staging: str,
) -> DataFrame:
    """Return the verdicts (VERDICTS) over staged rows that have places.

    `deliveries` are those of each complete source. Rows without a verdict are new versions as they
    are. What decides the size of the comparison is staged first (the series that rows touch, what
    stands in them), so that Spark knows how to join it.
    """
    arrivals = _arrivals(rows, list(deliveries))
    absent = absent_sections(rows, stored, sources, salt=salt)
    arrivals = arrivals if absent is None else arrivals.unionByName(absent)
    touched = _staged(
        _touched(arrivals, stored, deliveries), f"{staging}/series", "series_id string, several int"
    )
    standing = _standing(stored, touched.select("series_id"))
    standing = _staged(standing, f"{staging}/standing", standing.schema)
    wanted = touched.where("several = 1").select("series_id").union(standing.select("series_id"))
    published = _with_published(arrivals, stored.episodes, batch)
    compared = _worth_comparing(published, wanted, list(deliveries), batch)
    series = compared.unionByName(standing.select(*_SERIES_COLUMNS)).repartition("series_id")
    apply = _series_pass(sources, deliveries, batch=batch, salt=salt)
    verdicts = series.sortWithinPartitions("series_id").mapInArrow(apply, _VERDICT_SCHEMA)
    return _staged(verdicts, f"{staging}/verdicts", _VERDICT_SCHEMA)


def _staged(rows: DataFrame, folder: str, schema: StructType | str) -> DataFrame:
    written = rows.write.mode("overwrite")
    partitioned = written.partitionBy("several") if "several" in rows.columns else written
    partitioned.parquet(folder)
    return rows.sparkSession.read.schema(schema).parquet(folder)


def _touched(
    arrivals: DataFrame, stored: Stored, deliveries: Mapping[str, Sequence[Delivery]]
) -> DataFrame:
    """Return the series whose versions are compared, and whether several rows arrived for them."""
    counted = arrivals.groupBy("series_id").agg(
        (F.count(F.lit(1)) > 1).cast("int").alias("several")
    )
    if not deliveries:
        return counted
    before = _listed_before(stored, deliveries).withColumn("several", F.lit(0))
    return counted.union(before).groupBy("series_id").agg(F.max("several").alias("several"))


def complete_deliveries(
    rows: DataFrame, stored: Stored, sources: Sequence[Source]
) -> dict[str, list[Delivery]]:
    """Return the deliveries, old and new, of complete sources: one row per night on the driver."""
    complete = [source.source for source in sources if source.complete]
    if not complete:
        return {}
    of_complete = F.col("source").isin(*complete)
    new = rows.where(of_complete & F.col("reason").isNull()).select(
        "source", "reference_time", "known_at", F.lit(True).alias("new")
    )
    old = [
        table.where(of_complete).select(
            "source",
            F.unix_micros("reference_time").alias("reference_time"),
            F.unix_micros("known_at").alias("known_at"),
            F.lit(False).alias("new"),
        )
        for table in (stored.episodes, stored.heartbeats)
    ]
    nights = (
        new.union(old[0])
        .union(old[1])
        .groupBy("source", "reference_time")
        .agg(F.max("known_at").alias("known_at"), F.max("new").alias("new"))
    )
    found: dict[str, list[Delivery]] = {name: [] for name in complete}
    for source, *delivery in sorted(map(tuple, nights.collect())):
        found[source].append(Delivery(*delivery))
    return found


def _arrivals(rows: DataFrame, complete: Sequence[str]) -> DataFrame:
    accepted = F.col("reason").isNull()
    listed = F.col("source").isin(*complete) & F.col("series_id").isNotNull()
    return rows.where(accepted | listed).select(
        *("series_id", "source", "source_id", "item_id", "reference_time", "place"),
        *("known_at", "own_known_at", "content_hash", "group_id", "removed", "file", "row_number"),
        F.when(accepted, F.lit(ARRIVAL)).otherwise(F.lit(LISTED)).alias("kind"),
    )


def _with_published(arrivals: DataFrame, episodes: DataFrame, batch: Batch) -> DataFrame:
    """Add what the tables would tell, and whether the group of an arrival was published."""
    told = arrivals.withColumns({"episode_id": F.lit(""), "superseded": F.lit(False)})
    if batch.previous_known_at is None:
        return told.withColumn("published", F.lit(False))
    groups = episodes.select("group_id", F.lit(True).alias("published")).distinct()
    here = groups.join(arrivals.select("group_id").distinct(), on="group_id", how="left_semi")
    return told.join(F.broadcast(here), on="group_id", how="left").withColumn(
        "published", F.coalesce("published", F.lit(False))
    )


def _standing(stored: Stored, touched: DataFrame) -> DataFrame:
    """Return the episodes and heartbeats of the series that arrivals touch."""
    superseded = stored.supersessions.select("episode_id", F.lit(True).alias("superseded"))
    own = F.col("attributes")["source_known_at"].cast("timestamp")
    episodes = (
        stored.episodes.join(touched, on="series_id", how="left_semi")
        .join(superseded, on="episode_id", how="left")
        .select(
            *("series_id", "source", "source_id", "item_id", "place", "content_hash"),
            *("group_id", "removed", "episode_id"),
            F.unix_micros("reference_time").alias("reference_time"),
            F.unix_micros("known_at").alias("known_at"),
            F.unix_micros(F.coalesce(own, "known_at")).alias("own_known_at"),
            F.lit(EPISODE).alias("kind"),
            F.coalesce("superseded", F.lit(False)).alias("superseded"),
        )
    )
    beats = stored.heartbeats.join(touched, on="series_id", how="left_semi").select(
        "episode_id",
        "item_id",
        F.unix_micros("reference_time").alias("reference_time"),
        F.unix_micros("known_at").alias("known_at"),
    )
    repeated = episodes.select(
        "series_id", "source", "source_id", "content_hash", "group_id", "episode_id"
    )
    heartbeats = beats.join(repeated, on="episode_id", how="inner").withColumns(
        {
            "place": F.lit(LOWEST_PLACE),
            "removed": F.lit(None).cast("string"),
            "own_known_at": F.col("known_at"),
            "kind": F.lit(HEARTBEAT),
            "superseded": F.lit(False),
        }
    )
    return episodes.unionByName(heartbeats).withColumns(
        {
            "published": F.lit(True),
            "file": F.lit(None).cast("int"),
            "row_number": F.lit(None).cast("long"),
        }
    )


def _listed_before(stored: Stored, deliveries: Mapping[str, Sequence[Delivery]]) -> DataFrame:
    """Return the series listed in the deliveries just before the new ones."""
    before = [
        (F.col("source") == name) & (F.unix_micros("reference_time") == earlier.reference_time)
        for name, nights in deliveries.items()
        for earlier, later in pairwise(nights)
        if later.new
    ]
    condition = F.lit(False)
    for one in before:
        condition = condition | one
    listed = stored.episodes.select("series_id", "source", "reference_time").union(
        stored.heartbeats.select("series_id", "source", "reference_time")
    )
    return listed.where(condition).select("series_id")


def _worth_comparing(
    arrivals: DataFrame, wanted: DataFrame, complete: Sequence[str], batch: Batch
) -> DataFrame:
    """Leave out records that arrive once, were never seen and need no other known_at."""
    previous = F.lit(batch.previous_known_at).cast("long")
    late = F.col("published") & (F.col("known_at") <= previous)
    marked = wanted.distinct().withColumn("wanted", F.lit(True))
    compared = F.col("wanted") | late | F.col("source").isin(*complete)
    return (
        arrivals.join(marked, on="series_id", how="left").where(compared).select(*_SERIES_COLUMNS)
    )


def _series_pass(
    sources: Sequence[Source],
    deliveries: Mapping[str, Sequence[Delivery]],
    *,
    batch: Batch,
    salt: str,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    snapshots = frozenset(source.source for source in sources if source.mode == "snapshot")

    def verdicts(rows: list[Row]) -> Iterator[Row]:
        source, source_id = rows[0][1:3]
        night = _night(source, source_id, deliveries.get(source, ()), batch, salt)
        judge_series = judge_snapshot_series if source in snapshots else judge_item_series
        for verdict in judge_series(map(_version, rows), night):
            yield _verdict_row(verdict, rows[0])

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        series = groups(batches, key=itemgetter(0))
        return as_batches((verdict for rows in series for verdict in verdicts(rows)), VERDICTS)

    return run


def _version(row: Row) -> Version:
    named = dict(zip(_SERIES_COLUMNS, row, strict=True))
    for key in ("series_id", "source", "source_id"):
        del named[key]
    file, row_number = named.pop("file"), named.pop("row_number")
    arrival = None if file is None else (file, row_number)
    return Version(**named, arrival=arrival)


def _night(
    source: str, source_id: str, deliveries: Sequence[Delivery], batch: Batch, salt: str
) -> Night:
    def name(version: Version) -> str:
        own = version.known_at if version.own_known_at is None else version.own_known_at
        said = (version.content_hash, version.removed, version.known_at, own)
        return digest(salt, "episode", version.item_id, version.group_id, version.place, *said)

    return Night(
        batch.known_at,
        batch.previous_known_at,
        name,
        item_at=lambda time: digest(salt, "item", source, source_id, time),
        ended_hash=digest(salt, "content", ENDED_CONTENT),
        deliveries=deliveries,
    )


def _verdict_row(verdict: Verdict, first: Row) -> Row:
    version = verdict.version
    series_id, source, source_id = first[:3]
    own = (version.reference_time, version.known_at, version.own_known_at)
    return (
        *(verdict.kind, source, source_id, series_id, version.item_id, version.group_id),
        *(version.arrival or (None, None)),
        *(version.episode_id, verdict.other_id, *own, verdict.at),
        *(version.place, version.removed, verdict.removal),
    )
