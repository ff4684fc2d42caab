"""The graph of a batch: entities joined by what is believed and valid at its known time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.context import StepContext


def valid_facts(context: StepContext) -> DataFrame:
    """Return the facts that are believed, undisputed and valid at the batch's known time.

    Events count from when they happened on.
    """
    now = context.batch.known_at_column
    return context.warehouse.current("facts").where(
        F.col("expired_at").isNull()
        & (F.col("created_at") <= now)
        & (_start() <= now)
        & ((F.col("kind") == "event") | F.col("invalid_at").isNull() | (now < F.col("invalid_at")))
        & ~F.coalesce(F.array_contains("flags", model.DISPUTED), F.lit(False))
    )


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


def changed_lately(context: StepContext) -> Column:
    """Return whether a fact began or ended after the previous batch, by belief or by time."""
    previous = context.batch.previous_known_at
    if previous is None:
        return F.lit(True)
    since = F.timestamp_micros(F.lit(previous))
    until = context.batch.known_at_column
    moments = (F.col("created_at"), F.col("expired_at"), _start(), F.col("invalid_at"))
    found = F.lit(False)
    for moment in moments:
        found = found | F.coalesce((moment > since) & (moment <= until), F.lit(False))
    return found


def _start() -> Column:
    return F.coalesce("valid_at", "seen_from")
