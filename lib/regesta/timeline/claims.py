"""Rules 1 and 2: which statements count, what they claim and which ends they give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from regesta.timeline.ontology import Ontology, Slot
from regesta.timeline.statement import EndReason, Statement

FOREVER = 1 << 62
"""The end of what has none: after every time that 64 bits of microseconds are used for."""

TripleKey = tuple[str, str, str | None]


class Bound(NamedTuple):
    """Where a start or an end comes from."""

    reason: EndReason
    by: str
    precision: str | None


class End(NamedTuple):
    """An end given for a triple; sorts by time, then the highest authority, then as said."""

    time: int
    below: int  # the authority, negated
    said: tuple[int, int]
    id: str
    start: int  # of the bounded statement that gives it
    everyone: bool  # ends claims of any start: an `ends`, or told after the fact
    statement: Statement


class Claim:
    """A triple claimed from `start` until before `end`; the rules shorten it in place.

    `order` is that of rule 4: start, authority, reference time, stated start, position, id.
    `opening` is set where the claim resumes after a cover, `closing` where it ends.
    """

    __slots__ = (
        "closing", "disputed", "end", "open", "opening", "order", "start", "statement", "triple",
    )  # fmt: skip

    def __init__(self, triple: Triple, statement: Statement, start: int, end: int) -> None:
        stated = statement.valid_at
        said = statement.reference_time
        self.triple = triple
        self.statement = statement
        self.start = start
        self.end = end
        self.open = end == FOREVER
        self.order = (
            start,
            statement.authority,
            said,
            said if stated is None else stated,
            statement.position,
            statement.id,
        )
        self.opening: Bound | None = None
        self.closing: Bound | None = None
        self.disputed = False

    @property
    def said(self) -> tuple[int, int]:
        """The place of its statement in the order of testimony."""
        return (self.statement.reference_time, self.statement.position)

    @property
    def succeeds(self) -> bool:
        """Whether it ends its rivals for good: open, or bounded and told after the fact."""
        told = self.statement
        if self.open:
            return True
        return not told.temporary and told_after(told)

    @property
    def start_known(self) -> bool:
        """Whether somebody stated the start, or the end of what the claim resumes after."""
        return self.opening is not None or self.start == self.statement.valid_at

    @property
    def start_precision(self) -> str | None:
        """The precision of the start, where it is known."""
        if self.opening is not None:
            return self.opening.precision
        return self.statement.valid_precision if self.start_known else None

    def shorten(self, end: int, closing: Bound) -> None:
        """Let it end earlier."""
        self.end = end
        self.closing = closing

    def part(self, start: int, opening: Bound | None, end: int, closing: Bound | None) -> Claim:
        """A part of this claim, with its own bounds."""
        part = Claim(self.triple, self.statement, start, end)
        part.disputed = self.disputed
        part.opening, part.closing = opening, closing
        return part


@dataclass(slots=True, eq=False)
class Triple:
    """A subject, relation and object with all that is claimed and given for it."""

    subject: str
    relation: str
    object: str
    slots: tuple[tuple[Slot, str], ...]
    claims: list[Claim] = field(default_factory=list)
    tellings: list[Statement] = field(default_factory=list)  # of an event


@dataclass(slots=True)
class Gathered:
    """All triples, and the ends given.

    An end without an object is kept under object None and, where it is told of an object, whoever
    the subject is, under subject "".
    """

    triples: dict[TripleKey, Triple] = field(default_factory=dict)
    ends: dict[TripleKey, list[End]] = field(default_factory=dict)


def told_after(statement: Statement) -> bool:
    """Whether a bounded statement was told when its end was past."""
    end = statement.invalid_at
    return end is not None and end <= statement.reference_time


def counted(statements: Sequence[Statement]) -> Sequence[Statement]:
    """The asserting and ending statements that no retraction takes back (rule 1).

    Said no later means: at a reference time that is not later.
    """
    retractions: dict[tuple[object, ...], list[Statement]] = {}
    for statement in statements:
        if statement.polarity == "retracts":
            retractions.setdefault((*statement[1:4], statement.retracts), []).append(statement)
    if not retractions:
        return statements
    return [
        statement
        for statement in statements
        if statement.polarity != "retracts"
        and not any(
            _takes_back(retraction, statement)
            for retraction in retractions.get((*statement[1:4], statement.polarity), ())
        )
    ]


def _takes_back(retraction: Statement, statement: Statement) -> bool:
    if statement.reference_time > retraction.reference_time:
        return False
    if statement.authority > retraction.authority:
        return False
    if statement.polarity == "asserts":
        return retraction.valid_at in (None, _start(statement))
    date = retraction.valid_at if retraction.invalid_at is None else retraction.invalid_at
    return date in (None, _end(statement))


def _start(statement: Statement) -> int:
    stated = statement.valid_at
    return statement.reference_time if stated is None else stated


def _end(statement: Statement) -> int:
    stated = statement.invalid_at
    return statement.reference_time if stated is None else stated


def gather(statements: Iterable[Statement], ontology: Ontology) -> Gathered:
    """Sort counted statements by triple and make their claims and ends (rule 2)."""
    gathered = Gathered()
    triples = gathered.triples
    for statement in statements:
        if statement.polarity == "ends":
            _give(gathered, statement)
            if statement.object is None:
                _give_objects(gathered, statement, ontology)
            continue
        _, subject, relation, target, *_ = statement
        assert target is not None, f"the asserting statement {statement.id} has no object"
        key = (subject, relation, target)
        triple = triples.get(key)
        if triple is None:
            triple = Triple(subject, relation, target, ontology.slots(subject, relation, target))
            triples[key] = triple
        declared = ontology.relation(relation)
        if declared.missing_start == "said":
            statement = _begun_when_said(statement)  # noqa: PLW2901
        if declared.kind == "event":
            _tell(triple, statement)
        else:
            _claim(gathered, triple, statement)
    return gathered


def _begun_when_said(statement: Statement) -> Statement:
    """Give an undated statement its reference time as start; one of a past end still gives that."""
    said, end = statement.reference_time, statement.invalid_at
    if statement.valid_at is not None or (end is not None and end <= said):
        return statement
    return statement._replace(valid_at=said)


def _tell(triple: Triple, statement: Statement) -> None:
    end, stated = statement.invalid_at, statement.valid_at
    if end is None or end >= (statement.reference_time + 1 if stated is None else stated):
        triple.tellings.append(statement)


def _claim(gathered: Gathered, triple: Triple, statement: Statement) -> None:
    start, end = _start(statement), statement.invalid_at
    if end is None:
        triple.claims.append(Claim(triple, statement, start, FOREVER))
        if start < statement.reference_time:
            triple.claims.append(Claim(triple, statement, statement.reference_time, FOREVER))
    elif end > start:
        claim = Claim(triple, statement, start, end)
        claim.closing = Bound("stated", statement.id, statement.invalid_precision)
        triple.claims.append(claim)
        _give(gathered, statement)
    elif statement.valid_at is None:
        _give(gathered, statement)


def _give(gathered: Gathered, statement: Statement) -> None:
    key = (statement.subject, statement.relation, statement.object)
    gathered.ends.setdefault(key, []).append(_end_of(statement))


def _give_objects(gathered: Gathered, statement: Statement, ontology: Ontology) -> None:
    """An end of whatever stands in an inverse or symmetric relation to its subject."""
    told = ontology.told_of_object(statement.relation, statement.subject)
    if told is not None:
        gathered.ends.setdefault(("", *told), []).append(_end_of(statement))


def _end_of(statement: Statement) -> End:
    return End(
        time=_end(statement),
        below=-statement.authority,
        said=(statement.reference_time, statement.position),
        id=statement.id,
        start=_start(statement),
        everyone=statement.polarity == "ends" or told_after(statement),
        statement=statement,
    )
