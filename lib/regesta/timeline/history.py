"""The timeline function over known time: what opens and what closes at each slice.

A slice is a known time at which some statement begins or ceases to count. What is believed at a
slice is compared with what is open, and only the difference becomes rows, so that one call over
many known times and one call for each of them give the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from regesta.timeline.causes import Belief, Cause, ExpiryReason, Judgement, Rivalry, Slice
from regesta.timeline.claims import TripleKey
from regesta.timeline.components import components
from regesta.timeline.ontology import Ontology
from regesta.timeline.rules import believed
from regesta.timeline.statement import Period, Statement

RowKey = tuple[str, str, str, int]
"""Subject, relation, object, start: at one known time at most one row is open for it."""

_Row = TypeVar("_Row", "FactRow", "EvidenceRow")


@dataclass(slots=True)
class FactRow:
    """A period and the known time in which it is believed; `payload` is the caller's own.

    `expiry_reason` and `cause` say why and by which news the belief ended.
    """

    period: Period
    created_at: int
    expired_at: int | None = None
    expiry_reason: ExpiryReason | None = None
    cause: Cause | Judgement | None = None
    payload: Any = None

    @property
    def key(self) -> RowKey:
        """What makes it unique among open rows."""
        period = self.period
        return (period.subject, period.relation, period.object, period.start)


@dataclass(slots=True)
class EvidenceRow:
    """A statement's support of a period, and the known time in which that is believed."""

    subject: str
    relation: str
    object: str
    start: int
    statement_id: str
    created_at: int
    expired_at: int | None = None
    payload: Any = None

    @property
    def key(self) -> RowKey:
        """The key of the row of facts it supports."""
        return (self.subject, self.relation, self.object, self.start)


@dataclass(slots=True)
class OpenRows:
    """Rows of facts and of evidence that are open; `evidence` of a row's period is not used."""

    facts: Sequence[FactRow] = ()
    evidence: Sequence[EvidenceRow] = ()


@dataclass(slots=True)
class Changes:
    """What a call adds: rows it opened (perhaps closed again), and given rows it closed."""

    opened_facts: list[FactRow] = field(default_factory=list)
    opened_evidence: list[EvidenceRow] = field(default_factory=list)
    closed_facts: list[FactRow] = field(default_factory=list)
    closed_evidence: list[EvidenceRow] = field(default_factory=list)

    def sort(self) -> None:
        """Bring all rows into an order that does not depend on that of the input."""
        for facts in (self.opened_facts, self.closed_facts):
            facts.sort(key=lambda row: (row.key, row.created_at))
        for evidence in (self.opened_evidence, self.closed_evidence):
            evidence.sort(key=lambda row: (row.key, row.statement_id, row.created_at))


def history(
    statements: Sequence[Statement],
    ontology: Ontology,
    open_rows: OpenRows,
    *,
    after: int | None = None,
    rivalries: Sequence[Rivalry] = (),
) -> Changes:
    """The changes at all slices later than `after` (microseconds UTC; None: at all slices).

    `rivalries` make pairs of triples rivals that the ontology does not. A slice is also where one
    of them begins or ends.

    `statements` are all those of the conflict keys concerned that count at some slice, `open_rows`
    what is open after `after`. Given rows that a slice closes come back as they are, objects and
    payload, with `expired_at`, `expiry_reason` and `cause` set. A period of the rows read back from
    a table may leave `evidence` empty and `start_by` as "": neither is compared.
    """
    facts = _by_fact(open_rows.facts)
    evidence = _by_fact(open_rows.evidence)
    changes = Changes()
    rivals = _by_triple(rivalries)
    everyone = ontology.with_rivals(one.pair for one in rivalries) if rivalries else ontology
    for part in components(statements, everyone):
        names = dict.fromkeys(statement[1:4] for statement in part)
        judged = {one: None for name in names for one in rivals.get(name, ())} if rivals else ()
        slices = _slices([*part, *judged], after)
        if slices:
            run = _Run(after, changes)
            for name in names:
                run.take_over(facts.get(name, ()), evidence.get(name, ()))
            for known in slices:
                run.slice(Slice(known, part, ontology, list(judged)))
    changes.sort()
    return changes


