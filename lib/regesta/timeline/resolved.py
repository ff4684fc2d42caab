"""Statements between mentions to statements between entities, with the known time they count in.

Works out which rows of `resolved_statements` a batch opens and closes: for new statements, for
episodes that newer versions superseded, for snapshot series, for removals that mean an end, and for
profiles that belong to another entity now.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.context import Changes, StepContext
from regesta.ids import digest_column
from regesta.model import LOCAL
from regesta.parallel import together
from regesta.resolve.membership import newest_entities
from regesta.timeline.keys import conflict_key, fact_id
from regesta.timeline.named import (
    latest_entities,
    lead_somewhere,
    name_ends,
    with_entities,
)
from regesta.timeline.ontology import Ontology
from regesta.timeline.series_step import DESIRED, LAPSE, changes_of, desired_rows
from regesta.warehouse.warehouse import table_schema

COLUMNS = tuple(table_schema("resolved_statements").fieldNames())
_SPAN = ("created_at", "expired_at")
STATED = tuple(n for n in COLUMNS if n not in ("row_id", "conflict_key", *_SPAN, *LAPSE))
SNAPSHOT = "mode = 'snapshot'"
NOT_SNAPSHOT = "mode <> 'snapshot'"


def resolved_changes(context: StepContext, relations: Ontology) -> Changes:
    """Return what the batch changes in `resolved_statements`, staged.

    Reads the statements, mentions' entities, episodes and supersessions as they stand now and its
    own table as it stood before the batch.
    """
    entities = latest_entities(context)
    moved = _moved_statements(context, entities)
    parts = [
        Changes(_superseded(context), _plain(context, entities)),
        *_moved(context, entities, moved),
        *_series(context, entities, moved),
        *_ended(context, entities, moved),
    ]
    closing = reduce(DataFrame.unionByName, (part.closing for part in parts))
    first = closing.groupBy("row_id", "conflict_key").agg(
        F.min(F.struct("expired_at", *LAPSE)).alias("first")
    )
    first = first.select("row_id", "conflict_key", "first.*")
    opening = reduce(
        DataFrame.unionByName, (part.opening.select(*STATED, *_SPAN, *LAPSE) for part in parts)
    )
    identified = _identified(opening, relations, context.salt)
    return Changes(
        *together(
            lambda: context.stage("timeline", "resolved_closing", first),
            lambda: context.stage("timeline", "resolved_opening", identified),
        )
    )


def _identified(rows: DataFrame, relations: Ontology, salt: str) -> DataFrame:
    """Drop empty spans; add row ids and conflict keys."""
    row_id = digest_column(
        salt,
        "resolved",
        F.col("statement_id"),
        F.col("subject_id"),
        F.col("object_id"),
        F.unix_micros("created_at"),
    )
    counting = rows.where(
        F.col("expired_at").isNull() | (F.col("expired_at") > F.col("created_at"))
    )
    return counting.withColumns(
        {"row_id": row_id, "conflict_key": conflict_key(relations, salt)}
    ).select(*COLUMNS)


def _supersessions(context: StepContext) -> DataFrame:
    return _with_lapse(context.warehouse.current("supersessions"))


def _new_supersessions(context: StepContext) -> DataFrame:
    return _with_lapse(context.new("supersessions"))


def _with_lapse(supersessions: DataFrame) -> DataFrame:
    """Say why the statements of a superseded episode no longer count."""
    return supersessions.select(
        "episode_id",
        "superseded_at",
        F.coalesce("removal", F.lit("revised")).alias("expiry_reason"),
        F.col("superseded_by").alias("expired_by_episode"),
        F.lit(None).cast("string").alias("expired_by_fact"),
    )


def _plain(context: StepContext, entities: DataFrame) -> DataFrame:
    """New statements of events and interval records."""
    episodes = context.new("episodes").where(NOT_SNAPSHOT).select("episode_id")
    statements = (
        context.new("statements")
        .join(episodes, on="episode_id", how="left_semi")
        .join(_supersessions(context), on="episode_id", how="left")
    )
    return with_entities(context, statements, entities).withColumns(
        {"created_at": F.col("known_at"), "expired_at": F.col("superseded_at")}
    )


def _superseded(context: StepContext) -> DataFrame:
    """Standing rows of episodes that this batch's versions superseded."""
    episodes = context.warehouse.current("episodes").where(NOT_SNAPSHOT)
    ended = _new_supersessions(context).join(
        episodes.select("episode_id"), on="episode_id", how="left_semi"
    )
    return (
        context.warehouse.open_before("resolved_statements")
        .drop(*LAPSE)
        .join(ended, on="episode_id", how="inner")
        .select("row_id", "conflict_key", F.col("superseded_at").alias("expired_at"), *LAPSE)
    )


