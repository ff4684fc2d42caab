"""Bare personal names that no shared context joined: pairs for a person to decide."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.resolve.links import NOWHERE
from regesta.resolve.profiles import is_new_bare_name, is_personal

MOST_PER_NAME = 1000
"""Pairs written for one name in one batch; what is left out is counted."""


def undecided(context: StepContext, catalogue: DataFrame, entities: DataFrame) -> DataFrame:
    """Return group_id, left, right and place of new bare names that others bear as well.

    `entities`: profile_id and entity_id as they are after the batch. Each new profile is held
    against the oldest one of its name only, if that is another entity; `place` counts within a
    name.
    """
    name = ["group_id", "label", "normalised_name"]
    bearing = catalogue.where(
        F.col("counts")
        & ~F.col("is_link")
        & is_personal(context.ontology)
        & (F.col("normalised_name") != "")
    ).join(entities, on="profile_id", how="inner")
    oldest = bearing.groupBy(*name).agg(
        F.min(F.struct("founded_at", "profile_id", "entity_id")).alias("oldest")
    )
    place = Window.partitionBy(*name).orderBy("founded_at", "profile_id")
    return (
        bearing.where(is_new_bare_name(context.ontology))
        .join(oldest, on=name, how="inner")
        .where(F.col("oldest.entity_id") != F.col("entity_id"))
        .select(
            "group_id",
            F.col("oldest.profile_id").alias("left"),
            F.col("profile_id").alias("right"),
            F.row_number().over(place).alias("place"),
        )
    )


def links(context: StepContext, assigned: DataFrame, opening: DataFrame) -> DataFrame:
    """Return rows of match_decisions for names in texts that are put with an entity now.

    `assigned`: profile_id, group_id, is_link and founder; `opening`: the memberships that begin.
    """
    found = assigned.where(F.col("is_link") & (F.col("founder") != NOWHERE)).join(
        opening.select("profile_id"), on="profile_id", how="left_semi"
    )
    pairs = found.select(
        "group_id", F.col("founder").alias("left"), F.col("profile_id").alias("right")
    )
    return _decided(context, pairs, "join", "same name", "the only one of the name in the records")


def decisions(context: StepContext, pairs: DataFrame) -> DataFrame:
    """Return the rows of match_decisions for the pairs within the cap."""
    reason = "the name alone, without shared context or identifier"
    kept = pairs.where(F.col("place") <= MOST_PER_NAME)
    return _decided(context, kept, "review", "same personal name", reason)


def _decided(
    context: StepContext, pairs: DataFrame, verdict: str, features: str, reason: str
) -> DataFrame:
    return pairs.select(
        *("group_id", "left", "right"),
        F.lit(verdict).alias("verdict"),
        F.lit(None).cast("double").alias("score"),
        F.lit(features).alias("features"),
        F.lit("rule").alias("decided_by"),
        F.lit(reason).alias("reason"),
        context.batch.known_at_column.alias("known_at"),
        F.lit(context.batch.number).alias("batch"),
    )
