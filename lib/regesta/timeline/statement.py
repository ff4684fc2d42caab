"""What the timeline function takes and gives: statements in, periods out.

Times are microseconds since 1970 in UTC, as int. Both types are tuples, because a night builds a
million of them out of columns: `map(Statement._make, zip(*columns))`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from regesta.model import FactKind, Polarity

EndReason = Literal["stated", "ended", "superseded", "covered", "believed"]
"""Why valid time ended.

- stated: a statement that supports the period says so itself
- ended: another statement gave the end, by an `ends` or by telling the fact with its end
- superseded: a rival took its place for good
- covered: a rival holds for a while, and the fact may hold again after it
- believed: only of disputed periods: from here on the fact is believed on other testimony
"""

LapseReason = Literal["revised", "withdrawn", "moved"]
"""Why a statement ceases to count.

- revised: a newer version of its record says otherwise or nothing of it, or a snapshot before it
  says the same already
- withdrawn: its source removed the record
- moved: it speaks of another entity now, because two were merged or one was parted
"""


class Statement(NamedTuple):
    """A statement between resolved subjects and objects, and the known time in which it counts.

    `object` is any key of an entity or a literal; it is None only where an `ends` or `retracts`
    names none. `retracts` says what a retraction takes back and means nothing elsewhere. The
    statement counts from `known_from` until before `known_until` (None: still), where `lapse` says
    why. `payload` is the caller's own. Statements of one `hyperedge` are the legs of one telling of
    a fact over more than two entities.
    """

    id: str
    subject: str
    relation: str
    object: str | None
    polarity: Polarity
    retracts: Literal["asserts", "ends"]
    reference_time: int
    position: int
    authority: int
    valid_at: int | None
    invalid_at: int | None
    temporary: bool
    known_from: int
    known_until: int | None
    valid_precision: str | None = None
    invalid_precision: str | None = None
    lapse: LapseReason = "withdrawn"
    payload: Any = None
    hyperedge: str | None = None


class Period(NamedTuple):
    """A span of valid time in which a triple is believed, or claimed but disputed.

    `start_known` is False where nobody stated the start; `start` is then the earliest reference
    time. `start_by` and `end_by` name the statements that give the bounds, the precisions are as
    these state them. `evidence` is the sorted ids of all statements that support the period. The
    `end` of an event is that of its stated span, else its start; None means still.
    """

    subject: str
    relation: str
    object: str
    kind: FactKind
    start: int
    start_known: bool
    end: int | None
    evidence: tuple[str, ...]
    start_by: str
    end_reason: EndReason | None
    end_by: str | None
    disputed: bool
    valid_precision: str | None
    invalid_precision: str | None
