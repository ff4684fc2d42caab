"""What audits find: each a row that should not be, with the audit's name and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from regesta import model
from regesta.errors import SnapshotError

MOST_EXAMPLES: Final = 3
"""Rows that are told of what one audit finds in one place; the others are counted."""
MOST_LINES: Final = 20

UNIQUE: Final = "ids are unique"
RESOLVES: Final = "every id resolves"
STANDS: Final = "nothing open points at what has expired"
ONE_PERIOD: Final = "a period is believed once"
EVIDENCE: Final = "every believed fact has evidence"
RIVALS: Final = "no two rivals are believed at one time"
KNOWN_TIME: Final = "known time grows"
COUNTS: Final = "what comes in comes out"

_DERIVED: Final = (
    "Compare with `regesta rebuild`: it derives the tables again from what was recorded and tells "
    "which rows differ; with --new-generation it puts the new ones in their place."
)
_RECORDED: Final = (
    "The table holds what arrived and can't be derived: put the warehouse back from a backup, or "
    "deliver the archive into a new one."
)


class Finding(NamedTuple):
    """A row that breaks an audit, as a sentence about it; `others` counts more of the same."""

    audit: str
    table: str
    key: str
    told: str
    others: int = 0

    def __str__(self) -> str:
        more = f" (and {self.others:,} more)" if self.others else ""
        return f"{self.audit}: {self.table} {self.key} {self.told}{more}"


class AuditError(SnapshotError):
    """Audits found something, so no snapshot is switched to."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        recorded = (*model.RECORDED, "batches")
        remedies = {_RECORDED if each.table in recorded else _DERIVED for each in findings}
        lines = [f"  - {each}" for each in findings[:MOST_LINES]]
        if len(findings) > MOST_LINES:
            lines.append(f"  - {len(findings) - MOST_LINES:,} findings more")
        head = "The snapshot was not published, the one before stays. Audits found:"
        super().__init__("\n".join([head, *lines, *sorted(remedies)]))
