"""The ingest step: what is new in the archives, into episodes and the tables beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.parallel import together
from regesta.session import suit
from regesta.sources.declaration import Source
from regesta.sources.episodes import Ingested
from regesta.sources.episodes import ingest as read_archives
from regesta.sources.listing import SourceFile, new_files
from regesta.sources.stored import Stored

TABLES = {
    "episodes": "episodes",
    "supersessions": "supersessions",
    "heartbeats": "heartbeats",
    "rejected_rows": "rejected",
    "deliveries": "deliveries",
}


STORED = ("episodes", "supersessions", "heartbeats", "deliveries")
ARCHIVES = "archives.json"
"""The files that a batch reads, kept beside its plan once their rows are staged and judged."""


def ingest(context: StepContext, sources: Sequence[Source]) -> dict[str, Any]:
    """Append what the sources' new files bring to `TABLES`.

    Nothing is written before all is read and judged; from then on the batch keeps to these rows,
    also when it is taken up again and the archives have changed. Returns the counts over all
    sources, `arrived` (whether there was any file to read) and the counts of each source.

    Raises:
        InputError: an archive is missing, too many rows were rejected, or too many records are
            absent from a complete delivery; nothing was written then.
    """
    warehouse, name = context.warehouse, f"batches/{context.batch.number}/{ARCHIVES}"
    is_fixed = warehouse.files.exists(name)
    if is_fixed:
        files = [SourceFile(*file) for file in warehouse.files.read_json(name)]
    else:
        files = new_files(context.spark, sources, warehouse.before("deliveries"))
    if not files:
        return {"arrived": False}
    arrived = sum(file.size for file in files)
    context.report(f"{len(files):,} files, {arrived / 1e6:,.1f} MB")
    suit(context.spark, arrived + delivered(warehouse.before("deliveries")))
    found = read_archives(
        context.spark,
        sources,
        Stored(*(warehouse.before(table) for table in STORED)),
        files,
        batch=context.batch,
        salt=context.salt,
        staging=context.staging("ingest", "archives"),
        rows_are_staged=is_fixed,
    )
    if not is_fixed:
        warehouse.files.write(name, json.dumps(files))
    totals: Counter[str] = Counter()
    for counts in found.counts.values():
        totals.update(counts)
    together(*_writes(context, found, totals))
    by_source = {key: dict(counts) for key, counts in found.counts.items()}
    return {"arrived": True, **totals, "sources": by_source}


def _writes(
    context: StepContext, found: Ingested, totals: Mapping[str, int]
) -> list[Callable[[], int]]:
    """Return what appends the tables; what is counted needs no query to know that there is some."""
    counted = {
        "episodes": totals["new"] + totals["ended"],
        "heartbeats": totals["heartbeats"],
        "rejected_rows": totals["rejected"],
        "deliveries": 1,
    }
    warehouse = context.warehouse
    return [
        partial(
            warehouse.append_some if table in counted else warehouse.append,
            *(table, getattr(found, attribute)),
            batch=context.batch.number,
        )
        for table, attribute in TABLES.items()
        if counted.get(table, 1)
    ]


def delivered(deliveries: DataFrame) -> int:
    """Return how many bytes were read according to rows of `deliveries`."""
    total = deliveries.agg(F.sum("size")).first()
    return int(total[0] or 0) if total else 0
