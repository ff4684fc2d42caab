"""The communities step: refresh the whole partition, or extend it to what a night brought."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.graph import changed_lately, edges, valid_facts
from regesta.communities.membership import (
    extended,
    member_rows,
    refreshed,
    standing_members,
)
from regesta.communities.summaries import community_rows, summaries
from regesta.context import Changes, StepContext

LARGE_GROUP = 100
"""Members from which on a group that is one community is worth a warning."""


def communities(context: StepContext, *, refresh: bool) -> dict[str, int]:
    """Find or extend the communities of every group and write what changed.

    `refresh` parts the whole graph anew; so does a first run. Otherwise new entities join what
    stands. Returns counts: members and communities opened and closed, isolated entities (those
    without any), the largest share that a community has of a large group's members and, where the
    communities were extended, the drift, both in per mille.
    """
    facts = valid_facts(context)
    pairs = context.stage("communities", "edges", edges(facts))
    standing = standing_members(context)
    whole = refresh or standing.isEmpty()
    members, counts = (refreshed if whole else extended)(context, pairs, standing)
    changes = member_rows(context, standing, members)
    summarised = summaries(context, facts, _to_summarise(context, members, changes, whole=whole))
    gone = changes.closing.join(members, on="community_id", how="left_anti").select("community_id")
    written = context.write(
        {
            "community_members": changes,
            "communities": community_rows(context, summarised, gone),
        }
    )
    return {**counts, **written, **_figures(context, members)}


def _to_summarise(
    context: StepContext, members: DataFrame, changes: Changes, *, whole: bool
) -> DataFrame:
    """Return all members of the communities whose members or facts changed."""
    if whole:
        return members
    facts = context.warehouse.current("facts").where(changed_lately(context))
    ends = facts.select(F.explode(F.array("subject_id", "object_id")).alias("entity_id"))
    told = members.join(ends, on="entity_id", how="left_semi").select("community_id")
    moved = changes.closing.select("community_id").union(changes.opening.select("community_id"))
    changed = told.union(moved)
    return members.join(changed.distinct(), on="community_id", how="left_semi")


def _figures(context: StepContext, members: DataFrame) -> dict[str, int]:
    alive = context.warehouse.current("entities").where(F.col("expired_at").isNull())
    isolated = alive.join(members, on="entity_id", how="left_anti").count()
    sizes = members.groupBy("group_id", "community_id").agg(F.count(F.lit(1)).alias("size"))
    shares = (
        sizes.groupBy("group_id")
        .agg(F.max("size").alias("largest"), F.sum("size").alias("all"))
        .where(F.col("all") >= LARGE_GROUP)
        .select((1000 * F.col("largest") / F.col("all")).cast("long").alias("share"))
    )
    largest = shares.agg(F.max("share")).first()
    return {
        "isolated": isolated,
        "largest_share_per_mille": int(largest[0] or 0) if largest else 0,
    }
