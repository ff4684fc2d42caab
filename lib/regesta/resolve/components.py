"""Touched profiles to clusters: what hangs together by GraphFrames, each part by the pure rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter

import pyarrow as pa
from graphframes import GraphFrame
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Row, as_batches, as_frame, groups
from regesta.context import StepContext
from regesta.model import NUMBER, TEXT
from regesta.resolve.clusters import Word, cluster
from regesta.resolve.forest import Profile
from regesta.resolve.links import linked
from regesta.resolve.profiles import exclusive_identifiers
from regesta.resolve.words import by_profile

FOUNDERS = pa.schema([("profile_id", TEXT), ("founder", TEXT), ("linked_at", NUMBER)])
"""`linked_at`: of a name in texts, since when its entity bears it, in microseconds."""


def touched(
    context: StepContext, profiles: DataFrame, held: DataFrame, seeds: DataFrame
) -> DataFrame:
    """Return the profiles whose cluster may change: `seeds` and what hangs together with them.

    Keys that began or ceased to join lead on from the seeds too. Each round goes one key further;
    the clusters of before are connected by their keys, so that few rounds are needed.
    """
    reached = context.stage("resolve", "seeds", seeds)
    sizes, keys = [0, reached.count()], held
    while sizes[-1] > sizes[-2]:
        found = keys.join(reached, on="profile_id", how="left_semi").select("key").distinct()
        sharing = keys.join(found, on="key", how="left_semi").select("profile_id")
        reached = context.stage(
            "resolve", f"touched_{len(sizes)}", reached.union(sharing).distinct()
        )
        sizes.append(reached.count())
        keys = held.where("usable")
    return profiles.join(reached, on="profile_id", how="left_semi")


def founders(
    context: StepContext,
    profiles: DataFrame,
    held: DataFrame,
    *,
    scored: DataFrame,
    words: DataFrame,
) -> DataFrame:
    """Return FOUNDERS for the touched profiles that share a key with another.

    `held` are the keys of touched profiles, `scored` (left, right, score) all pairs of them that
    were compared, `words` what was said of them (`words.standing`). Connected components only part
    the work, the rules decide: two vertices whose hash collides would put two parts into one, no
    more.
    """
    vertex = F.xxhash64("profile_id")
    held = held.where("usable").select("key", "profile_id", vertex.alias("vertex"))
    ends = held.groupBy("key").agg(F.min("vertex").alias("dst"))
    edges = held.join(ends, on="key", how="inner").select(F.col("vertex").alias("src"), "dst")
    edges = context.stage("resolve", "edges", edges.where("src != dst").distinct())
    if edges.isEmpty():
        return as_frame(context.spark, [], FOUNDERS)
    sharing = held.groupBy("profile_id", "vertex").agg(
        F.sort_array(F.collect_list("key")).alias("keys")
    )
    rows = (
        profiles.join(_by_left(scored), on="profile_id", how="left")
        .join(by_profile(words), on="profile_id", how="left")
        .join(sharing, on="profile_id", how="inner")
        .join(_connected(context, edges), on="vertex", how="inner")
        .select(
            "component",
            "profile_id",
            F.unix_micros("founded_at").alias("founded_at"),
            F.unix_micros("ended_at").alias("ended_at"),
            "label",
            "is_link",
            "keys",
            exclusive_identifiers(context.ontology).alias("exclusive"),
            "scored",
            "words",
        )
        .repartition("component")
        .sortWithinPartitions("component", "profile_id")
    )
    decide = partial(_decide, overlapping=context.ontology.overlapping)
    return rows.mapInArrow(decide, from_arrow_schema(FOUNDERS))


def _by_left(scored: DataFrame) -> DataFrame:
    """Return profile_id and scored: right and score of the pairs in which it is the left one."""
    pairs = F.collect_list(F.struct("right", "score")).alias("scored")
    return scored.groupBy(F.col("left").alias("profile_id")).agg(pairs)


def _connected(context: StepContext, edges: DataFrame) -> DataFrame:
    """Return vertex and component of the edges' ends (src and dst, numbers).

    By GraphX, the quicker way of GraphFrames on graphs that fit in memory.
    """
    vertices = edges.select(F.col("src").alias("id")).union(edges.select("dst")).distinct()
    found = GraphFrame(vertices, edges).connectedComponents(algorithm="graphx")
    staged = context.stage(
        "resolve", "components", found.select(F.col("id").alias("vertex"), "component")
    )
    found.unpersist()
    return staged


def _decide(
    batches: Iterable[pa.RecordBatch], overlapping: frozenset[frozenset[str]]
) -> Iterator[pa.RecordBatch]:
    parts = groups(batches, key=itemgetter(0))
    return as_batches((row for rows in parts for row in _founded(rows, overlapping)), FOUNDERS)


def _founded(
    rows: Sequence[Row], overlapping: frozenset[frozenset[str]]
) -> Iterator[tuple[str, str, int | None]]:
    profiles = [_profile(row) for row in rows]
    scored = [(row[1], pair["right"], pair["score"]) for row in rows for pair in row[8] or ()]
    founders = cluster(profiles, overlapping, scored, _words(rows))
    yield from ((profile_id, founder, None) for profile_id, founder in founders.items())
    yield from ((profile_id, *link) for profile_id, link in linked(profiles, founders).items())


def _words(rows: Sequence[Row]) -> list[Word]:
    """Return what was said, the newest first."""
    said = [
        (word["stated_at"], word["word"], Word(row[1], word["right"], word["is_same"]))
        for row in rows
        for word in row[9] or ()
    ]
    return [word for *_, word in sorted(said, reverse=True)]


def _profile(row: Row) -> Profile:
    _, profile_id, founded_at, ended_at, label, is_link, keys, exclusive, *_ = row
    values: dict[str, set[str]] = defaultdict(set)
    for identifier in exclusive:
        kind, _, value = identifier.partition(":")
        values[kind].add(value)
    return Profile(
        profile_id=profile_id,
        founded_at=founded_at,
        label=label,
        keys=tuple(keys),
        exclusive={kind: frozenset(texts) for kind, texts in values.items()},
        ended_at=ended_at,
        is_link=is_link,
    )