def _moved_statements(context: StepContext, entities: DataFrame) -> DataFrame | None:
    """Earlier statements with a profile that belongs to another entity since this batch."""
    if "statements" not in context.warehouse.pinned:
        return None
    former = newest_entities(context.warehouse.before("entity_members"), "former")
    moved = entities.join(former, on="profile_id", how="inner").where("entity_id != former")
    profiles = context.stage("timeline", "moved_profiles", moved.select("profile_id"))
    if profiles.isEmpty():
        return None
    statements = context.warehouse.before("statements")
    concerned = reduce(
        DataFrame.unionByName,
        (
            statements.join(profiles.withColumnRenamed("profile_id", end), on=end, how="left_semi")
            for end in ("subject", "object")
        ),
    ).dropDuplicates(["statement_id"])  # both ends may have moved
    modes = context.warehouse.before("episodes").select("episode_id", "mode")
    return concerned.select("statement_id", "episode_id", "subject", "object").join(
        modes, on="episode_id", how="inner"
    )


def _moved(context: StepContext, entities: DataFrame, moved: DataFrame | None) -> list[Changes]:
    """Standing rows of events and interval records that name another entity now.

    Those that a new version supersedes in this batch are closed for that.
    """
    if moved is None:
        return []
    standing = (
        context.warehouse.open_before("resolved_statements")
        .join(
            moved.where(NOT_SNAPSHOT).select("statement_id", "subject", "object"),
            on="statement_id",
            how="inner",
        )
        .join(_new_supersessions(context), on="episode_id", how="left_anti")
        .drop("subject_id", "object_id")
    )
    known_at = context.batch.known_at_column
    named = name_ends(context, standing, entities)
    leads = lead_somewhere(context)
    closing = named.select(
        "row_id",
        "conflict_key",
        known_at.alias("expired_at"),
        F.lit("moved").alias("expiry_reason"),
        "expired_by_episode",
        F.when(leads, fact_id(context.salt)).alias("expired_by_fact"),
    )
    opening = named.where(leads).withColumn("created_at", known_at).select(*STATED, *_SPAN, *LAPSE)
    if context.ontology.labels_from_records:
        opening = opening.unionByName(_entering(context, entities, moved))
    return [Changes(closing, opening)]


def _entering(context: StepContext, entities: DataFrame, moved: DataFrame) -> DataFrame:
    """Earlier statements of texts that no row stood for, as a name in them led nowhere."""
    standing = context.warehouse.open_before("resolved_statements").select("statement_id")
    waiting = (
        context.warehouse.before("statements")
        .where(F.col("extractor") == LOCAL)
        .join(moved.where(NOT_SNAPSHOT).select("statement_id"), on="statement_id", how="left_semi")
        .join(standing, on="statement_id", how="left_anti")
        .join(context.warehouse.current("supersessions"), on="episode_id", how="left_anti")
    )
    span = {
        "created_at": context.batch.known_at_column,
        "expired_at": F.lit(None).cast("timestamp"),
    }
    lapse = dict.fromkeys(LAPSE, F.lit(None).cast("string"))
    entered = with_entities(context, waiting, entities).withColumns(span | lapse)
    return entered.select(*STATED, *_SPAN, *LAPSE)


