"""Versions of the entities that a batch touches: what is read for the pure fold, and its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Row, as_batches, groups
from regesta.context import Changes, StepContext
from regesta.ids import digest_column
from regesta.model import FLAG, NUMBER, TEXT, TEXT_MAP, TEXTS
from regesta.resolve.profiles import content_number, with_ends
from regesta.resolve.versions import CountedMention, Version, versions

VERSIONS = pa.schema(
    [
        ("entity_id", TEXT),
        ("group_id", TEXT),
        ("created_at", NUMBER),
        ("expired_at", NUMBER),
        ("is_there", FLAG),
        ("name", TEXT),
        ("aliases", TEXTS),
        ("label", TEXT),
        ("identifiers", TEXTS),
        ("summary", TEXT),
        ("attributes", TEXT_MAP),
    ]
)
_COLUMNS = (
    *("entity_id", "group_id", "after"),
    *("authority", "reference_time", "known_at", "mention_id"),
    *("since", "until", "name", "label", "identifiers", "attributes"),
)


def entity_changes(context: StepContext, catalogue: DataFrame, members: Changes) -> Changes:
    """Return the versions of entities that end and begin in this batch.

    An entity is looked at if a profile joined or left it, or a mention of it came or ended.
    """
    rows = context.stage("resolve", "entity_rows", _member_rows(context, catalogue, members))
    told = _told(context, rows).mapInArrow(_fold, from_arrow_schema(VERSIONS))
    found = context.stage("resolve", "versions", told)
    first = found.groupBy("entity_id").agg(F.min("created_at").alias("changed_at"))
    closing = (
        context.warehouse.open_before("entities")
        .join(first, on="entity_id", how="inner")
        .select("row_id", F.timestamp_micros("changed_at").alias("expired_at"))
    )
    opening = found.where("is_there").select(
        digest_column(
            context.salt, "entity_version", F.col("entity_id"), F.col("created_at")
        ).alias("row_id"),
        *("entity_id", "group_id", "name", "aliases", "label", "identifiers", "summary"),
        "attributes",
        F.timestamp_micros("created_at").alias("created_at"),
        F.timestamp_micros("expired_at").alias("expired_at"),
    )
    return Changes(closing, opening)


def _member_rows(context: StepContext, catalogue: DataFrame, members: Changes) -> DataFrame:
    """Return the memberships, as they are after the batch, of every entity to look at."""
    columns = ("row_id", "profile_id", "entity_id", "group_id", "created_at", "expired_at")
    ends = members.closing.select("row_id", F.col("expired_at").alias("ends_at"))
    standing = (
        context.warehouse.before("entity_members")
        .join(ends, on="row_id", how="left")
        .withColumn("expired_at", F.coalesce("ends_at", "expired_at"))
        .where(_later("expired_at", context.batch.previous_known_at))
    )
    oldest_first = Window.partitionBy("entity_id").orderBy("founded_at", "profile_id")
    rows = standing.select(*columns).unionByName(members.opening.select(*columns))
    told = rows.join(catalogue.where("is_told"), on="profile_id", how="left_semi")
    looked_at = (
        told.select("entity_id")
        .union(members.closing.select("entity_id"))
        .union(members.opening.select("entity_id"))
        .distinct()
    )
    known = (
        context.warehouse.before("entities")
        .groupBy("entity_id")
        .agg(F.max(F.col("expired_at").isNull()).alias("is_open"))
    )
    return (
        rows.join(looked_at, on="entity_id", how="left_semi")
        .join(known, on="entity_id", how="left")
        .join(
            catalogue.select(
                *("profile_id", "has_ends", "low_content", "high_content"),
                *("founded_at", "first_mention"),
            ),
            on="profile_id",
            how="inner",
        )
        .withColumn("plain", _is_plain())
        .withColumn("is_first", F.row_number().over(oldest_first) == 1)
    )


def _later(column: str, instant: int | None) -> Column:
    """A membership that ended before the batch says nothing about what changes in it."""
    if instant is None:
        return F.lit(True)
    return F.col(column).isNull() | (F.unix_micros(column) > instant)


def _is_plain() -> Column:
    """All mentions of the entity say the same, and none ends: one version, from the first on."""
    everyone = Window.partitionBy("entity_id")
    whole = F.col("expired_at").isNull() & ~F.col("has_ends")
    whole &= F.col("created_at") <= F.col("founded_at")
    same = F.min("low_content").over(everyone) == F.max("high_content").over(everyone)
    return same & F.min(whole).over(everyone)


def _told(context: StepContext, rows: DataFrame) -> DataFrame:
    """Return the mentions that can change a version, sorted by entity and known time.

    Of a plain entity that is one mention, and none where its version stands. `after` is the known
    time up to which an entity's versions are written.
    """
    written = F.when(F.col("is_open").isNotNull(), _instant(context.batch.previous_known_at))
    stands = F.coalesce("is_open", F.lit(False))
    wanted = rows.where(~F.col("plain") | (F.col("is_first") & ~stands)).select(
        *("entity_id", "profile_id", "plain", "created_at", "expired_at", "first_mention"),
        written.alias("after"),
    )
    mentions = with_ends(context).join(wanted, on="profile_id", how="inner")
    counted = (
        mentions.where(~F.col("plain") | (F.xxhash64("mention_id") == F.col("first_mention")))
        .withColumn(
            "since",
            F.when(F.col("plain"), F.col("created_at")).otherwise(
                F.greatest("known_at", "created_at", "after")
            ),
        )
        .withColumn("until", F.least("ended_at", "expired_at"))
        .where(F.col("until").isNull() | (F.col("until") > F.col("since")))
        .withColumn("rank", F.struct("authority", "reference_time", "known_at", "mention_id"))
        .withColumn("content", content_number())
    )
    told = _without_repeats(_without_outranked(counted.repartition("entity_id")))
    return told.sortWithinPartitions("entity_id", "since", "rank").select(
        *(_as_number(name) for name in _COLUMNS)
    )


def _instant(micros: int | None) -> Column:
    return F.timestamp_micros(F.lit(micros).cast("long"))


def _without_outranked(counted: DataFrame) -> DataFrame:
    """Of mentions that say the same from one known time on without an end, keep the highest."""
    order = Window.partitionBy("entity_id").orderBy("since", "content", "rank")
    outranked = (
        (F.lead("content").over(order) == F.col("content"))
        & (F.lead("since").over(order) == F.col("since"))
        & F.lead(F.col("until").isNull()).over(order)
    )
    return counted.withColumn("outranked", F.coalesce(outranked, F.lit(False))).where(
        ~F.col("outranked")
    )


def _without_repeats(counted: DataFrame) -> DataFrame:
    """Drop the middle of runs in which the same is said again at ever higher rank.

    In a run no mention ends and each outranks all before it, so its first mention decides from its
    time on, and its last one holds its rank against what follows.
    """
    order = Window.partitionBy("entity_id").orderBy("since", "rank")
    earlier = order.rowsBetween(Window.unboundedPreceding, -1)
    highest = F.max("rank").over(earlier)
    repeats = (
        (F.lag("content").over(order) == F.col("content"))
        & (F.lag("rank").over(order) == highest)
        & (F.col("rank") > highest)
        & F.col("until").isNull()
        & F.lag(F.col("until").isNull()).over(order)
    )
    return (
        counted.withColumn("repeats", F.coalesce(repeats, F.lit(False)))
        .withColumn("repeated", F.coalesce(F.lead("repeats").over(order), F.lit(False)))
        .where(~(F.col("repeats") & F.col("repeated")))
    )


def _as_number(name: str) -> Column:
    if name in {"after", "reference_time", "known_at", "since", "until"}:
        return F.unix_micros(name).alias(name)
    return F.col(name)


def _fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return as_batches(
        (
            row
            for rows in groups(batches, key=itemgetter(0))
            for row in _version_rows(rows[0], versions(map(_mention, rows), after=rows[0][2]))
        ),
        VERSIONS,
    )


def _mention(row: Row) -> CountedMention:
    since, until, name, label, identifiers, attributes = row[7:]
    return CountedMention(
        rank=(row[3], row[4], row[5], row[6]),
        since=since,
        until=until,
        name=name or "",
        label=label or "",
        identifiers=tuple(identifiers or ()),
        attributes=tuple(attributes or ()),
    )


def _version_rows(entity: Row, found: Sequence[Version]) -> Iterator[Row]:
    ends = [*(version.since for version in found[1:]), None]
    for version, end in zip(found, ends, strict=False):
        content = version.content or (None,) * 6
        yield (*entity[:2], version.since, end, version.content is not None, *content)
