"""What the tests of the timeline have in common: statements, ontologies, tables, random input."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from regesta.timeline.causes import Judgement
from regesta.timeline.history import EvidenceRow, FactRow, OpenRows, history
from regesta.timeline.ontology import Ontology, Relation
from regesta.timeline.statement import Statement

ONTOLOGY = Ontology.of(
    [
        Relation("OWNED_BY", "one"),
        Relation("HEADS", "one_subject"),
        Relation("MARRIED_TO", "one_to_one"),
        Relation("WORKS_AT", "many"),
        Relation("LIKES", excludes=frozenset({"DISLIKES"})),
        Relation("DISLIKES"),
        Relation("PREFERS", "one", excludes=frozenset({"AVOIDS"})),
        Relation("AVOIDS"),
        Relation("BOUGHT", kind="event"),
    ]
)
FAMILIES = (
    ("OWNED_BY",),
    ("OWNED_BY",),
    ("HEADS",),
    ("MARRIED_TO",),
    ("WORKS_AT",),
    ("LIKES", "DISLIKES"),
    ("PREFERS", "AVOIDS"),
    ("BOUGHT",),
    ("OWNED_BY", "WORKS_AT", "BOUGHT"),
)
HORIZON = 14


def statement(id_, subject, relation, object_, **given) -> Statement:
    """A statement known from time 0, said at its start (else at 0) unless given otherwise."""
    values = {
        "polarity": "asserts",
        "retracts": "asserts",
        "reference_time": given.get("valid_at") or 0,
        "position": 0,
        "authority": 0,
        "valid_at": None,
        "invalid_at": None,
        "temporary": False,
        "known_from": 0,
        "known_until": None,
    }
    return Statement(id_, subject, relation, object_, **{**values, **given})


@st.composite
def statements(draw, *, known: bool = False):
    """Up to nine statements of one family of relations, dense enough to interfere."""
    relations = draw(st.sampled_from(FAMILIES))
    size = draw(st.integers(1, 9))
    return [draw(_statement(f"s{number}", relations, known)) for number in range(size)]


@st.composite
def _statement(draw, id_, relations, known):
    time = st.integers(1, HORIZON - 2)
    polarity = draw(st.sampled_from(["asserts"] * 6 + ["ends"] * 2 + ["retracts"]))
    said = draw(time)
    start = draw(st.one_of(st.none(), st.just(said), time))
    end = draw(st.one_of(st.none(), st.none(), st.just(said), time))
    nameless = polarity == "ends" and draw(st.integers(0, 4)) == 0
    since = draw(st.integers(1, 5)) if known else 0
    until = draw(st.one_of(st.none(), st.integers(since, 7))) if known else None
    return statement(
        id_,
        draw(st.sampled_from(["a", "b"])),
        draw(st.sampled_from(relations)),
        None if nameless else draw(st.sampled_from(["x", "y", "z"])),
        polarity=polarity,
        retracts=draw(st.sampled_from(["asserts", "asserts", "ends"])),
        reference_time=said,
        position=draw(st.integers(0, 2)),
        authority=draw(st.sampled_from([0, 0, 0, 1, 1, 2])),
        valid_at=draw(st.sampled_from([None, None, start])) if polarity == "retracts" else start,
        invalid_at=None if polarity == "retracts" else end,
        temporary=draw(st.integers(0, 3)) == 0,
        known_from=since,
        known_until=until,
    )


def triple(row):
    """Subject, relation and object of a period or row."""
    return (row.subject, row.relation, row.object)


class Table:
    """The rows of a small warehouse, written night by night and read as of both times."""

    def __init__(self, ontology: Ontology = ONTOLOGY):
        self.ontology = ontology
        self.facts: dict[int, FactRow] = {}
        self.evidence: dict[int, EvidenceRow] = {}
        self.after: int | None = None

    def night(self, statements, until: int, rivalries=()) -> None:
        """Take in everything that becomes known later than the last night and by `until`."""
        changes = history(
            [as_known(s, until) for s in statements if s.known_from <= until],
            self.ontology,
            self._open_rows(),
            after=self.after,
            rivalries=[as_known(r, until) for r in rivalries if r.known_from <= until],
        )
        for closed, table in (
            (changes.closed_facts, self.facts),
            (changes.closed_evidence, self.evidence),
        ):
            for row in closed:
                table[row.payload].expired_at = row.expired_at
        for row in changes.closed_facts:
            self.facts[row.payload].expiry_reason = row.expiry_reason
            self.facts[row.payload].cause = row.cause
        for row in changes.opened_facts:
            self.facts[len(self.facts)] = row
        for row in changes.opened_evidence:
            self.evidence[len(self.evidence)] = row
        self.after = until

    def _open_rows(self) -> OpenRows:
        """Copies of the open rows, as they come from columns: without what is not stored."""
        return OpenRows(
            [
                replace(r, period=r.period._replace(evidence=(), start_by=""), payload=number)
                for number, r in self.facts.items()
                if r.expired_at is None
            ],
            [replace(r, payload=n) for n, r in self.evidence.items() if r.expired_at is None],
        )

    def as_of(self, valid: int, known: int):
        """The triples believed at a known time to hold at a valid time."""
        return sorted(
            {
                triple(row.period)
                for row in self.facts.values()
                if visible(row, known) and not row.period.disputed and holds(row.period, valid)
            }
        )

    def rectangles(self):
        """All rows without what is not stored, sorted."""
        facts = [
            (
                named(r.cause),
                replace(r, period=r.period._replace(evidence=(), start_by=""), cause=None),
            )
            for r in self.facts.values()
        ]
        return sorted(map(repr, [*facts, *self.evidence.values()]))


def as_known(given, known: int):
    """A statement or rivalry as a night sees it, which can't know what later ends it."""
    later = given.known_until is not None and given.known_until > known
    return given._replace(known_until=None) if later else given


def named(cause):
    """The id of the statement or verdict that ended a belief; whether it arrived or ceased."""
    if isinstance(cause, Judgement):
        return (cause.rivalry.verdict, cause.arrived)
    return cause and (cause.statement.id, cause.arrived)


def visible(row, known: int) -> bool:
    """Whether a row is believed at a known time."""
    return row.created_at <= known and (row.expired_at is None or known < row.expired_at)


def holds(period, valid: int) -> bool:
    """Whether a state holds at a valid time, or an event happened by then."""
    if period.kind == "event":
        return period.start <= valid
    return period.start <= valid and (period.end is None or valid < period.end)
