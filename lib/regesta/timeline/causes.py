"""Why a belief ends: the reason, and the piece of news at its known time that brought it about.

A slice's news are the statements that begin to count at it and those that cease to. Which of them
is named depends on what counts at the slice and just before it alone, so that nights and a rebuild
name the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Literal, NamedTuple

from regesta.timeline.claims import TripleKey, counted
from regesta.timeline.components import components
from regesta.timeline.legs import whole
from regesta.timeline.ontology import Ontology, Rivals, Slot
from regesta.timeline.statement import Period, Statement

ExpiryReason = Literal[
    "ended", "superseded", "extended", "corrected", "disputed", "confirmed", "overruled",
    "retracted", "revised", "withdrawn", "moved",
]  # fmt: skip
"""Why the belief in a row ended.

The period goes on being believed from the same start, but
- ended: with an end, or an earlier one, which is stated or given
- superseded: with an end, or an earlier one, because a rival takes its place or covers it
- extended: with a later end, or none
- disputed, confirmed: it was believed and is disputed now, or the reverse
- corrected: with other precisions or another explanation of its bounds

No period has this start any more:
- corrected: the fact has another period that overlaps it, with a moved start
- overruled: statements that supported it still count, but do not prevail
- retracted: those that still count were all taken back
- revised, withdrawn, moved: none of them counts any more, as `LapseReason` says of the last ones
"""

_LAPSES = ("withdrawn", "revised", "moved")


class Rivalry(NamedTuple):
    """Two triples that a verdict makes rivals, and the known time in which it does."""

    pair: Rivals
    verdict: str
    known_from: int
    known_until: int | None


class Cause(NamedTuple):
    """A statement that began to count (`arrived`) or ceased to."""

    statement: Statement
    arrived: bool


class Judgement(NamedTuple):
    """A rivalry that began to count (`arrived`) or ceased to."""

    rivalry: Rivalry
    arrived: bool


class Belief(NamedTuple):
    """A period that is given up, the one of the same start instead, and what supported it."""

    was: Period
    now: Period | None
    cited: Collection[str]


def counts(told: Statement | Rivalry, known: int) -> bool:
    """Return whether a statement or a rivalry counts at a known time."""
    until = told.known_until
    return told.known_from <= known and (until is None or known < until)


class Slice:
    """What counts, what is news and what is believed at one known time, of one component."""

    def __init__(
        self,
        known: int,
        part: Sequence[Statement],
        ontology: Ontology,
        rivalries: Sequence[Rivalry] = (),
    ) -> None:
        self.known = known
        self.counting = [statement for statement in part if counts(statement, known)]
        self.ontology = ontology
        self._before_too = ontology
        if rivalries:
            now = [one.pair for one in rivalries if counts(one, known)]
            ended = [one.pair for one in rivalries if one.known_until == known]
            self.ontology = ontology.with_rivals(now)
            self._before_too = ontology.with_rivals(dict.fromkeys([*now, *ended]))
        self._rivalries = rivalries
        self._part = part
        self._periods: Collection[Period] = ()

    def believe(self, periods: Collection[Period]) -> None:
        """Take what is believed now, before beliefs given up are explained."""
        self._periods = periods

    def explain(self, belief: Belief) -> tuple[ExpiryReason, Cause | Judgement | None]:
        """Return why a belief ends, and by which news; None only if there is none at all."""
        reason = self._reason(belief)
        end_by = None if belief.now is None else belief.now.end_by
        if end_by is not None and end_by in self._arrived:
            return reason, self._arrived[end_by]  # so it is with most of them, by far
        found = (cause for cause in self._candidates(belief, reason) if cause is not None)
        return reason, next(found, None)

    def _reason(self, belief: Belief) -> ExpiryReason:
        if belief.now is not None:
            return _changed(belief.was, belief.now)
        if any(_overlap(belief.was, other) for other in self._by_triple[belief.was[:3]]):
            return "corrected"
        # A statement whose entity moved still counts, but for another triple.
        triple = belief.was[:3]
        still = {s.id for s in self.counting if s.id in belief.cited and s[1:4] == triple}
        if not still:
            lapsed = self._best_lapsed(belief.cited)
            return "withdrawn" if lapsed is None else lapsed.statement.lapse
        return "retracted" if still.isdisjoint(self._not_taken_back) else "overruled"

    def _candidates(
        self, belief: Belief, reason: ExpiryReason
    ) -> Iterator[Cause | Judgement | None]:
        """Yield what may have ended a belief, the most telling first."""
        was, now = belief.was, belief.now
        if now is not None and now.end != was.end:
            yield self._lapsed.get(was.end_by or "")
        if reason == "retracted":
            yield self._taken_back(was)
        yield self._best_lapsed(belief.cited)
        yield self._taken_back(was)
        if reason in ("overruled", "disputed", "corrected"):
            yield self._prevailing(was)
        yield self._same_triple(was)
        yield self._judged(was)
        yield self._rival(was)
        yield self._linked.get(was[:3])

    @cached_property
    def _arrived(self) -> Mapping[str, Cause]:
        return {s.id: Cause(s, arrived=True) for s in self.counting if s.known_from == self.known}

    @cached_property
    def _lapsed(self) -> Mapping[str, Cause]:
        return {
            s.id: Cause(s, arrived=False)
            for s in self._part
            if s.known_until == self.known and s.known_from < self.known
        }

    @cached_property
    def _news(self) -> Mapping[TripleKey, list[Cause]]:
        """The news by triple, what arrived first, then by weight."""
        found: dict[TripleKey, list[Cause]] = defaultdict(list)
        for cause in sorted([*self._arrived.values(), *self._lapsed.values()], key=_weight):
            found[cause.statement[1:4]].append(cause)
        return found

    @cached_property
    def _by_triple(self) -> Mapping[TripleKey, list[Period]]:
        found: dict[TripleKey, list[Period]] = defaultdict(list)
        for period in self._periods:
            found[period[:3]].append(period)
        return found

    @cached_property
    def _not_taken_back(self) -> frozenset[str]:
        left = whole(self.counting, counted(self.counting))
        return frozenset(statement.id for statement in left)

    @cached_property
    def _holders(self) -> Mapping[Slot, list[Period]]:
        """Who is believed to fill a slot, by start; no two of them at one instant."""
        found: dict[Slot, list[Period]] = defaultdict(list)
        for period in sorted(self._periods, key=attrgetter("start")):
            if not period.disputed:
                for slot, _ in self.ontology.slots(*period[:3]):
                    found[slot].append(period)
        return found

    @cached_property
    def _rivalling(self) -> Mapping[Slot, Mapping[str, Cause]]:
        """By slot and token the weightiest news that fill it."""
        found: dict[Slot, dict[str, Cause]] = defaultdict(dict)
        for (subject, relation, target), news in self._news.items():
            if target is not None:
                for slot, token in self._before_too.slots(subject, relation, target):
                    found[slot][token] = min([*news, *_given(found[slot], token)], key=_weight)
        return {
            slot: dict(sorted(tokens.items(), key=lambda one: _weight(one[1])))
            for slot, tokens in found.items()
        }

    def _best_lapsed(self, cited: Iterable[str]) -> Cause | None:
        lapsed = [self._lapsed[name] for name in cited if name in self._lapsed]
        return min(lapsed, key=_lapse_weight, default=None)

    def _taken_back(self, was: Period) -> Cause | None:
        """A retraction of something said of the triple, or one that no longer counts."""
        return next((c for c in self._of(was) if c.statement.polarity == "retracts"), None)

    def _of(self, was: Period) -> Iterator[Cause]:
        yield from self._news.get(was[:3], ())
        for subject, relation in self.ontology.ends_of(was.subject, was.relation, was.object):
            yield from self._news.get((subject, relation, None), ())

    def _prevailing(self, was: Period) -> Cause | None:
        """News in the evidence of the rival that is believed at the start of what was."""
        for slot, _ in self.ontology.slots(*was[:3]):
            holders = self._holders.get(slot, [])
            place = bisect_right(holders, was.start, key=attrgetter("start"))
            if place and holders[place - 1][:3] != was[:3]:
                cited = holders[place - 1].evidence
                found = [self._arrived[name] for name in cited if name in self._arrived]
                if found:
                    return min(found, key=_weight)
        return None

    def _same_triple(self, was: Period) -> Cause | None:
        cited = {name for period in self._by_triple[was[:3]] for name in period.evidence}
        return min(
            self._of(was),
            key=lambda cause: (not cause.arrived, cause.statement.id not in cited, _weight(cause)),
            default=None,
        )

    def _rival(self, was: Period) -> Cause | None:
        found = [
            next((cause for token, cause in by_token.items() if token != own), None)
            for slot, own in self._before_too.slots(*was[:3])
            if (by_token := self._rivalling.get(slot)) is not None
        ]
        return min((cause for cause in found if cause is not None), key=_weight, default=None)

    @cached_property
    def _verdicts(self) -> Mapping[TripleKey, list[Judgement]]:
        """The rivalries that are news, by triple."""
        found: dict[TripleKey, list[Judgement]] = defaultdict(list)
        for one in self._rivalries:
            arrived = one.known_from == self.known and one.known_until != self.known
            if arrived or (one.known_until == self.known and one.known_from < self.known):
                for name in one.pair:
                    found[name].append(Judgement(one, arrived))
        return found

    def _judged(self, was: Period) -> Judgement | None:
        return min(self._verdicts.get(was[:3], ()), key=_verdict_weight, default=None)

    @cached_property
    def _linked(self) -> Mapping[TripleKey, Cause | Judgement]:
        """By triple the weightiest news of all that it is connected with at this time."""
        near = [*self.counting, *(cause.statement for cause in self._lapsed.values())]
        found: dict[TripleKey, Cause | Judgement] = {}
        for part in components(near, self._before_too):
            names = {statement[1:4] for statement in part}
            news = [self._news[name][0] for name in names if name in self._news]
            judged = [one for name in names for one in self._verdicts.get(name, ())]
            if news:
                found |= dict.fromkeys(names, min(news, key=_weight))
            elif judged:
                found |= dict.fromkeys(names, min(judged, key=_verdict_weight))
        return found


def _given(causes: Mapping[str, Cause], token: str) -> list[Cause]:
    return [causes[token]] if token in causes else []


def _weight(cause: Cause) -> tuple[object, ...]:
    """What arrived before what ceased to count; the highest authority, then the last said."""
    told = cause.statement
    return (not cause.arrived, -told.authority, -told.reference_time, -told.position, told.id)


def _verdict_weight(judgement: Judgement) -> tuple[object, ...]:
    return (not judgement.arrived, judgement.rivalry.pair, judgement.rivalry.verdict)


def _lapse_weight(cause: Cause) -> tuple[object, ...]:
    return (_LAPSES.index(cause.statement.lapse), _weight(cause))


def _changed(old: Period, new: Period) -> ExpiryReason:
    """The reason for which a row gives way to another one of the same start."""
    if old.disputed != new.disputed:
        return "disputed" if new.disputed else "confirmed"
    if old.end == new.end:
        return "corrected"
    if new.end is None or (old.end is not None and old.end < new.end):
        return "extended"
    return "superseded" if new.end_reason in ("superseded", "covered") else "ended"


def _overlap(old: Period, new: Period) -> bool:
    """Whether two periods of one triple have an instant in common."""
    return (new.end is None or old.start < new.end) and (old.end is None or new.start < old.end)
