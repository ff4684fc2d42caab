"""Who is in which community, and the rows of community_members that change."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.graph import both_ways, plurality
from regesta.communities.identity import identified
from regesta.communities.propagation import propagate
from regesta.context import Changes, StepContext
from regesta.ids import digest_column
from regesta.parallel import together


def refreshed(
    context: StepContext, pairs: DataFrame, standing: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Return entity_id, group_id, community_id of the whole graph, and counts.

    A vertex whose label nobody shares has no community.
    """
    partition = propagate(context, pairs)
    members = context.stage(
        "communities", "refreshed", identified(context, partition.labels, standing)
    )
    return members, {"rounds": partition.rounds, "hubs": partition.hubs}


def extended(
    context: StepContext, pairs: DataFrame, standing: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Return entity_id, group_id, community_id: what stood and still is there, and what joins.

    A new entity joins the plurality of its neighbours' communities. New entities that have only
    new neighbours are parted among themselves as in a refresh.
    """
    alive = context.warehouse.open_now("entities")
    columns = ("entity_id", "group_id", "community_id")
    staying = standing.join(alive, on="entity_id", how="left_semi").select(*columns)
    staying = context.stage("communities", "staying", staying)
    neighbours = both_ways(pairs)
    new = neighbours.join(staying, on="entity_id", how="left_anti")
    new = context.stage("communities", "new", new)
    if new.isEmpty():
        return staying, {"joined": 0, "drift_per_mille": _drift_per_mille(pairs, staying)}
    votes = new.join(_labels(staying), on="neighbour", how="inner")
    joined = context.stage("communities", "joined", plurality(votes, salt=context.salt))
    joined = joined.select("entity_id", "group_id", F.col("label").alias("community_id"))
    known = staying.select("entity_id").union(joined.select("entity_id"))
    rest = pairs
    for end in ("low", "high"):
        rest = rest.join(known.withColumnRenamed("entity_id", end), on=end, how="left_anti")
    rest = context.stage("communities", "rest", rest)
    members = staying.unionByName(joined)
    if not rest.isEmpty():
        members = members.unionByName(identified(context, propagate(context, rest).labels, staying))
    members = context.stage("communities", "extended", members)
    drift = _drift_per_mille(pairs, members)
    return members, {"joined": joined.count(), "drift_per_mille": drift}


def _labels(members: DataFrame) -> DataFrame:
    return members.select(
        F.col("entity_id").alias("neighbour"), F.col("community_id").alias("label")
    )


def _drift_per_mille(pairs: DataFrame, members: DataFrame) -> int:
    """Return which share of the members has its neighbours' plurality in another community.

    An own community that is as heavy as the heaviest is no drift.
    """
    own = members.select("entity_id", F.col("community_id").alias("own"))
    votes = both_ways(pairs).join(_labels(members), on="neighbour", how="inner")
    weights = (
        votes.groupBy("entity_id", "label")
        .agg(F.sum("weight").alias("weight"))
        .join(own, on="entity_id", how="inner")
        .groupBy("entity_id")
        .agg(
            F.max("weight").alias("heaviest"),
            F.max(F.when(F.col("label") == F.col("own"), F.col("weight")).otherwise(0)).alias(
                "own_weight"
            ),
        )
    )
    strayed = F.count_if(F.col("own_weight") < F.col("heaviest"))
    found = weights.agg(strayed, F.count(F.lit(1))).first() or (0, 0)
    return round(1000 * found[0] / found[1]) if found[1] else 0


def member_rows(context: StepContext, standing: DataFrame, members: DataFrame) -> Changes:
    """Return the rows of community_members to close and to open."""
    pair = ["entity_id", "community_id"]
    now = context.batch.known_at_column
    closing = standing.join(members, on=pair, how="left_anti").select(
        "row_id", "entity_id", "community_id", now.alias("expired_at")
    )
    row_id = digest_column(
        context.salt,
        "community_member",
        F.col("entity_id"),
        F.col("community_id"),
        context.batch.known_at,
    )
    opening = members.join(standing, on=pair, how="left_anti").select(
        row_id.alias("row_id"),
        *("entity_id", "community_id", "group_id"),
        now.alias("created_at"),
        F.lit(None).cast("timestamp").alias("expired_at"),
    )
    return Changes(
        *together(
            lambda: context.stage("communities", "members_closing", closing),
            lambda: context.stage("communities", "members_opening", opening),
        )
    )
