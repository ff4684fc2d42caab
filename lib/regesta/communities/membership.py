"""Who is in which community, and the rows of community_members that change."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.day import Day
from regesta.communities.graph import both_ways, plurality
from regesta.communities.identity import identified
from regesta.communities.propagation import propagate
from regesta.context import Changes
from regesta.parallel import together

_COLUMNS = ("entity_id", "group_id", "community_id")


def refreshed(day: Day, pairs: DataFrame, standing: DataFrame) -> tuple[DataFrame, dict[str, int]]:
    """Return entity_id, group_id, community_id of the whole graph, and counts.

    A vertex whose label nobody shares has no community. Ids are those of `standing` (entity_id,
    community_id) that overlap most.
    """
    partition = propagate(day.context, pairs, step=day.step)
    members = day.stage("refreshed", identified(day, partition.labels, standing))
    return members, {"rounds": partition.rounds, "hubs": partition.hubs}


def extended(
    day: Day, pairs: DataFrame, standing: DataFrame, loosened: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Return entity_id, group_id, community_id: what stood and still is there, and what joins.

    Those of `loosened` (entity_id), whose facts ended, are looked at again. A new entity joins the
    plurality of its neighbours' communities. New entities that have only new neighbours are parted
    among themselves as in a refresh.
    """
    alive = day.context.warehouse.open_now("entities")
    staying = standing.join(alive, on="entity_id", how="left_semi").select(*_COLUMNS)
    staying = day.stage("staying", staying)
    staying, counts = _looked_at_again(day, pairs, staying, loosened)
    neighbours = both_ways(pairs)
    new = day.stage("new", neighbours.join(staying, on="entity_id", how="left_anti"))
    if new.isEmpty():
        return staying, {"joined": 0, **counts}
    votes = new.join(_labels(staying), on="neighbour", how="inner")
    joined = day.stage("joined", plurality(votes, salt=day.context.salt))
    joined = joined.select("entity_id", "group_id", F.col("label").alias("community_id"))
    known = staying.select("entity_id").union(joined.select("entity_id"))
    rest = pairs
    for end in ("low", "high"):
        rest = rest.join(known.withColumnRenamed("entity_id", end), on=end, how="left_anti")
    rest = day.stage("rest", rest)
    members = staying.unionByName(joined)
    if not rest.isEmpty():
        labels = propagate(day.context, rest, step=day.step).labels
        members = members.unionByName(identified(day, labels, staying))
    members = day.stage("extended", members)
    return members, {"joined": joined.count(), **counts}


def _looked_at_again(
    day: Day, pairs: DataFrame, staying: DataFrame, loosened: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Return who stays where: of `loosened` some move, and those without a neighbour leave.

    One stays whose own community is as heavy among its neighbours as the heaviest, or whose
    neighbours have none.
    """
    own = staying.join(loosened.distinct(), on="entity_id", how="left_semi")
    own = day.stage("loosened", own)
    if own.isEmpty():
        return staying, {"moved": 0, "left": 0}
    seen = both_ways(pairs).join(own.select("entity_id"), on="entity_id", how="left_semi")
    votes = seen.join(_labels(staying), on="neighbour", how="inner")
    strayed = _weights(votes, own).where(_STRAYED).select("entity_id")
    moving = votes.join(strayed, on="entity_id", how="left_semi")
    moved = day.stage("moved", plurality(moving, salt=day.context.salt))
    left = own.join(seen, on="entity_id", how="left_anti").select("entity_id")
    left = day.stage("left", left)
    gone = moved.select("entity_id").union(left)
    moved = moved.select("entity_id", "group_id", F.col("label").alias("community_id"))
    rest = staying.join(gone, on="entity_id", how="left_anti").unionByName(moved)
    return day.stage("rested", rest), {"moved": moved.count(), "left": left.count()}


def _labels(members: DataFrame) -> DataFrame:
    return members.select(
        F.col("entity_id").alias("neighbour"), F.col("community_id").alias("label")
    )


_STRAYED: Final = "own_weight < heaviest"


def _weights(votes: DataFrame, members: DataFrame) -> DataFrame:
    """Return entity_id, group_id, own, degree, heaviest and own_weight of `members` with a vote.

    `votes`: entity_id, neighbour, weight and label, the neighbour's community, null where it has
    none.
    """
    own = members.select("entity_id", "group_id", F.col("community_id").alias("own"))
    named = F.when(F.col("label").isNotNull(), F.col("weight")).otherwise(0)
    is_own = F.col("label") == F.col("own")
    return (
        votes.groupBy("entity_id", "label")
        .agg(F.sum("weight").alias("weight"))
        .join(own, on="entity_id", how="inner")
        .groupBy("entity_id", "group_id", "own")
        .agg(
            F.sum("weight").alias("degree"),
            F.max(named).alias("heaviest"),
            F.max(F.when(is_own, F.col("weight")).otherwise(0)).alias("own_weight"),
        )
    )


def figures(pairs: DataFrame, members: DataFrame) -> dict[str, int]:
    """Return drift and modularity in per mille; nothing where nobody has a community.

    Drift is the share of members of whose neighbours the plurality is in another community: an own
    one as heavy as the heaviest is no drift. Modularity (Newman and Girvan 2004) is that of each
    group, weighted by the group's edges.
    """
    votes = both_ways(pairs).join(_labels(members), on="neighbour", how="left")
    by_community = (
        _weights(votes, members)
        .groupBy("group_id", "own")
        .agg(
            F.count_if(F.expr(_STRAYED)).alias("strayed"),
            F.count(F.lit(1)).alias("members"),
            F.sum("degree").cast("double").alias("degree"),
            F.sum("own_weight").cast("double").alias("within"),
        )
    )
    totals = pairs.groupBy("group_id").agg((2 * F.sum("weight")).cast("double").alias("total"))
    share = F.col("within") - F.col("degree") * F.col("degree") / F.col("total")
    found = (
        by_community.join(totals, on="group_id", how="inner")
        .agg(F.sum("strayed"), F.sum("members"), F.sum(share))
        .first()
    )
    every = pairs.agg((2 * F.sum("weight")).cast("double")).first()
    if found is None or not found[1] or every is None:
        return {}
    return {
        "drift_per_mille": round(1000 * found[0] / found[1]),
        "modularity_per_mille": round(1000 * found[2] / every[0]),
    }


def member_rows(day: Day, standing: DataFrame, members: DataFrame) -> Changes:
    """Return the rows of community_members to close and to open."""
    pair = ["entity_id", "community_id"]
    now = day.context.batch.known_at_column
    closing = standing.join(members, on=pair, how="left_anti").select(
        "row_id", "entity_id", "community_id", now.alias("expired_at")
    )
    row_id = day.digest("community_member", F.col("entity_id"), F.col("community_id"))
    opening = members.join(standing, on=pair, how="left_anti").select(
        row_id.alias("row_id"), "entity_id", "community_id", "group_id", *day.stamps()
    )
    return Changes(
        *together(
            lambda: day.stage("members_closing", closing),
            lambda: day.stage("members_opening", opening),
        )
    )
