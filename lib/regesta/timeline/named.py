"""Which entities statements are between: those that their mentions' profiles belong to."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.model import LOCAL
from regesta.resolve.membership import newest_entities, nowhere


def latest_entities(context: StepContext) -> DataFrame:
    """One row per profile: its entity now, or the last one it had."""
    return newest_entities(context.warehouse.current("entity_members"), "entity_id")


def with_entities(context: StepContext, statements: DataFrame, entities: DataFrame) -> DataFrame:
    """Add the entities that the profiles `subject` and `object` belong to (n to one).

    A text's statement is left out while a name in it leads nowhere, and is known from when both
    names lead somewhere.
    """
    linked_at = F.greatest("known_at", "subject_since", "object_since")
    known_at = F.when(F.col("extractor") == LOCAL, linked_at).otherwise(F.col("known_at"))
    named = name_ends(context, statements, entities).where(lead_somewhere(context))
    return named.withColumn("known_at", known_at)


def lead_somewhere(context: StepContext) -> Column:
    """Return the condition that both ends are entities: a name in a text may lead nowhere."""
    no_entity = F.lit(nowhere(context.salt))
    return (F.col("subject_id") != no_entity) & ~F.col("object_id").eqNullSafe(no_entity)


def name_ends(context: StepContext, statements: DataFrame, entities: DataFrame) -> DataFrame:
    """Add the entities of `subject` and `object`, and since when they are these."""
    for end, how in (("subject", "inner"), ("object", "left")):
        theirs = entities.select(
            F.col("profile_id").alias(end),
            F.col("entity_id").alias(f"{end}_id"),
            F.col("since").alias(f"{end}_since"),
        )
        statements = statements.join(theirs, on=end, how=how)
    return _in_order(statements, context.ontology.symmetric)


def _in_order(named: DataFrame, symmetric: Sequence[str]) -> DataFrame:
    """Let the smaller id be the subject where both sides of a relation are alike."""
    if not symmetric:
        return named
    turned = (
        F.col("relation").isin(*symmetric)
        & F.col("object_id").isNotNull()
        & (F.col("object_id") < F.col("subject_id"))
    )
    first, second = F.col("subject_id"), F.col("object_id")
    return named.withColumns(
        {
            "subject_id": F.when(turned, second).otherwise(first),
            "object_id": F.when(turned, first).otherwise(second),
        }
    )
