"""Which sections a document has no more when it comes again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.ids import digest
from regesta.sources.checks import DOCUMENT_FORMATS
from regesta.sources.declaration import Source
from regesta.sources.stored import ENDED_CONTENT, Stored
from regesta.sources.versions import ABSENT

_DOCUMENT: Final = ("source", "thread_id")
_ITEM: Final = ("item_id", "series_id", "source", "source_id")
_DELIVERY: Final = ("known_at", "place", "own_known_at", "reference_time")


def absent_sections(
    rows: DataFrame, stored: Stored, sources: Sequence[Source], *, salt: str
) -> DataFrame | None:
    """Return what withdraws the sections that documents among `rows` have no more; None: no source
    has documents.

    A document is what shares a thread. Of several deliveries in one batch the one known last
    counts. One with a rejected row withdraws nothing: what it has is not known.

    Columns: those of arrivals (see `judging`), without file and row.
    """
    names = [source.source for source in sources if _has_documents(source)]
    if not names:
        return None
    read = _whole_documents(rows.where(F.col("source").isin(*names)))
    newest = read.groupBy(*_DOCUMENT).agg(F.max(F.struct(*_DELIVERY)).alias("newest"))
    marked = read.join(newest, on=[*_DOCUMENT], how="inner")
    present = marked.where(F.col("known_at") == F.col("newest.known_at")).select("item_id")
    before = _standing(stored, newest).unionByName(
        marked.where(F.col("known_at") < F.col("newest.known_at")).select(
            *_ITEM, "group_id", "thread_id"
        )
    )
    # One item may have stood in several groups or documents: the greatest names are taken.
    gone = (
        before.join(present, on="item_id", how="left_anti")
        .groupBy(*_ITEM)
        .agg(F.max(F.struct("thread_id", "group_id")).alias("last"))
        .select(*_ITEM, "last.*")
    )
    return gone.join(newest, on=[*_DOCUMENT], how="inner").select(*_withdrawn(salt))


def _has_documents(source: Source) -> bool:
    is_versioned = source.mode != "snapshot"  # there, a record that is listed no more has ended
    return source.format in DOCUMENT_FORMATS and is_versioned


def _whole_documents(rows: DataFrame) -> DataFrame:
    damaged = rows.where(F.col("reason").isNotNull()).select("file").distinct()
    told = F.col("reason").isNull() & F.col("removed").isNull() & F.col("thread_id").isNotNull()
    return rows.where(told).join(damaged, on="file", how="left_anti")


def _standing(stored: Stored, newest: DataFrame) -> DataFrame:
    return (
        stored.episodes.where(F.col("removed").isNull())
        .join(newest.select(*_DOCUMENT), on=[*_DOCUMENT], how="left_semi")
        .join(stored.supersessions.select("episode_id"), on="episode_id", how="left_anti")
        .select(*_ITEM, "group_id", "thread_id")
    )


def _withdrawn(salt: str) -> list[Column]:
    return [
        *(F.col(name) for name in (*_ITEM, "group_id")),
        *(F.col(f"newest.{name}").alias(name) for name in _DELIVERY),
        F.lit(digest(salt, "content", ENDED_CONTENT)).alias("content_hash"),
        F.lit("withdrawn").alias("removed"),
        F.lit(None).cast("int").alias("file"),
        F.lit(None).cast("long").alias("row_number"),
        F.lit(ABSENT).alias("kind"),
    ]
