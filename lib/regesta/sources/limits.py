"""What a source allows: a share of rejected rows, a share of records that a delivery may drop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.errors import InputError
from regesta.sources.declaration import Source
from regesta.sources.listing import SourceFile
from regesta.sources.stored import Stored
from regesta.sources.times import iso_text
from regesta.sources.versions import Delivery

_REASONS_SHOWN: Final = 3


def check_rejected(
    rows: DataFrame,
    counts: Mapping[str, Mapping[str, int]],
    sources: Sequence[Source],
    files: Sequence[SourceFile],
) -> None:
    """Raise InputError where more rows of a source were rejected than it allows.

    `counts` maps a source to the numbers of rows `read` and `rejected`; `files` are those read.
    """
    paths = {file.number: file.path for file in files}
    for source in sources:
        counted = counts.get(source.source, {"read": 0, "rejected": 0})
        if counted["rejected"] <= source.max_rejected_share * counted["read"]:
            continue
        raise InputError(
            f"source {source.source!r}: {counted['rejected']:,} of {counted['read']:,} rows "
            f"rejected, more than max_rejected_share {source.max_rejected_share:g} allows; "
            f"most often:\n{_reasons(rows, source.source, paths)}\n"
            "Correct the files or the declaration, or raise max_rejected_share. "
            "Nothing was written."
        )


def _reasons(rows: DataFrame, source: str, paths: Mapping[int, str]) -> str:
    """Return the most common reasons with their count, and where each stands first."""
    rejected = rows.where((F.col("source") == source) & F.col("reason").isNotNull())
    kind = F.substring_index("reason", ":", 1)
    common = (
        rejected.groupBy(kind.alias("kind"))
        .agg(
            F.count(F.lit(1)).alias("rows"),
            F.min(F.struct("file", "row_number", "reason")).alias("first"),
        )
        .orderBy(F.desc("rows"), "kind")
        .limit(_REASONS_SHOWN)
    )
    return "\n".join(
        f"  {count:,} x {reason} (first in {paths[file]}, row {number})"
        for count, (file, number, reason) in common.select("rows", "first").collect()
    )


def check_drops(
    rows: DataFrame,
    stored: Stored,
    verdicts: DataFrame,
    sources: Sequence[Source],
    *,
    deliveries: Mapping[str, Sequence[Delivery]],
) -> None:
    """Raise InputError where a complete delivery lacks more records than the source allows.

    `deliveries` are those of each complete source, by reference time.
    """
    limits = {one.source: one.largest_drop for one in sources if one.largest_drop is not None}
    if not limits:
        return
    gone = (
        verdicts.where((F.col("kind") == "gone") & F.col("source").isin(*limits))
        .groupBy("source", "reference_time")
        .agg(F.count(F.lit(1)).alias("gone"))
    )
    for source, time, absent in sorted(map(tuple, gone.collect())):
        before = max(d.reference_time for d in deliveries[source] if d.reference_time < time)
        known = _records_listed(rows, stored, source, before)
        if absent > limits[source] * known:
            raise InputError(
                f"source {source!r}: the delivery of {iso_text(time)} lacks {absent:,} of the "
                f"{known:,} records of the one before ({iso_text(before)}), more than largest_drop "
                f"{limits[source]:g} allows.\n"
                "Deliver it again in full, or raise largest_drop if those records did end. "
                "Nothing was written."
            )


def _records_listed(rows: DataFrame, stored: Stored, source: str, time: int) -> int:
    """Return how many records of a source the delivery of one reference time lists."""
    arrived = rows.where(F.col("removed").isNull() & F.col("series_id").isNotNull())
    known = stored.episodes.where(F.col("removed").isNull())
    listed = [
        arrived.select("source", "series_id", "reference_time"),
        *(
            table.select(
                "source",
                "series_id",
                F.unix_micros("reference_time").alias("reference_time"),
            )
            for table in (known, stored.heartbeats)
        ),
    ]
    here = (F.col("source") == source) & (F.col("reference_time") == time)
    return listed[0].union(listed[1]).union(listed[2]).where(here).distinct().count()
