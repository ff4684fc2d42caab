"""What somebody said of two profiles, in Spark: which words stand, and where they are heard."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.context import StepContext
from regesta.resolve.clusters import SAID
from regesta.resolve.profiles import pair_keys


def new(context: StepContext) -> DataFrame:
    """Return the words that this batch takes in."""
    said = context.warehouse.current("identity_overrides")
    return said.where(F.col("batch") == context.batch.number)


def standing(context: StepContext) -> DataFrame:
    """Return override_id, group_id, left, right, is_same, by_person, stated_at: the last words.

    Of each pair it is a person's last one, else a model's. A pair of which the last word was taken
    back has none; left is the smaller profile.
    """
    said = context.warehouse.current("identity_overrides").where(
        F.col("batch") <= context.batch.number
    )
    by_person = F.col("decided_by") == model.PERSON
    order = F.struct(by_person, "stated_at", "batch", "override_id")
    told = F.struct("override_id", "verdict", "stated_at", by_person.alias("by_person"))
    last = F.max_by(told, order).alias("last")
    pairs = said.groupBy(
        "group_id",
        F.least("left", "right").alias("left"),
        F.greatest("left", "right").alias("right"),
    )
    return (
        pairs.agg(last)
        .where(F.col("last.verdict") != model.NO_WORD)
        .select(
            *("last.override_id", "group_id", "left", "right"),
            (F.col("last.verdict") == model.SAME).alias("is_same"),
            *("last.by_person", "last.stated_at"),
        )
    )


def ends(words: DataFrame) -> DataFrame:
    """Return profile_id of all of whom something was said."""
    return words.select(F.explode(F.array("left", "right")).alias("profile_id")).distinct()


def keys(words: DataFrame) -> DataFrame:
    """Return the rows that `profiles.keys` gives: what is one by a word is decided together."""
    return pair_keys(words.where("is_same"), SAID)


def by_profile(words: DataFrame) -> DataFrame:
    """Return profile_id and words, at the left ones.

    A word is right, is_same, by_person, stated_at and word (its id).
    """
    named = F.col("override_id").alias("word")
    word = F.struct("right", "is_same", "by_person", "stated_at", named)
    return words.groupBy(F.col("left").alias("profile_id")).agg(F.collect_list(word).alias("words"))
