"""The communities step: refresh the whole partition, or extend it to what a night brought."""

from __future__ import annotations

from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.communities.day import Day
from regesta.communities.graph import (
    changed_lately,
    edges,
    ended_lately,
    told_facts,
    valid_facts,
)
from regesta.communities.levels import Levels, raised_levels, standing_levels
from regesta.communities.membership import extended, figures, member_rows, refreshed
from regesta.communities.summaries import community_rows, degrees, fact_lines, summaries
from regesta.communities.telling import MOST_FACTS, Telling
from regesta.context import Changes, StepContext
from regesta.llm.prompts import Prompted

LARGE_GROUP = 100
"""Members from which on a group should have more than one community."""
COLLAPSED = 0.9
"""Share of a large group's members from which on one community tells nothing."""


class Refresh(NamedTuple):
    """Whether a batch finds all communities anew, and whether that was asked for or was due.

    `valid_on`: a valid time in microseconds; then those of that day are found beside the present
    ones.
    """

    refreshed: bool
    asked_for: bool
    valid_on: int | None = None


class Way(NamedTuple):
    """How communities are found and told: how long events count, by which model, if by any."""

    event_days: int
    prompted: Prompted | None = None


class _Graph(NamedTuple):
    """The facts of a day, and the pairs of entities (group_id, low, high, weight) they join."""

    facts: DataFrame
    pairs: DataFrame


def communities(context: StepContext, refresh: Refresh, way: Way) -> dict[str, Any]:
    """Find or extend the communities of every group and write what changed.

    A refresh parts the whole graph anew; so does a first run. Otherwise new entities join what
    stands, and so they do in a large group whose new partition puts nearly all into one community,
    unless the refresh was asked for. Returns counts: members and communities opened and closed,
    isolated entities (those without any), collapsed groups that kept what stood, and in per mille
    the largest share that a community has of a large group's members, drift and modularity (see
    `membership.figures`).

    Raises:
        ModelError: see `ledger.ask`.
    """
    written, counts = _present(context, refresh, way)
    if refresh.valid_on is not None:
        of_day, more = _past(context, refresh.valid_on, way)
        counts = {**counts, **more, "model": counts["model"] | more["model"]}
        written = {table: _both(written[table], of_day[table]) for table in written}
    return {**counts, **context.write(written)}


def _present(
    context: StepContext, refresh: Refresh, way: Way
) -> tuple[dict[str, Changes], dict[str, Any]]:
    day = Day(context)
    facts = valid_facts(day, way.event_days)
    pairs = day.stage("edges", edges(facts))
    standing = day.open_before("community_members")
    first = standing.isEmpty()
    whole = refresh.refreshed or first
    if whole:
        members, counts = refreshed(day, pairs, standing)
    else:
        members, counts = extended(day, pairs, standing, _loosened(context, way.event_days))
    if whole and not first and not refresh.asked_for:
        loosened = _loosened(context, way.event_days)
        members, kept = _without_collapse(day, pairs, standing, loosened, members)
        counts |= kept
    changes = member_rows(day, standing, members)
    levels = raised_levels(day, pairs, members, day) if whole else standing_levels(day, members)
    concerned = levels.members if whole else _concerned(day, levels, changes, way.event_days)
    rows, model = _rows(day, _Graph(facts, pairs), levels, concerned, way)
    counts |= {**_shares(context, members), **figures(pairs, members)}
    return {"community_members": changes, "communities": rows}, {**counts, "model": model}


