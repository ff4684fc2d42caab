"""Bare personal names that no shared context joined: pairs for a person to decide."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from regesta.context import StepContext

MOST_PER_NAME = 1000
"""Pairs written for one name in one batch; what is left out is counted."""


def undecided(context: StepContext, catalogue: DataFrame, entities: DataFrame) -> DataFrame:
    """Return group_id, left, right and place of new bare names that others bear as well.

    `entities`: profile_id and entity_id as they are after the batch. Each new profile is held
    against the oldest one of its name only, if that is another entity; `place` counts within a
    name.
    """
    name = ["group_id", "label", "normalised_name"]
    personal = sorted(n for n in context.ontology.labels if context.ontology.is_personal(n))
    bearing = catalogue.where(
        F.col("counts") & F.col("label").isin(personal) & (F.col("normalised_name") != "")
    ).join(entities, on="profile_id", how="inner")
    oldest = bearing.groupBy(*name).agg(
        F.min(F.struct("founded_at", "profile_id", "entity_id")).alias("oldest")
    )
    place = Window.partitionBy(*name).orderBy("founded_at", "profile_id")
    return (
        bearing.where(F.col("is_seed") & ~F.col("counted_before") & _is_bare(context))
        .join(oldest, on=name, how="inner")
        .where(F.col("oldest.entity_id") != F.col("entity_id"))
        .select(
            "group_id",
            F.col("oldest.profile_id").alias("left"),
            F.col("profile_id").alias("right"),
            F.row_number().over(place).alias("place"),
        )
    )


def _is_bare(context: StepContext) -> Column:
    kinds = context.ontology.identifiers
    no_joins = sorted(kind for kind, declared in kinds.items() if not declared.joins)
    return F.forall("identifiers", lambda one: F.substring_index(one, ":", 1).isin(no_joins))


def decisions(context: StepContext, pairs: DataFrame) -> DataFrame:
    """Return the rows of match_decisions for the pairs within the cap."""
    return pairs.where(F.col("place") <= MOST_PER_NAME).select(
        *("group_id", "left", "right"),
        F.lit("review").alias("verdict"),
        F.lit(None).cast("double").alias("score"),
        F.lit("same personal name").alias("features"),
        F.lit("rule").alias("decided_by"),
        F.lit("the name alone, without shared context or identifier").alias("reason"),
        context.batch.known_at_column.alias("known_at"),
        F.lit(context.batch.number).alias("batch"),
    )
