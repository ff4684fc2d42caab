"""Scored pairs to clusters: what hangs together by GraphFrames, each part by the pure rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Final

import pyarrow as pa
from graphframes import GraphFrame
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, Row, as_batches, groups
from regesta.match.linkage import LINKED, clusters

Stage = Callable[[str, DataFrame], DataFrame]
"""Writes a table under a name and gives it back, so that nothing is computed twice."""
CLUSTERED: Final = pa.schema(
    [
        ("profile_id", pa.string()),
        ("cluster_id", pa.string()),
        ("size", pa.int64()),
        ("links", pa.int64()),
        ("weakest", pa.float64()),
    ]
)


def clustered(scored: DataFrame, separated: DataFrame, stage: Stage) -> DataFrame:
    """Return CLUSTERED for the profiles that are in a pair above LINKED.

    `scored`: left, right and score of every candidate, staged; `separated`: left and right of pairs
    that must not be in one cluster. `cluster_id` is the first member's id; see `linkage.Cluster`
    for the rest. Who is in no such pair is alone and not given.
    """
    left = F.xxhash64("left").alias("src")
    linked = scored.where(F.col("score") > LINKED)
    edges = stage("edges", linked.select(left, F.xxhash64("right").alias("dst")))
    if edges.isEmpty():
        return scored.sparkSession.createDataFrame([], from_arrow_schema(CLUSTERED))
    parts = connected(edges, stage)
    evidence = scored.select("left", "right", "score").unionByName(
        separated.select("left", "right", F.lit(None).cast("double").alias("score"))
    )
    rows = (
        evidence.withColumn("src", F.xxhash64("left"))
        .withColumn("dst", F.xxhash64("right"))
        .join(parts.withColumnRenamed("vertex", "src"), on="src", how="inner")
        .join(
            parts.withColumnsRenamed({"vertex": "dst", "component": "other"}), on="dst", how="inner"
        )
        .where("component = other")
        .select("component", "left", "right", "score")
        .repartition("component")
        .sortWithinPartitions("component")
    )
    return rows.mapInArrow(_decide, from_arrow_schema(CLUSTERED))


def connected(edges: DataFrame, stage: Stage) -> DataFrame:
    """Return vertex and component of the edges' ends (src and dst, numbers).

    By GraphX, the quicker way of GraphFrames on graphs that fit in memory.
    """
    vertices = edges.select(F.col("src").alias("id")).union(edges.select("dst")).distinct()
    found = GraphFrame(vertices, edges).connectedComponents(algorithm="graphx")
    staged = stage("components", found.select(F.col("id").alias("vertex"), "component"))
    found.unpersist()
    return staged


def _decide(batches: Batches) -> Iterator[pa.RecordBatch]:
    parts = groups(batches, key=itemgetter(0))
    return as_batches((row for rows in parts for row in _clustered(rows)), CLUSTERED)


def _clustered(rows: Sequence[Row]) -> Iterator[Row]:
    scored = [(left, right, score) for _, left, right, score in rows if score is not None]
    separated = [(left, right) for _, left, right, score in rows if score is None]
    for cluster in clusters(scored, separated):
        for member in cluster.members:
            size = len(cluster.members)
            yield member, cluster.members[0], size, cluster.links, cluster.weakest