def _past(
    context: StepContext, valid_on: int, way: Way
) -> tuple[dict[str, Changes], dict[str, Any]]:
    """Find the communities of a past day anew; they are called as the present ones they resemble.

    Those of a day that were found before keep their own ids.
    """
    day = Day(context, valid_on)
    facts = valid_facts(day, way.event_days)
    pairs = day.stage("edges", edges(facts))
    standing = day.open_before("community_members")
    known = Day(context) if standing.isEmpty() else day
    members, counts = refreshed(day, pairs, known.open_before("community_members"))
    changes = member_rows(day, standing, members)
    levels = raised_levels(day, pairs, members, known)
    rows, model = _rows(day, _Graph(facts, pairs), levels, levels.members, way)
    of_day = {f"{name}_on_day": count for name, count in counts.items()}
    return (
        {"community_members": changes, "communities": rows},
        {**of_day, "members_on_day": members.count(), "model": model},
    )


def _rows(
    day: Day, graph: _Graph, levels: Levels, concerned: DataFrame, way: Way
) -> tuple[Changes, dict[str, Any]]:
    """Return what changes of communities, told by a model where there is one, and its counts."""
    connected = day.stage("degrees", degrees(graph.pairs, concerned))
    extracted = summaries(day, graph.facts, connected, levels, concerned)
    counts: dict[str, Any] = {}
    if way.prompted is not None:
        telling = Telling(day, way.prompted, counts)
        extracted = day.stage("extracted", extracted)
        lowest = extracted.where("level = 0").select("community_id")
        of_lowest = connected.join(lowest, on="community_id", how="left_semi")
        lines = fact_lines(told_facts(day, way.event_days), of_lowest, MOST_FACTS)
        extracted = telling.told(lines, levels, extracted)
    alive = levels.members.select("community_id").distinct()
    return community_rows(day, extracted, levels.parents, alive), counts


def _both(one: Changes, other: Changes) -> Changes:
    return Changes(one.closing.unionByName(other.closing), one.opening.unionByName(other.opening))


def _loosened(context: StepContext, event_days: int) -> DataFrame:
    """Return entity_id of what facts joined that ended after the previous batch."""
    joining = context.warehouse.current("facts").where(F.col("object_id").isNotNull())
    return _ends(joining.where(ended_lately(context, event_days)))


def _ends(facts: DataFrame) -> DataFrame:
    return facts.select(F.explode(F.array("subject_id", "object_id")).alias("entity_id"))


def _without_collapse(
    day: Day, pairs: DataFrame, standing: DataFrame, loosened: DataFrame, members: DataFrame
) -> tuple[DataFrame, dict[str, int]]:
    """Extend what stood in the groups whose new partition collapsed; return how many these are."""
    collapsed = _largest(members).where(F.col("largest") > COLLAPSED * F.col("all"))
    collapsed = day.stage("collapsed", collapsed.select("group_id"))
    number = collapsed.count()
    if not number:
        return members, {"collapsed_groups": 0}
    day.context.report(
        f"{number:,} groups would become one community and keep what stood: "
        "`regesta communities refresh` replaces it"
    )
    kept, _ = extended(
        day,
        pairs.join(collapsed, on="group_id", how="left_semi"),
        standing.join(collapsed, on="group_id", how="left_semi"),
        loosened,
    )
    others = members.join(collapsed, on="group_id", how="left_anti")
    return others.unionByName(kept), {"collapsed_groups": number}


def _concerned(day: Day, levels: Levels, changes: Changes, event_days: int) -> DataFrame:
    """Return all members of the communities whose members or facts changed, on every level."""
    context = day.context
    facts = context.warehouse.current("facts").where(changed_lately(context, event_days))
    ends = _ends(facts)
    moved = changes.closing.select("entity_id").union(changes.opening.select("entity_id"))
    told = levels.members.join(ends.union(moved), on="entity_id", how="left_semi")
    left = changes.closing.select("community_id")
    for _ in range(levels.highest):
        above = left.join(levels.parents, on="community_id", how="inner").select("parent")
        left = left.union(above).distinct()
    changed = told.select("community_id").union(left).distinct()
    concerned = levels.members.join(changed, on="community_id", how="left_semi")
    return day.stage("concerned", concerned)


def _shares(context: StepContext, members: DataFrame) -> dict[str, int]:
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
