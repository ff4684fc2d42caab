"""What a community is about, taken from its own facts: no model, the same words every time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from regesta.context import Changes, StepContext
from regesta.ids import digest_column

NAMED = 3
SUMMARISED = 5
TERMS = 5
LONGEST_TERM = 40
LONGEST_SUMMARY = 1000


def summaries(context: StepContext, facts: DataFrame, members: DataFrame) -> DataFrame:
    """Return community_id, group_id, level, size, name, summary, key_terms of those given.

    `members`: all members (entity_id, group_id, community_id, level) of the communities to
    summarise. The name is that of the most connected entities, the summary the texts of the facts
    between the most connected, the key terms the most frequent relations and literals.
    """
    told = context.stage("communities", "told", _told(facts, members))
    degrees = _degrees(told, members)
    communities = members.groupBy("community_id", "group_id", "level")
    sizes = communities.agg(F.count(F.lit(1)).alias("size"))
    return (
        sizes.join(_names(context, degrees), on="community_id", how="left")
        .join(_central(told, degrees), on="community_id", how="left")
        .join(_terms(told), on="community_id", how="left")
        .select(
            *("community_id", "group_id", "level", "size", "name"),
            F.substring(F.coalesce("summary", F.lit("")), 1, LONGEST_SUMMARY).alias("summary"),
            F.coalesce("key_terms", F.array().cast("array<string>")).alias("key_terms"),
        )
    )


def _told(facts: DataFrame, members: DataFrame) -> DataFrame:
    """Return the facts within a community: both ends in it, or one and a literal."""
    subjects = members.select(F.col("entity_id").alias("subject_id"), "community_id")
    objects = members.select(
        F.col("entity_id").alias("object_id"), "community_id", F.lit(True).alias("within")
    )
    columns = ("row_id", "subject_id", "object_id", "relation", "value", "text")
    return (
        facts.select(*columns)
        .join(subjects, on="subject_id", how="inner")
        .join(objects, on=["object_id", "community_id"], how="left")
        .where(F.col("object_id").isNull() | F.col("within"))
        .select(*columns, "community_id")
    )


def _degrees(told: DataFrame, members: DataFrame) -> DataFrame:
    ends = told.where(F.col("object_id").isNotNull())
    counted = (
        ends.select(F.col("subject_id").alias("entity_id"), "community_id")
        .union(ends.select("object_id", "community_id"))
        .groupBy("entity_id", "community_id")
        .agg(F.count(F.lit(1)).alias("degree"))
    )
    return members.join(counted, on=["entity_id", "community_id"], how="left").select(
        "entity_id", "community_id", F.coalesce("degree", F.lit(0)).alias("degree")
    )


def _names(context: StepContext, degrees: DataFrame) -> DataFrame:
    names = context.warehouse.open_now("entities")
    best = _first(degrees, NAMED, F.desc("degree"), F.asc("entity_id"))
    named = best.join(names.select("entity_id", "name"), on="entity_id", how="left")
    return named.groupBy("community_id").agg(_in_order("name", ", ").alias("name"))


def _central(told: DataFrame, degrees: DataFrame) -> DataFrame:
    def of(end: str) -> DataFrame:
        degree = F.col("degree").alias(f"{end}_degree")
        return degrees.select(F.col("entity_id").alias(end), "community_id", degree)

    weighed = (
        told.where(F.col("text").isNotNull())
        .join(of("subject_id"), on=["subject_id", "community_id"], how="inner")
        .join(of("object_id"), on=["object_id", "community_id"], how="left")
        .withColumn(
            "centrality", F.col("subject_id_degree") + F.coalesce("object_id_degree", F.lit(0))
        )
        .groupBy("community_id", "text")
        .agg(F.max("centrality").alias("centrality"))
    )
    best = _first(weighed, SUMMARISED, F.desc("centrality"), F.asc("text"))
    return best.groupBy("community_id").agg(_in_order("text", "; ").alias("summary"))


def _terms(told: DataFrame) -> DataFrame:
    relation = F.lower(F.translate("relation", "_", " "))
    literal = F.when(F.length("value") <= LONGEST_TERM, F.col("value"))
    counted = (
        told.select("community_id", F.explode(F.array(relation, literal)).alias("term"))
        .where(F.col("term").isNotNull())
        .groupBy("community_id", "term")
        .agg(F.count(F.lit(1)).alias("times"))
    )
    best = _first(counted, TERMS, F.desc("times"), F.asc("term"))
    ordered = F.array_sort(F.collect_list(F.struct("place", "term")))
    return best.groupBy("community_id").agg(
        F.transform(ordered, lambda one: one["term"]).alias("key_terms")
    )


def _first(rows: DataFrame, number: int, *order: Column) -> DataFrame:
    place = F.row_number().over(Window.partitionBy("community_id").orderBy(*order))
    return rows.withColumn("place", place).where(F.col("place") <= number)


def _in_order(column: str, between: str) -> Column:
    ordered = F.array_sort(F.collect_list(F.struct("place", column)))
    return F.array_join(F.transform(ordered, lambda one: one[column]), between)


def community_rows(
    context: StepContext, summarised: DataFrame, parents: DataFrame, alive: DataFrame
) -> Changes:
    """Return the rows of communities to close and to open: where something reads differently.

    `parents`: community_id and parent; `alive`: community_id of those that have members.
    """
    now = context.batch.known_at_column
    said = F.struct("group_id", "level", "parent", "size", "name", "summary", "key_terms")
    standing = context.warehouse.open_before("communities").select(
        "row_id", "community_id", said.alias("said_before")
    )
    told = summarised.join(parents, on="community_id", how="left").withColumn("said", said)
    compared = context.stage(
        "communities", "compared", told.join(standing, on="community_id", how="left")
    )
    differs = ~F.col("said").eqNullSafe(F.col("said_before"))
    closing = (
        compared.where(differs & F.col("row_id").isNotNull())
        .select("row_id")
        .union(standing.join(alive, on="community_id", how="left_anti").select("row_id"))
        .withColumn("expired_at", now)
    )
    row_id = digest_column(
        context.salt, "community_version", F.col("community_id"), context.batch.known_at
    )
    opening = compared.where(differs).select(
        row_id.alias("row_id"),
        *("community_id", "group_id", "name", "summary", "key_terms", "size", "level", "parent"),
        now.alias("created_at"),
        F.lit(None).cast("timestamp").alias("expired_at"),
    )
    return Changes(closing, opening)