def _touched(
    context: StepContext, episodes: DataFrame, key: str, moved: DataFrame | None
) -> DataFrame:
    """Ids of the series or items with a new, a superseded or an otherwise resolved episode."""
    arrived = episodes.where(F.col("batch") == context.batch.number)
    superseded = episodes.join(_new_supersessions(context), on="episode_id", how="left_semi")
    found = arrived.select(key).unionByName(superseded.select(key))
    if moved is not None:
        renamed = episodes.join(moved, on="episode_id", how="left_semi")
        found = found.unionByName(renamed.select(key))
    return found.distinct()


def _series(context: StepContext, entities: DataFrame, moved: DataFrame | None) -> list[Changes]:
    """What snapshot series say; a heartbeat alone repeats what stands before it."""
    episodes = context.warehouse.current("episodes").where(SNAPSHOT)
    touched = _touched(context, episodes, "series_id", moved)
    series = context.stage("timeline", "touched_series", touched)
    if series.isEmpty():
        return []
    desired = desired_rows(context, series, lambda rows: with_entities(context, rows, entities))
    staged = context.stage("timeline", "series", desired)
    mine = episodes.join(series, on="series_id", how="left_semi")
    return [_compared(context, staged, mine)]


def _ended(context: StepContext, entities: DataFrame, moved: DataFrame | None) -> list[Changes]:
    """Removals that mean an end: an `ends` for each claim of the version that stands before.

    It counts while both the removal and the version do.
    """
    episodes = context.warehouse.current("episodes").where(NOT_SNAPSHOT)
    removals = episodes.where("removed = 'ended'")
    if removals.isEmpty():
        return []
    touched = _touched(context, episodes, "item_id", moved)
    mine = removals.join(touched, on="item_id", how="left_semi")
    lapse = F.struct("superseded_at", *LAPSE)
    ending = mine.join(_supersessions(context), on="episode_id", how="left").select(
        F.col("episode_id").alias("removal"),
        "item_id",
        F.col("place").alias("removal_place"),
        F.col("known_at").alias("removal_known_at"),
        F.col("reference_time").alias("removal_time"),
        F.when(F.col("superseded_at").isNotNull(), lapse).alias("removal_lapse"),
    )
    versions = (
        episodes.where("removed IS NULL")
        .join(_supersessions(context), on="episode_id", how="left")
        .withColumn("lapse", F.when(F.col("superseded_at").isNotNull(), lapse))
        .select("episode_id", "item_id", "place", "lapse", "batch")
        .join(ending, on="item_id", how="inner")
        .where("place < removal_place")
    )
    claims = context.warehouse.current("statements").where("polarity = 'asserts'").drop("batch")
    told = claims.join(versions, on="episode_id", how="inner")
    ends = with_entities(context, told, entities)
    return [_compared(context, _as_ends(context, ends), mine)]


def _as_ends(context: StepContext, claims: DataFrame) -> DataFrame:
    none = F.lit(None)
    first = F.least("lapse", "removal_lapse")
    made = claims.withColumns(
        {
            "series_id": F.col("item_id"),
            "existed": F.col("batch") < context.batch.number,
            "statement_id": digest_column(
                context.salt, "ended", F.col("statement_id"), F.col("removal")
            ),
            "episode_id": F.col("removal"),
            "polarity": F.lit("ends"),
            "reference_time": F.col("removal_time"),
            "valid_at": none.cast("timestamp"),
            "invalid_at": none.cast("timestamp"),
            "valid_precision": none.cast("string"),
            "invalid_precision": none.cast("string"),
            "quote_start": F.lit(0).cast("long"),
            "quote_end": F.lit(0).cast("long"),
            "breaks_signature": F.lit(False),
            "created_at": F.greatest("known_at", "removal_known_at"),
            "expired_at": first["superseded_at"],
            **{name: first[name] for name in LAPSE},
        }
    )
    return made.where("expired_at IS NULL OR expired_at > created_at").select(*DESIRED.names)


def _compared(context: StepContext, desired: DataFrame, episodes: DataFrame) -> Changes:
    standing = (
        context.warehouse.open_before("resolved_statements")
        .drop(*LAPSE)
        .join(episodes.select("episode_id"), on="episode_id", how="left_semi")
    )
    batch = context.batch
    return changes_of(desired, standing, batch.known_at_column, batch.previous_known_at)
