"""Verdicts on pairs of facts: which pairs are rivals at which known time. Pure rules.

A verdict is a person's or a model's word that two triples contradict each other, or don't. At a
known time one verdict stands for a pair: a person's before a model's, then the one last said.
Triples that contradict each other are rivals, as if a relation had room for one of them only; what
the ontology makes rivals stays so. A group of triples that contradictions link, directly or over
others, of more than `most` triples is set aside: none of its contradictions counts while it is that
large. That needs only the verdicts, whatever the facts are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from regesta.linked import linked
from regesta.timeline.ontology import Rivals, TripleName


class Verdict(NamedTuple):
    """A word on two triples, and the known time in which it is about them.

    `stated_at` is when it was said. It is about these triples from `known_from` until before
    `known_until` (None: still), when an entity of them turned out to be another.
    """

    id: str
    left: TripleName
    right: TripleName
    contradicts: bool
    by_person: bool
    stated_at: int
    known_from: int
    known_until: int | None = None

    @property
    def pair(self) -> Rivals:
        """The two triples in order."""
        return (min(self.left, self.right), max(self.left, self.right))


@dataclass(slots=True)
class VerdictRow:
    """The verdict that stands for a pair, and the known time in which it does."""

    pair: Rivals
    verdict: str
    contradicts: bool
    set_aside: bool
    created_at: int
    expired_at: int | None = None
    payload: Any = None

    @property
    def said(self) -> tuple[str, bool, bool]:
        """What must be equal for a row to stay as it is."""
        return (self.verdict, self.contradicts, self.set_aside)


@dataclass(slots=True)
class VerdictChanges:
    """Rows that a call opened (perhaps closed again), and given rows that it closed."""

    opened: list[VerdictRow]
    closed: list[VerdictRow]


def verdict_changes(
    verdicts: Sequence[Verdict],
    open_rows: Iterable[VerdictRow],
    *,
    most: int,
    after: int | None = None,
) -> VerdictChanges:
    """Return what changes in which verdicts stand, at all known times later than `after`.

    `verdicts` are all of one graph, `open_rows` what is open after `after`.
    """
    standing = {row.pair: row for row in open_rows}
    given = {id(row) for row in standing.values()}
    changes = VerdictChanges([], [])
    times = {time for one in verdicts for time in (one.known_from, one.known_until)}
    for known in sorted(time for time in times if time is not None):
        if after is None or known > after:
            wanted = _wanted([one for one in verdicts if _counts(one, known)], known, most)
            for pair in sorted(standing.keys() | wanted.keys()):
                row, new = standing.get(pair), wanted.get(pair)
                if row is not None and (new is None or new.said != row.said):
                    row.expired_at = known
                    del standing[pair]
                    if id(row) in given:
                        changes.closed.append(row)
                if new is not None and pair not in standing:
                    standing[pair] = new
                    changes.opened.append(new)
    return changes


def _wanted(verdicts: Iterable[Verdict], known: int, most: int) -> dict[Rivals, VerdictRow]:
    standing = standing_verdicts(verdicts)
    aside = _set_aside((pair for pair, one in standing.items() if one.contradicts), most)
    return {
        pair: VerdictRow(pair, one.id, one.contradicts, one.contradicts and pair[0] in aside, known)
        for pair, one in standing.items()
    }


def standing_verdicts(verdicts: Iterable[Verdict]) -> Mapping[Rivals, Verdict]:
    """Return by pair the verdict that stands; one on a triple and itself stands for nothing."""
    found: dict[Rivals, Verdict] = {}
    for one in verdicts:
        if one.left != one.right:
            found[one.pair] = max(found.get(one.pair, one), one, key=_rank)
    return found


def _set_aside(pairs: Iterable[Rivals], most: int) -> set[TripleName]:
    groups = linked(pairs)
    return {name for group in groups if len(group) > most for name in group}


def _rank(verdict: Verdict) -> tuple[bool, int, str]:
    return (verdict.by_person, verdict.stated_at, verdict.id)


def _counts(verdict: Verdict, known: int) -> bool:
    until = verdict.known_until
    return verdict.known_from <= known and (until is None or known < until)
