"""The communities step: refresh the whole partition, or extend it to what a night brought."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.graph import changed_lately, edges, valid_facts
from regesta.communities.levels import Levels, raised_levels, standing_levels
from regesta.communities.membership import (
    extended,
    member_rows,
    refreshed,
)
from regesta.communities.summaries import community_rows, summaries
from regesta.context import Changes, StepContext

LARGE_GROUP = 100
"""Members from which on a group should have more than one community."""
COLLAPSED = 0.9
"""Share of a large group's members from which on one community tells nothing."""


def communities(
    context: StepContext, *, refresh: bool, collapse_is_welcome: bool = False
) -> dict[str, int]:
    """Find or extend the communities of every group and write what changed.

    `refresh` parts the whole graph anew; so does a first run. Otherwise new entities join what
    stands, and so they do in a large group whose new partition puts nearly all into one community,
    unless `collapse_is_welcome`. Returns counts: members and communities opened and closed,
    isolated entities (those without any), collapsed groups that kept what stood, the largest share
    that a community has of a large group's members and, where the communities were extended, the
    drift, both in per mille.
    """
    facts = valid_facts(context)
    pairs = context.stage("communities", "edges", edges(facts))
    standing = context.warehouse.open_before("community_members")
    first = standing.isEmpty()
    whole = refresh or first
    members, counts = (refreshed if whole else extended)(context, pairs, standing)
    if whole and not first and not collapse_is_welcome:
        members, kept = _without_collapse(context, pairs, standing, members)
        counts |= kept
    changes = member_rows(context, standing, members)
    levels = (
        raised_levels(context, pairs, members, standing)
        if whole
        else standing_levels(context, members)
    )
    concerned = levels.members if whole else _concerned(context, levels, changes)
    rows = community_rows(
        context,
        summaries(context, facts, pairs, levels, concerned),
        levels.parents,
        levels.members.select("community_id").distinct(),
    )
    written = context.write({"community_members": changes, "communities": rows})
    return {**counts, **written, **_figures(context, members)}


def _without_collapse(
    context: StepContext, pairs: DataFrame, standing: DataFrame, members: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Extend what stood in the groups whose new partition collapsed; return how many these are."""
    collapsed = _largest(members).where(F.col("largest") > COLLAPSED * F.col("all"))
    collapsed = context.stage("communities", "collapsed", collapsed.select("group_id"))
    number = collapsed.count()
    if not number:
        return members, {"collapsed_groups": 0}
    context.report(
        f"{number:,} groups would become one community and keep what stood: "
        "--refresh-communities replaces it"
    )
    kept, _ = extended(
        context,
        pairs.join(collapsed, on="group_id", how="left_semi"),
        standing.join(collapsed, on="group_id", how="left_semi"),
    )
    others = members.join(collapsed, on="group_id", how="left_anti")
    return others.unionByName(kept), {"collapsed_groups": number}


def _concerned(context: StepContext, levels: Levels, changes: Changes) -> DataFrame:
    """Return all members of the communities whose members or facts changed, on every level."""
    facts = context.warehouse.current("facts").where(changed_lately(context))
    ends = facts.select(F.explode(F.array("subject_id", "object_id")).alias("entity_id"))
    moved = changes.closing.select("entity_id").union(changes.opening.select("entity_id"))
    told = levels.members.join(ends.union(moved), on="entity_id", how="left_semi")
    left = changes.closing.select("community_id")
    for _ in range(levels.highest):
        above = left.join(levels.parents, on="community_id", how="inner").select("parent")
        left = left.union(above).distinct()
    changed = told.select("community_id").union(left).distinct()
    concerned = levels.members.join(changed, on="community_id", how="left_semi")
    return context.stage("communities", "concerned", concerned)


def _figures(context: StepContext, members: DataFrame) -> dict[str, int]:
    alive = context.warehouse.open_now("entities")
    isolated = alive.join(members, on="entity_id", how="left_anti").count()
    share = (1000 * F.col("largest") / F.col("all")).cast("long")
    largest = _largest(members).agg(F.max(share)).first()
    return {
        "isolated": isolated,
        "largest_share_per_mille": int(largest[0] or 0) if largest else 0,
    }


def _largest(members: DataFrame) -> DataFrame:
    """Return group_id, largest and all of large groups: the members of one community and of all."""
    sizes = members.groupBy("group_id", "community_id").agg(F.count(F.lit(1)).alias("size"))
    groups = sizes.groupBy("group_id").agg(
        F.max("size").alias("largest"), F.sum("size").alias("all")
    )
    return groups.where(F.col("all") >= LARGE_GROUP)
