"""Which rows of entity_members and entity_redirects a batch closes and opens."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from regesta import model
from regesta.arrow import as_frame
from regesta.context import Changes, StepContext
from regesta.ids import digest, digest_column
from regesta.resolve.links import NOWHERE
from regesta.resolve.profiles import with_ends

FOREVER = "9999-12-31T23:59:59.999999Z"


def entity_id(salt: str, founder: Column) -> Column:
    """Return the id of the entity that a profile founded."""
    return digest_column(salt, "entity", founder)


def nowhere(salt: str) -> str:
    """Return the id that stands for no entity: that of names in texts which lead nowhere."""
    return digest(salt, "entity", NOWHERE)


def newest_entities(members: DataFrame, name: str) -> DataFrame:
    """Return profile_id, as `name` the entity that it belongs or last belonged to, and since when.

    Columns: profile_id, `name`, since.
    """
    order = F.struct(F.col("expired_at").isNull(), "created_at", "row_id")
    return members.groupBy("profile_id").agg(
        F.max_by("entity_id", order).alias(name), F.max_by("created_at", order).alias("since")
    )


def no_changes(context: StepContext) -> Changes:
    """Return that no membership changes."""
    rows = as_frame(context.spark, [], model.ENTITY_MEMBERS)
    return Changes(rows, rows)


def member_changes(context: StepContext, assigned: DataFrame) -> Changes:
    """Compare the entities assigned to touched profiles with the memberships before the batch.

    `assigned`: profile_id, group_id, entity_id, founded_at, counts, ended_at, has_ends.
    """
    open_rows = context.warehouse.open_before("entity_members")
    standing = open_rows.select(
        "profile_id",
        "row_id",
        F.col("entity_id").alias("old_entity_id"),
        F.col("created_at").alias("old_created_at"),
    )
    compared = context.stage(
        "resolve", "compared", assigned.join(standing, on="profile_id", how="left")
    )
    moved = F.col("counts") & (F.col("old_entity_id") != F.col("entity_id"))
    closing = compared.where(F.col("row_id").isNotNull() & (~F.col("counts") | moved)).select(
        "row_id",
        "profile_id",
        F.col("old_entity_id").alias("entity_id"),
        F.coalesce("ended_at", context.batch.known_at_column).alias("expired_at"),
    )
    moved_rows = compared.where(moved).select(
        *("profile_id", "entity_id", "group_id"),
        context.batch.known_at_column.alias("created_at"),
        F.lit(None).cast("timestamp").alias("expired_at"),
    )
    begun = _begun(context, compared.where(F.col("row_id").isNull()))
    opening = moved_rows.unionByName(begun).withColumn(
        "row_id",
        digest_column(
            context.salt,
            "member",
            F.col("profile_id"),
            F.col("entity_id"),
            F.unix_micros("created_at"),
        ),
    )
    return Changes(
        context.stage("resolve", "members_closing", closing),
        context.stage("resolve", "members_opening", opening),
    )


def _begun(context: StepContext, beginning: DataFrame) -> DataFrame:
    """Return the spans of profiles that have no open row, later than the rows they had."""
    columns = ("profile_id", "entity_id", "group_id", "created_at", "expired_at")
    whole = beginning.where(~F.col("has_ends")).select(
        *("profile_id", "entity_id", "group_id"),
        F.col("founded_at").alias("created_at"),
        F.col("ended_at").alias("expired_at"),
    )
    parted = beginning.where("has_ends")
    if parted.isEmpty():
        return whole
    last_end = (
        context.warehouse.before("entity_members")
        .groupBy("profile_id")
        .agg(F.max("expired_at").alias("last_end"))
    )
    spans = (
        _spans(with_ends(context).join(parted, on="profile_id", how="left_semi"))
        .join(last_end, on="profile_id", how="left")
        .where(F.col("last_end").isNull() | (F.col("created_at") >= F.col("last_end")))
        .join(
            parted.select("profile_id", "entity_id", "group_id", "founded_at"),
            on="profile_id",
            how="inner",
        )
        .withColumn("created_at", F.greatest("created_at", "founded_at"))
        .where(F.col("expired_at").isNull() | (F.col("expired_at") > F.col("created_at")))
    )
    return whole.unionByName(spans.select(*columns))


def _spans(mentions: DataFrame) -> DataFrame:
    """Return profile_id, created_at, expired_at: the maximal spans in which a mention counts."""
    by_time = Window.partitionBy("profile_id").orderBy("known_at", "mention_id")
    earlier = by_time.rowsBetween(Window.unboundedPreceding, -1)
    so_far = by_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    until = F.coalesce("ended_at", F.lit(FOREVER).cast("timestamp"))
    return (
        mentions.select("profile_id", "mention_id", "known_at", until.alias("until"))
        .where(F.col("until") > F.col("known_at"))
        .withColumn("reached", F.max("until").over(earlier))
        .withColumn(
            "span",
            F.count_if(F.col("reached").isNull() | (F.col("known_at") > F.col("reached"))).over(
                so_far
            ),
        )
        .groupBy("profile_id", "span")
        .agg(F.min("known_at").alias("created_at"), F.max("until").alias("until"))
        .select(
            "profile_id",
            "created_at",
            F.when(F.col("until") < F.lit(FOREVER).cast("timestamp"), F.col("until")).alias(
                "expired_at"
            ),
        )
    )


def redirect_changes(context: StepContext, assigned: DataFrame) -> Changes:
    """Compare where the ids that touched profiles once gave should lead with where they lead.

    An id leads to the entity that holds its founding profile now; one that lives again leads
    nowhere.
    """
    own = assigned.select(
        entity_id(context.salt, F.col("profile_id")).alias("old_entity_id"),
        "entity_id",
        "group_id",
    )
    known = context.warehouse.before("entities").select(F.col("entity_id").alias("old_entity_id"))
    standing = context.warehouse.open_before("entity_redirects").select(
        "row_id", "old_entity_id", F.col("entity_id").alias("leads_to")
    )
    compared = context.stage(
        "resolve",
        "redirects",
        own.join(known, on="old_entity_id", how="left_semi")
        .join(standing, on="old_entity_id", how="left")
        .withColumn(
            "wanted", F.when(F.col("old_entity_id") != F.col("entity_id"), F.col("entity_id"))
        )
        .where(~F.col("wanted").eqNullSafe(F.col("leads_to"))),
    )
    closing = compared.where(F.col("row_id").isNotNull()).select(
        "row_id", context.batch.known_at_column.alias("expired_at")
    )
    row_id = digest_column(
        context.salt,
        "redirect",
        F.col("old_entity_id"),
        F.col("entity_id"),
        context.batch.known_at,
    )
    opening = compared.where(F.col("wanted").isNotNull()).select(
        row_id.alias("row_id"),
        *("old_entity_id", "entity_id", "group_id"),
        context.batch.known_at_column.alias("created_at"),
        F.lit(None).cast("timestamp").alias("expired_at"),
    )
    return Changes(closing, opening)
