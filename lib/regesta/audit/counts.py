"""What comes in comes out: the counts that the steps of batches told, against the tables' rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from regesta.audit.findings import COUNTS, KNOWN_TIME, Finding

COUNTED: Final = (
    *("episodes", "heartbeats", "rejected_rows"),
    *("mentions", "statements", "rejected_episodes"),
)
"""Tables whose rows name the batch that brought them, and are counted in it."""


@dataclass(frozen=True)
class AuditedBatch:
    """A batch: its known time in microseconds, what its steps told, and what the tables hold of it.

    `rows` maps a table of `COUNTED` to its rows of the batch, `latest` to their latest known time.
    `steps` is empty where the counts are not to be judged.
    """

    number: int
    known_at: int
    steps: Mapping[str, Mapping[str, Any]]
    rows: Mapping[str, int] = field(default_factory=dict)
    latest: Mapping[str, int] = field(default_factory=dict)


def counts(batch: AuditedBatch) -> Iterator[Finding]:
    """Find sums that don't add up, and tables that hold more or fewer rows than were told."""
    # A delivery without any row tells no counts but that it arrived.
    ingest, extract = Counter(batch.steps["ingest"]), batch.steps["extract"]
    into = sum(ingest[name] for name in ("new", "unchanged", "heartbeats", "rejected"))
    if ingest["read"] != into:
        yield _uneven(batch, "rejected_rows", f"{ingest['read']:,} rows were read, {into:,} kept")
    out = sum(extract[name] for name in ("out", "empty", "removed", "failed"))
    if extract["read"] != out:
        yield _uneven(batch, "statements", f"{extract['read']:,} episodes were read, {out:,} told")
    told = {
        "episodes": ingest["new"] + ingest["ended"],
        "heartbeats": ingest["heartbeats"],
        "rejected_rows": ingest["rejected"],
        "mentions": extract["mentions"],
        "statements": extract["statements"],
        "rejected_episodes": extract["failed"] + extract.get("aside", 0),
    }
    for table, expected in told.items():
        if (found := batch.rows.get(table, 0)) != expected:
            yield _uneven(batch, table, f"holds {found:,} rows of it, its steps told {expected:,}")


def known_times(batches: Sequence[AuditedBatch]) -> Iterator[Finding]:
    """Find batches, oldest first, that are not later than the one before or than their rows."""
    previous: AuditedBatch | None = None
    for batch in batches:
        if previous is not None and batch.known_at <= previous.known_at:
            told = f"is not known later than batch {previous.number}"
            yield Finding(KNOWN_TIME, "batches", f"batch {batch.number}", told)
        for table, latest in batch.latest.items():
            if latest > batch.known_at:
                told = "has rows that were known later than their batch"
                yield Finding(KNOWN_TIME, table, f"batch {batch.number}", told)
        previous = batch


def _uneven(batch: AuditedBatch, table: str, told: str) -> Finding:
    return Finding(COUNTS, table, f"batch {batch.number}", told)