def _by_fact(rows: Iterable[_Row]) -> dict[tuple[Any, ...], list[_Row]]:
    found: dict[tuple[Any, ...], list[_Row]] = {}
    for row in rows:
        found.setdefault(row.key[:3], []).append(row)
    return found


def _by_triple(rivalries: Iterable[Rivalry]) -> dict[TripleKey, list[Rivalry]]:
    found: dict[TripleKey, list[Rivalry]] = {}
    for one in rivalries:
        for name in one.pair:
            found.setdefault(name, []).append(one)
    return found


def _slices(known: Sequence[Statement | Rivalry], after: int | None) -> list[int]:
    times = {one.known_from for one in known}
    times.update(one.known_until for one in known if one.known_until is not None)
    return sorted(time for time in times if after is None or time > after)


class _Run:
    """What is open of one component, slice by slice."""

    def __init__(self, after: int | None, changes: Changes) -> None:
        self.after = after
        self.changes = changes
        self.facts: dict[RowKey, FactRow] = {}
        self.evidence: dict[RowKey, dict[str, EvidenceRow]] = {}

    def take_over(self, facts: Iterable[FactRow], evidence: Iterable[EvidenceRow]) -> None:
        """Begin with rows opened by earlier calls."""
        self.facts.update((row.key, row) for row in facts)
        for row in evidence:
            self.evidence.setdefault(row.key, {})[row.statement_id] = row

    def slice(self, at: Slice) -> None:
        """Close and open what the belief at this known time changes."""
        periods = {
            (period.subject, period.relation, period.object, period.start): period
            for period in believed(at.counting, at.ontology)
        }
        at.believe(periods.values())
        for key in [*self.facts]:
            self._close_fact(key, at, periods)
        for key in [*self.evidence]:
            self._close_evidence(key, at.known, periods.get(key))
        for key, period in periods.items():
            self._open(key, at.known, period)

    def _close_fact(self, key: RowKey, at: Slice, periods: Mapping[RowKey, Period]) -> None:
        row, period = self.facts[key], periods.get(key)
        if period is not None and _same(row.period, period):
            return
        belief = Belief(row.period, period, self.evidence.get(key, ()))
        row.expired_at = at.known
        row.expiry_reason, row.cause = at.explain(belief)
        del self.facts[key]
        if self._given(row):
            self.changes.closed_facts.append(row)

    def _close_evidence(self, key: RowKey, known: int, period: Period | None) -> None:
        rows = self.evidence[key]
        for statement_id in rows.keys() - set(() if period is None else period.evidence):
            row = rows.pop(statement_id)
            row.expired_at = known
            if self._given(row):
                self.changes.closed_evidence.append(row)
        if not rows:
            del self.evidence[key]

    def _given(self, row: FactRow | EvidenceRow) -> bool:
        return self.after is not None and row.created_at <= self.after

    def _open(self, key: RowKey, known: int, period: Period) -> None:
        if key not in self.facts:
            self.facts[key] = FactRow(period, known)
            self.changes.opened_facts.append(self.facts[key])
        rows = self.evidence.setdefault(key, {})
        for statement_id in period.evidence:
            if statement_id not in rows:
                rows[statement_id] = EvidenceRow(*key, statement_id, known)
                self.changes.opened_evidence.append(rows[statement_id])


def _same(old: Period, new: Period) -> bool:
    return _compared(old) == _compared(new)


def _compared(period: Period) -> tuple[object, ...]:
    return (
        period.kind,
        period.start_known,
        period.end,
        period.end_reason,
        period.end_by,
        period.disputed,
        period.valid_precision,
        period.invalid_precision,
    )
