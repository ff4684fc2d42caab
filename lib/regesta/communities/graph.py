"""The graph of a day: entities joined by what a batch believes and what is valid on the day."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.communities.day import Day
from regesta.context import StepContext


def valid_facts(day: Day, event_days: int) -> DataFrame:
    """Return the facts that are believed, undisputed and valid on the day.

    Events count for `event_days` days from when they happened.
    """
    return _believed(day, F.when(_is_event(), _leaves(event_days)).otherwise(F.col("invalid_at")))


def _believed(day: Day, ends: Column) -> DataFrame:
    return day.context.warehouse.current("facts").where(
        F.col("expired_at").isNull()
        & (F.col("created_at") <= day.context.batch.known_at_column)
        & (_start() <= day.valid)
        & ~F.coalesce(ends <= day.valid, F.lit(False))
        & ~F.coalesce(F.array_contains("flags", model.DISPUTED), F.lit(False))
    )


def told_facts(day: Day, event_days: int) -> DataFrame:
    """Return the facts that tell of a day: valid ones, and states that ended in `event_days`."""
    ends = F.when(_is_event(), _leaves(event_days)).otherwise(
        F.col("invalid_at") + F.make_dt_interval(days=F.lit(event_days))
    )
    return _believed(day, ends)


def edges(facts: DataFrame) -> DataFrame:
    """Return group_id, low, high and weight: each joined pair once, with its number of facts."""
    return (
        facts.where(F.col("object_id").isNotNull() & (F.col("subject_id") != F.col("object_id")))
        .groupBy(
            "group_id",
            F.least("subject_id", "object_id").alias("low"),
            F.greatest("subject_id", "object_id").alias("high"),
        )
        .agg(F.count(F.lit(1)).alias("weight"))
    )


def both_ways(pairs: DataFrame) -> DataFrame:
    """Return group_id, entity_id, neighbour and weight, each pair once from either side."""

    def seen_from(one: str, other: str) -> DataFrame:
        return pairs.select(
            "group_id", F.col(one).alias("entity_id"), F.col(other).alias("neighbour"), "weight"
        )

    return seen_from("low", "high").unionByName(seen_from("high", "low"))


def plurality(votes: DataFrame, *, salt: str) -> DataFrame:
    """Return entity_id, group_id and label: the heaviest label of each entity's neighbours.

    `votes`: entity_id, group_id, label, weight. Ties go to the smaller salted hash of the label.
    """
    rank = F.struct(-F.sum("weight"), F.xxhash64(F.lit(salt), "label"), F.col("label"))
    return (
        votes.groupBy("entity_id", "group_id", "label")
        .agg(rank.alias("rank"))
        .groupBy("entity_id", "group_id")
        .agg(F.min("rank").alias("best"))
        .select("entity_id", "group_id", F.col("best.label").alias("label"))
    )


def changed_lately(context: StepContext, event_days: int) -> Column:
    """Return whether a fact began or ended after the previous batch, by belief or by time."""
    moments = (F.col("created_at"), _start())
    return _is_new(context, *moments) | ended_lately(context, event_days)


def ended_lately(context: StepContext, event_days: int) -> Column:
    """Return whether a fact ended after the previous batch, by belief or by time."""
    left = F.when(_is_event(), _leaves(event_days))
    return _is_new(context, F.col("expired_at"), F.col("invalid_at"), left)


def _is_new(context: StepContext, *moments: Column) -> Column:
    """Return whether one of the moments is after the previous batch."""
    previous = context.batch.previous_known_at
    if previous is None:
        return F.lit(True)
    since = F.timestamp_micros(F.lit(previous))
    until = context.batch.known_at_column
    found = F.lit(False)
    for moment in moments:
        found = found | F.coalesce((moment > since) & (moment <= until), F.lit(False))
    return found


def _is_event() -> Column:
    return F.col("kind") == "event"


def _leaves(event_days: int) -> Column:
    """Return when an event counts no longer."""
    return _start() + F.make_dt_interval(days=F.lit(event_days))


def _start() -> Column:
    return F.coalesce("valid_at", "seen_from")
