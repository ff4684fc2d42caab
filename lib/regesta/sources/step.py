"""The ingest step: what is new in the archives, into episodes and the tables beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regesta.context import StepContext
from regesta.sources.declaration import Source
from regesta.sources.episodes import Ingested
from regesta.sources.episodes import ingest as read_archives
from regesta.sources.judging import Stored

TABLES = {
    "episodes": "episodes",
    "supersessions": "supersessions",
    "heartbeats": "heartbeats",
    "rejected_rows": "rejected",
    "deliveries": "deliveries",
}


def ingest(context: StepContext, sources: Sequence[Source]) -> dict[str, Any]:
    """Append what the sources' new files bring to `TABLES`.

    Returns the counts over all sources, `arrived` (whether any file was read) and the counts of
    each source.

    Raises:
        InputError: an archive is missing, too many rows were rejected, or too many records are
            absent from a complete delivery; nothing was written then.
    """
    warehouse = context.warehouse
    stored = Stored(
        episodes=warehouse.before("episodes"),
        supersessions=warehouse.before("supersessions"),
        heartbeats=warehouse.before("heartbeats"),
        deliveries=warehouse.before("deliveries"),
    )
    found = read_archives(
        context.spark,
        sources,
        stored,
        batch=context.batch,
        salt=context.salt,
        staging=context.staging("ingest", "archives"),
    )
    if not found.counts:
        return {"arrived": False}
    _append(context, found)
    totals: dict[str, Any] = {"arrived": True}
    for counts in found.counts.values():
        for name, count in counts.items():
            totals[name] = totals.get(name, 0) + count
    return {**totals, "sources": {name: dict(counts) for name, counts in found.counts.items()}}


def _append(context: StepContext, found: Ingested) -> None:
    for table, name in TABLES.items():
        context.warehouse.append(table, getattr(found, name), batch=context.batch.number)
