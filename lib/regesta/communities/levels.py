"""Communities of communities: contracted and parted again until a group has few on top."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.day import Day
from regesta.communities.identity import identified
from regesta.communities.propagation import propagate

MOST_ON_TOP = 20
"""Communities without a parent up to which a group can be looked over."""
MOST_LEVELS = 4
"""Levels including the lowest, whose members are entities."""

_MEMBER = ("entity_id", "group_id", "community_id")


@dataclass(frozen=True)
class Levels:
    """Who belongs to what on every level.

    `members`: entity_id, group_id, community_id, level; an entity is in one community of a level at
    most. `parents`: community_id and parent, of communities that have one; `highest` is the number
    of levels above the lowest.
    """

    members: DataFrame
    parents: DataFrame
    highest: int


def standing_levels(day: Day, members: DataFrame) -> Levels:
    """Return the levels open before the batch over `members` (entity_id, group_id, community_id).

    Whoever joins a community joins what is above it; what is above changes with a refresh.
    """
    parents = day.stage("parents", _standing_parents(day))
    found = day.open_before("communities").agg(F.max("level")).first()
    highest = int(found[0] or 0) if found else 0
    every = [members.select(*_MEMBER, F.lit(0).alias("level"))]
    for level in range(1, highest + 1):
        above = _above(every[-1], parents).withColumn("level", F.lit(level))
        every.append(day.stage(f"level_{level}/members", above))
    return Levels(reduce(DataFrame.unionByName, every), parents, highest)


def raised_levels(day: Day, pairs: DataFrame, members: DataFrame, known: Day) -> Levels:
    """Return the levels over a whole partition `members` (entity_id, group_id, community_id).

    Where a group has more than MOST_ON_TOP communities these are joined by the weights of `pairs`
    (group_id, low, high, weight) between their members and propagate labels like entities. Ids
    follow the largest overlap with what stood of `known` before the batch.
    """
    every = [members.select(*_MEMBER, F.lit(0).alias("level"))]
    parents = [members.limit(0).select("community_id", F.col("community_id").alias("parent"))]
    before, parents_before = known.open_before("community_members"), _standing_parents(known)
    for level in range(1, MOST_LEVELS):
        name, below = f"level_{level}", every[-1]
        joined = day.stage(f"{name}/pairs", _between(pairs, below))
        if joined.isEmpty():
            break
        labels = _shared(propagate(day.context, joined, step=f"{day.step}/{name}").labels)
        raised = below.join(labels, on="community_id", how="inner")
        before = _above(before, parents_before)
        above = identified(
            day, raised.select("entity_id", "group_id", "label"), before, level=level
        )
        above = day.stage(f"{name}/members", above.withColumn("level", F.lit(level)))
        named = above.select("entity_id", F.col("community_id").alias("parent"))
        both = below.select("entity_id", "community_id").join(named, on="entity_id", how="inner")
        parents.append(day.stage(f"{name}/parents", both.drop("entity_id").distinct()))
        every.append(above)
    highest = len(every) - 1
    return Levels(
        reduce(DataFrame.unionByName, every), reduce(DataFrame.unionByName, parents), highest
    )


def _standing_parents(day: Day) -> DataFrame:
    with_parent = day.open_before("communities").where(F.col("parent").isNotNull())
    return with_parent.select("community_id", "parent")


def _above(members: DataFrame, parents: DataFrame) -> DataFrame:
    """Return entity_id, group_id, community_id one level up; `parents`: community_id and parent."""
    raised = members.join(parents, on="community_id", how="inner")
    return raised.select("entity_id", "group_id", F.col("parent").alias("community_id"))


def _between(pairs: DataFrame, members: DataFrame) -> DataFrame:
    """Return group_id, low, high, weight between communities, of groups that have too many."""
    crowded = (
        members.groupBy("group_id")
        .agg(F.countDistinct("community_id").alias("communities"))
        .where(F.col("communities") > MOST_ON_TOP)
        .select("group_id")
    )
    ends = members.join(crowded, on="group_id", how="left_semi")

    def named(end: str) -> DataFrame:
        return ends.select(
            F.col("entity_id").alias(end), F.col("community_id").alias(f"{end}_community")
        )

    one, other = F.col("low_community"), F.col("high_community")
    return (
        pairs.join(named("low"), on="low", how="inner")
        .join(named("high"), on="high", how="inner")
        .where(one != other)
        .groupBy("group_id", F.least(one, other).alias("low"), F.greatest(one, other).alias("high"))
        .agg(F.sum("weight").alias("weight"))
    )


def _shared(labels: DataFrame) -> DataFrame:
    """Return community_id and label, of labels that join some but not all of a group's."""
    sizes = labels.groupBy("group_id", "label").agg(F.count(F.lit(1)).alias("size"))
    joining = sizes.where("size > 1")
    groups = joining.groupBy("group_id").agg(F.count(F.lit(1)).alias("number"))
    kept = joining.join(groups.where("number > 1"), on="group_id", how="left_semi")
    return labels.join(kept.select("label"), on="label", how="left_semi").select(
        F.col("entity_id").alias("community_id"), "label"
    )
