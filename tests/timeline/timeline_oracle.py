"""The timeline rules, evaluated literally and slowly, one point of the two time axes at a time.

Written from the text of the rules; it shares no code with their implementation, only the type of a
statement and the declarations of relations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from regesta.timeline.ontology import Ontology
from regesta.timeline.statement import Statement

NEVER = 10**18
TripleName = tuple[str, str, str]


@dataclass(frozen=True)
class Claim:
    statement: Statement
    start: int
    end: int

    @property
    def triple(self) -> TripleName:
        return triple_of(self.statement)

    @property
    def is_open(self) -> bool:
        return self.end == NEVER


def triple_of(statement: Statement) -> TripleName:
    return (statement.subject, statement.relation, statement.object)


def or_else(stated: int | None, otherwise: int) -> int:
    return otherwise if stated is None else stated


def said(statement: Statement) -> tuple[int, int]:
    return (statement.reference_time, statement.position)


class Oracle:
    """What is believed at a known time, judged anew for every question about a valid time."""

    def __init__(self, statements, ontology: Ontology, known: int, judged=()):
        """`judged` are pairs of triples, in either order, that contradict each other then."""
        self.ontology = ontology
        self.judged = {frozenset(pair) for pair in judged}
        self.known = [
            s
            for s in statements
            if s.known_from <= known and (s.known_until is None or known < s.known_until)
        ]
        self.counted = [s for s in self.known if s.polarity != "retracts" and not self.is_back(s)]
        self.claims = [claim for s in self.counted for claim in self.claims_of(s)]
        self.end_of = cache(self.end_of)
        self.is_disputed = cache(self.is_disputed)
        self.last_instant = cache(self.last_instant)

    # rule 1
    def is_back(self, statement) -> bool:
        for taking in self.known:
            if taking.polarity != "retracts" or taking.retracts != statement.polarity:
                continue
            if triple_of(taking) != triple_of(statement):
                continue
            no_later = statement.reference_time <= taking.reference_time
            no_higher = statement.authority <= taking.authority
            if no_later and no_higher and self.same_occurrence(taking, statement):
                return True
        return False

    def same_occurrence(self, taking, statement) -> bool:
        if statement.polarity == "asserts":
            date = taking.valid_at
            occurrence = or_else(statement.valid_at, statement.reference_time)
        else:
            date = or_else(taking.invalid_at, taking.valid_at)
            occurrence = or_else(statement.invalid_at, statement.reference_time)
        return date is None or date == occurrence

    def is_event(self, statement) -> bool:
        return self.ontology.relation(statement.relation).kind == "event"

    # rule 2
    def claims_of(self, s):
        if s.polarity != "asserts" or self.is_event(s):
            return []
        start = or_else(s.valid_at, s.reference_time)
        if s.invalid_at is not None:
            return [Claim(s, start, s.invalid_at)] if s.invalid_at > start else []
        if start < s.reference_time:
            return [Claim(s, start, NEVER), Claim(s, s.reference_time, NEVER)]
        return [Claim(s, start, NEVER)]

    # rule 3
    def end_of(self, claim) -> int:
        given = [e for s in self.counted for e in self.ends_given(s, claim)]
        return min([claim.end, *given])

    def ends_given(self, s, claim):
        """The end that a statement gives this claim, as a list of none or one."""
        if s.authority < claim.statement.authority or not self.is_named(s, claim.statement):
            return []
        if s.polarity == "asserts" and not self.asserted_end_applies(s, claim):
            return []
        later_said = said(s) > said(claim.statement)
        if s.polarity == "ends" and not claim.is_open and not later_said:
            return []
        end = or_else(s.invalid_at, s.reference_time)
        if s.polarity == "asserts" and end == claim.start and self.told_of_before(s, claim):
            return []
        in_time = end > claim.start or (end == claim.start and later_said)
        return [end] if in_time else []

    def is_named(self, s, claimed) -> bool:
        """Whether a statement that gives an end is about what is claimed."""
        if triple_of(s) == triple_of(claimed):
            return True
        if s.polarity != "ends" or s.object is not None:
            return False
        if (s.subject, s.relation) == (claimed.subject, claimed.relation):
            return True
        relation = self.ontology.relation(claimed.relation)
        from_object = s.relation == relation.inverse or (
            relation.symmetric and s.relation == claimed.relation
        )
        return from_object and claimed.object == f"entity:{s.subject}"

    def told_of_before(self, s, claim) -> bool:
        """Whether a span with a start of its own tells of what came before the claim."""
        gives = or_else(claim.statement.valid_at, claim.statement.reference_time)
        return s.valid_at is not None and s.valid_at not in (claim.start, gives)

    def asserted_end_applies(self, s, claim) -> bool:
        if s.invalid_at is None or not claim.is_open:
            return False
        start = or_else(s.valid_at, s.reference_time)
        told_after = s.invalid_at <= s.reference_time
        if s.invalid_at <= start and not (s.valid_at is None and told_after):
            return False
        gives = or_else(claim.statement.valid_at, claim.statement.reference_time)
        if told_after or start in (claim.start, gives):
            return True
        return s.authority > claim.statement.authority and start <= claim.start < s.invalid_at

    def rivals(self, one: TripleName, other: TripleName) -> bool:
        relation = self.ontology.relation(one[1])
        if relation.kind != "event" and frozenset((one, other)) in self.judged:
            return True
        same_subject, same_object = one[0] == other[0], one[2] == other[2]
        if one[1] != other[1]:
            return other[1] in relation.excludes and same_subject and same_object
        if relation.cardinality in ("one", "one_to_one") and same_subject and not same_object:
            return True
        per_object = relation.cardinality in ("one_subject", "one_to_one")
        return per_object and same_object and not same_subject

    # rule 6
    def precedence(self, claim):
        s = claim.statement
        stated = or_else(s.valid_at, s.reference_time)
        return (s.authority, claim.start, s.reference_time, stated, s.position, s.id)

    # rule 4
    def succeeds(self, claim) -> bool:
        s = claim.statement
        if claim.is_open:
            return True
        return s.invalid_at <= s.reference_time and not s.temporary

    def last_instant(self, claim) -> int:
        """Where a claim ends, by ends given and by the rivals that come after it.

        A disputed claim is kept where a rival starts in the same instant: only later ones end it.
        """
        end = self.end_of(claim)
        place = (claim.start, self.precedence(claim))
        if self.is_disputed(claim):
            place = (claim.start, (NEVER,))
        for other in self.claims:
            if (
                self.rivals(claim.triple, other.triple)
                and self.succeeds(other)
                and other.statement.authority >= claim.statement.authority
                and place < (other.start, self.precedence(other))
                and not self.is_disputed(other)
            ):
                end = min(end, other.start)
        return end

    # rule 5
    def is_disputed(self, claim) -> bool:
        return any(
            other.statement.authority > claim.statement.authority
            and self.rivals(claim.triple, other.triple)
            and not self.is_disputed(other)
            and other.start <= claim.start < self.last_instant(other)
            for other in self.claims
        )

    def holding(self, valid: int):
        return [c for c in self.claims if c.start <= valid < self.last_instant(c)]

    def support(self, valid: int) -> dict[TripleName, set[str]]:
        """The believed states and for each the statements whose claims are taken (rule 6)."""
        taken = []
        undisputed = [c for c in self.holding(valid) if not self.is_disputed(c)]
        for claim in sorted(undisputed, key=self.precedence, reverse=True):
            if not any(self.rivals(claim.triple, other.triple) for other in taken):
                taken.append(claim)
        return _by_triple(taken)

    def disputed(self, valid: int) -> dict[TripleName, set[str]]:
        """The disputed states that are not believed on other testimony, and who claims them."""
        believed = self.support(valid)
        claims = [c for c in self.holding(valid) if self.is_disputed(c)]
        return {t: ids for t, ids in _by_triple(claims).items() if t not in believed}

    # rule 8
    def happened(self, valid: int) -> dict[tuple[TripleName, int], set[str]]:
        """The events that happened by then, with their starts, and who tells them."""
        told: dict[tuple[TripleName, int], set[str]] = {}
        for s in self.counted:
            start = or_else(s.valid_at, s.reference_time)
            if not self.is_event(s) or s.polarity != "asserts" or start > valid:
                continue
            spans_nothing = s.invalid_at is not None and s.invalid_at < start
            past = s.valid_at is None and s.invalid_at is not None and s.invalid_at <= start
            if not spans_nothing and not past:
                told.setdefault((triple_of(s), start), set()).add(s.id)
        return told


def _by_triple(claims) -> dict[TripleName, set[str]]:
    found: dict[TripleName, set[str]] = {}
    for claim in claims:
        found.setdefault(claim.triple, set()).add(claim.statement.id)
    return found
