"""Rules 7 and 8: instants joined to periods, and events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from regesta.timeline.claims import FOREVER, Bound, Claim, Triple
from regesta.timeline.precedence import Cover
from regesta.timeline.statement import Period, Statement

_REASONS = ("covered", "believed", "stated", "ended", "superseded")
"""Reasons in the order in which they explain an end that several claims have in common."""


def join(triple: Triple, claims: Iterable[Claim], *, disputed: bool) -> list[Period]:
    """The maximal periods of one triple's claims."""
    periods: list[Period] = []
    joined: list[Claim] = []
    end = -FOREVER
    for claim in sorted(claims, key=attrgetter("start")):
        if claim.start >= claim.end:
            continue
        if joined and claim.start > end:
            periods.append(_period(triple, joined, end, disputed=disputed))
            joined = []
        end = max(end, claim.end) if joined else claim.end
        joined.append(claim)
    if joined:
        periods.append(_period(triple, joined, end, disputed=disputed))
    return periods


def _period(triple: Triple, claims: Sequence[Claim], end: int, *, disputed: bool) -> Period:
    first = _first(claims)
    closing = _closing(claims, end)
    opening = first.opening
    return Period(
        subject=triple.subject,
        relation=triple.relation,
        object=triple.object,
        kind="state",
        start=first.start,
        start_known=first.start_known,
        end=None if end == FOREVER else end,
        evidence=tuple(sorted({claim.statement.id for claim in claims})),
        start_by=first.statement.id if opening is None else opening.by,
        end_reason=None if closing is None else closing.reason,
        end_by=None if closing is None else closing.by,
        disputed=disputed,
        valid_precision=first.start_precision,
        invalid_precision=None if closing is None else closing.precision,
    )


def _testimony(told: Statement) -> tuple[int, int, int, str]:
    """The highest authority first, then the first said: later citations don't change a row."""
    return (-told.authority, told.reference_time, told.position, told.id)


def _first(claims: Sequence[Claim]) -> Claim:
    """Of the claims that start a period the one that gives its start."""
    if len(claims) == 1:
        return claims[0]
    start = claims[0].start
    starting = [claim for claim in claims if claim.start == start]
    return min(starting, key=lambda claim: (not claim.start_known, _testimony(claim.statement)))


def _closing(claims: Sequence[Claim], end: int) -> Bound | None:
    """Of the claims that hold to the end of a period the bound of the one that explains it."""
    if len(claims) == 1 or end == FOREVER:
        return claims[0].closing if end != FOREVER else None
    closings = [
        (_REASONS.index(claim.closing.reason), _testimony(claim.statement), claim.closing)
        for claim in claims
        if claim.end == end and claim.closing is not None
    ]
    return min(closings, key=lambda closing: closing[:2])[2]


def spans_of(periods: Iterable[Period]) -> list[Cover]:
    """Believed periods as spans that the disputed claims of their triple give way to."""
    return [
        Cover(
            start=period.start,
            end=FOREVER if period.end is None else period.end,
            closing=Bound("believed", period.start_by, period.valid_precision),
            opening=Bound("ended", period.end_by or period.start_by, period.invalid_precision),
        )
        for period in periods
    ]


def happenings(triple: Triple) -> list[Period]:
    """The periods of an event: all tellings with the same start are one (rule 8)."""
    by_start: dict[int, list[Statement]] = {}
    for told in triple.tellings:
        start = told.reference_time if told.valid_at is None else told.valid_at
        by_start.setdefault(start, []).append(told)
    return [_happening(triple, start, told) for start, told in sorted(by_start.items())]


def _happening(triple: Triple, start: int, told: Sequence[Statement]) -> Period:
    ranked = sorted(told, key=_testimony)
    first = next((s for s in ranked if s.valid_at is not None), ranked[0])
    spanned = next((s for s in ranked if s.invalid_at is not None), None)
    return Period(
        subject=triple.subject,
        relation=triple.relation,
        object=triple.object,
        kind="event",
        start=start,
        start_known=first.valid_at is not None,
        end=start if spanned is None else spanned.invalid_at,
        evidence=tuple(sorted(statement.id for statement in told)),
        start_by=first.id,
        end_reason=None if spanned is None else "stated",
        end_by=None if spanned is None else spanned.id,
        disputed=False,
        valid_precision=first.valid_precision,
        invalid_precision=None if spanned is None else spanned.invalid_precision,
    )
