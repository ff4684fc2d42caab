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
    """Return override_id, group_id, left, right, is_same, stated_at: a person's last words.

    A pair of which the last word was taken back has none; left is the smaller profile.
    """
    return _last(context, model.PERSON)


def heard(context: StepContext) -> DataFrame:
    """Return left and right of all pairs of which a person's or a model's word stands."""
    return standing(context).unionByName(judged(context)).select("left", "right")


def judged(context: StepContext) -> DataFrame:
    """Return the same of what a model said last of pairs on which no person's word stands."""
    return _last(context, model.MODEL).join(
        standing(context), on=["left", "right"], how="left_anti"
    )


def _last(context: StepContext, decided_by: str) -> DataFrame:
    said = context.warehouse.current("identity_overrides").where(
        (F.col("batch") <= context.batch.number) & (F.col("decided_by") == decided_by)
    )
    order = F.struct("stated_at", "batch", "override_id")
    last = F.max_by(F.struct("override_id", "verdict", "stated_at"), order).alias("last")
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
            F.col("last.stated_at").alias("stated_at"),
        )
    )


def ends(words: DataFrame) -> DataFrame:
    """Return profile_id of all of whom something was said."""
    return words.select(F.explode(F.array("left", "right")).alias("profile_id")).distinct()


def keys(words: DataFrame) -> DataFrame:
    """Return the rows that `profiles.keys` gives: what is one by a word is decided together."""
    return pair_keys(words.where("is_same"), SAID)


def by_profile(words: DataFrame) -> DataFrame:
    """Return profile_id and words: right, is_same, stated_at, word (its id), at the left ones."""
    word = F.struct("right", "is_same", "stated_at", F.col("override_id").alias("word"))
    return words.groupBy(F.col("left").alias("profile_id")).agg(F.collect_list(word).alias("words"))
