"""What a community is about, taken from its own facts: no model, the same words every time."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from regesta.communities.day import Day
from regesta.communities.levels import Levels
from regesta.context import Changes, StepContext

ENDS = ("low", "high")
NAMED = 3
SUMMARISED = 5
TERMS = 5
LONGEST_TERM = 40
LONGEST_SUMMARY = 1000


def summaries(
    day: Day, facts: DataFrame, degrees: DataFrame, levels: Levels, members: DataFrame
) -> DataFrame:
    """Return community_id, group_id, level, size, name, summary, key_terms of those given.

    `members`: all members (entity_id, group_id, community_id, level) of the communities to
    summarise, out of `levels`; `degrees`: those of these members. The name is that of the most
    connected entities, the summary the texts of the facts that these have with others of the
    community, the key terms the most frequent relations and literals; above the lowest level those
    of the communities below, each counting as its size.
    """
    best = _first(degrees, NAMED, F.desc("degree"), F.asc("entity_id"))
    leading = day.stage("leading", best)
    of_lowest = members.where(F.col("level") == 0)
    terms = day.stage("terms", _terms(_told(facts, of_lowest)))
    communities = members.groupBy("community_id", "group_id", "level")
    sizes = communities.agg(F.count(F.lit(1)).alias("size"))
    if levels.highest:
        lowest = day.stage("lowest", _lowest(day, sizes, terms, levels))
        terms = terms.unionByName(_terms_above(lowest, levels))
    return (
        sizes.join(_names(day.context, leading), on="community_id", how="left")
        .join(_central(facts, leading, degrees), on="community_id", how="left")
        .join(terms, on="community_id", how="left")
        .select(
            *("community_id", "group_id", "level", "size", "name"),
            F.substring(F.coalesce("summary", F.lit("")), 1, LONGEST_SUMMARY).alias("summary"),
            F.coalesce("key_terms", F.array().cast("array<string>")).alias("key_terms"),
        )
    )


def fact_lines(facts: DataFrame, degrees: DataFrame, most: int) -> DataFrame:
    """Return community_id, place and line of the facts within the communities of `degrees`.

    A line has a fact's text and dates; those of the most connected come first, `most` of each.
    """
    subjects = degrees.select(F.col("entity_id").alias("subject_id"), "community_id")
    told = facts.where(F.col("text").isNotNull()).join(subjects, on="subject_id", how="inner")
    lines = _weighed(told.withColumn("line", _line()), degrees, "line")
    return _first(lines, most, F.desc("centrality"), F.asc("line"))


def _line() -> Column:
    start, end = (F.date_format(name, "yyyy-MM-dd") for name in ("valid_at", "invalid_at"))
    dates = (
        F.when(F.col("kind") == "event", F.concat(F.lit(" ("), start, F.lit(")")))
        .when(end.isNull(), F.concat(F.lit(" (since "), start, F.lit(")")))
        .otherwise(
            F.concat(F.lit(" ("), F.coalesce(start, F.lit("?")), F.lit(" to "), end, F.lit(")"))
        )
    )
    return F.concat("text", F.coalesce(dates, F.lit("")))


def degrees(pairs: DataFrame, members: DataFrame) -> DataFrame:
    """Return entity_id, community_id and degree: facts with others of the community.

    `pairs`: group_id, low, high, weight of the entities that facts join.
    """
    ends = members.select("entity_id", "community_id")
    within = pairs.join(ends.withColumnRenamed("entity_id", "low"), on="low", how="inner").join(
        ends.withColumnRenamed("entity_id", "high"), on=["high", "community_id"], how="inner"
    )
    seen = [within.select(F.col(end).alias("entity_id"), "community_id", "weight") for end in ENDS]
    counted = seen[0].union(seen[1]).groupBy("entity_id", "community_id")
    joined = counted.agg(F.sum("weight").alias("degree"))
    return ends.join(joined, on=["entity_id", "community_id"], how="left").select(
        "entity_id", "community_id", F.coalesce("degree", F.lit(0)).alias("degree")
    )


def _names(context: StepContext, leading: DataFrame) -> DataFrame:
    names = context.warehouse.open_now("entities").select("entity_id", "name")
    named = leading.join(names, on="entity_id", how="left")
    return named.groupBy("community_id").agg(_in_order("name", ", ").alias("name"))


def _central(facts: DataFrame, leading: DataFrame, degrees: DataFrame) -> DataFrame:
    """Return community_id and summary: what `leading` entities have with the most connected."""
    told = facts.where(F.col("text").isNotNull()).select("subject_id", "object_id", "text")

    def of(end: str) -> DataFrame:
        return told.join(_end_of(leading, end).select(end, "community_id"), on=end, how="inner")

    weighed = _weighed(of("subject_id").unionByName(of("object_id")), degrees, "text")
    best = _first(weighed, SUMMARISED, F.desc("centrality"), F.asc("text"))
    return best.groupBy("community_id").agg(_in_order("text", "; ").alias("summary"))


def _weighed(told: DataFrame, degrees: DataFrame, said: str) -> DataFrame:
    """Return community_id, the column `said` and centrality: the facts that its two ends have.

    `told`: subject_id, object_id and community_id of facts; what has an end outside is left out.
    """
    central = F.col("subject_id_degree") + F.coalesce("object_id_degree", F.lit(0))
    within = (
        told.join(_end_of(degrees, "subject_id"), on=["subject_id", "community_id"], how="inner")
        .join(_end_of(degrees, "object_id"), on=["object_id", "community_id"], how="left")
        .where(F.col("object_id").isNull() | F.col("object_id_degree").isNotNull())
    )
    return within.groupBy("community_id", said).agg(F.max(central).alias("centrality"))


def _end_of(degrees: DataFrame, end: str) -> DataFrame:
    return degrees.select(
        F.col("entity_id").alias(end), "community_id", F.col("degree").alias(f"{end}_degree")
    )


def _told(facts: DataFrame, members: DataFrame) -> DataFrame:
    """Return community_id, relation, value of facts within: both ends, or one and a literal."""
    subjects = members.select(F.col("entity_id").alias("subject_id"), "community_id")
    objects = members.select(F.col("entity_id").alias("object_id"), "community_id")
    ours = facts.join(subjects, on="subject_id", how="inner")
    joining = ours.join(objects, on=["object_id", "community_id"], how="left_semi")
    columns = ("community_id", "relation", "value")
    literal = ours.where(F.col("object_id").isNull())
    return joining.select(*columns).unionByName(literal.select(*columns))


def _lowest(day: Day, sizes: DataFrame, terms: DataFrame, levels: Levels) -> DataFrame:
    """Return community_id, size, key_terms of all lowest communities, told now or before."""
    now = sizes.where(F.col("level") == 0).join(terms, on="community_id", how="inner")
    alive = levels.members.where(F.col("level") == 0).select("community_id").distinct()
    before = (
        day.open_before("communities")
        .join(alive, on="community_id", how="left_semi")
        .join(sizes, on="community_id", how="left_anti")
    )
    columns = ("community_id", "size", "key_terms")
    return now.select(*columns).unionByName(before.select(*columns))


def _terms_above(lowest: DataFrame, levels: Levels) -> DataFrame:
    """Return community_id and key_terms of the communities above those of the lowest level."""
    above = lowest.select("community_id", F.col("community_id").alias("lowest"))
    every = []
    for _ in range(levels.highest):
        raised = above.join(levels.parents, on="community_id", how="inner")
        above = raised.select(F.col("parent").alias("community_id"), "lowest")
        every.append(above)
    said = lowest.select(F.col("community_id").alias("lowest"), "size", F.explode("key_terms"))
    counted = (
        reduce(DataFrame.union, every)
        .join(said, on="lowest", how="inner")
        .groupBy("community_id", F.col("col").alias("term"))
        .agg(F.sum("size").alias("times"))
    )
    return _most_frequent(counted)


def _terms(told: DataFrame) -> DataFrame:
    """Return community_id and key_terms of what was told: community_id, relation, value."""
    relation = F.lower(F.translate("relation", "_", " "))
    literal = F.when(F.length("value") <= LONGEST_TERM, F.col("value"))
    counted = (
        told.select("community_id", F.explode(F.array(relation, literal)).alias("term"))
        .where(F.col("term").isNotNull())
        .groupBy("community_id", "term")
        .agg(F.count(F.lit(1)).alias("times"))
    )
    return _most_frequent(counted)


def _most_frequent(counted: DataFrame) -> DataFrame:
    """Return community_id and key_terms, of community_id, term, times."""
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
    day: Day, summarised: DataFrame, parents: DataFrame, alive: DataFrame
) -> Changes:
    """Return the rows of communities to close and to open: where something reads differently.

    `parents`: community_id and parent; `alive`: community_id of those that have members.
    """
    now = day.context.batch.known_at_column
    said = F.struct("group_id", "level", "parent", "size", "name", "summary", "key_terms")
    standing = day.open_before("communities").select(
        "row_id", "community_id", said.alias("said_before")
    )
    told = summarised.join(parents, on="community_id", how="left").withColumn("said", said)
    compared = day.stage("compared", told.join(standing, on="community_id", how="left"))
    differs = ~F.col("said").eqNullSafe(F.col("said_before"))
    closing = (
        compared.where(differs & F.col("row_id").isNotNull())
        .select("row_id")
        .union(standing.join(alive, on="community_id", how="left_anti").select("row_id"))
        .withColumn("expired_at", now)
    )
    row_id = day.digest("community_version", F.col("community_id"))
    opening = compared.where(differs).select(
        row_id.alias("row_id"),
        *("community_id", "group_id", "name", "summary", "key_terms", "size", "level", "parent"),
        *day.stamps(),
    )
    return Changes(closing, opening)
