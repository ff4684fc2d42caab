"""Labels to communities that keep their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import as_batches, groups
from regesta.communities.day import Day
from regesta.communities.matching import Overlap, matched
from regesta.model import TEXT

KEPT = pa.schema([("label", TEXT), ("community_id", TEXT)])
_COLUMNS = ("group_id", "label", "community_id", "members")


def identified(day: Day, labels: DataFrame, standing: DataFrame, *, level: int = 0) -> DataFrame:
    """Return entity_id, group_id, community_id of entities whose label another one shares.

    `labels`: entity_id, group_id, label; `standing`: entity_id, community_id of the same level
    before the batch. A label keeps the id that it overlaps most; the id of a new community is a
    digest of its level, its smallest entity and the batch's known_at.
    """
    founders = labels.groupBy("group_id", "label").agg(
        F.count(F.lit(1)).alias("size"), F.min("entity_id").alias("smallest")
    )
    old = standing.select("entity_id", "community_id")
    overlaps = (
        labels.join(old, on="entity_id", how="inner")
        .groupBy("group_id", "label", "community_id")
        .agg(F.count(F.lit(1)).alias("members"))
        .repartition("group_id")
        .sortWithinPartitions(*_COLUMNS)
    )
    kept = overlaps.mapInArrow(_keep_ids, from_arrow_schema(KEPT))
    kind = f"community of level {level}" if level else "community"
    new_id = day.digest(kind, F.col("group_id"), F.col("smallest"))
    named = (
        founders.where("size > 1")
        .join(kept, on="label", how="left")
        .select("label", F.coalesce("community_id", new_id).alias("community_id"))
    )
    return labels.join(named, on="label", how="inner").select(
        "entity_id", "group_id", "community_id"
    )


def _keep_ids(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    parts = groups(batches, key=itemgetter(0))
    return as_batches(
        (pair for rows in parts for pair in matched(Overlap(*row[1:]) for row in rows).items()),
        KEPT,
    )
