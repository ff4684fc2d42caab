"""What opens and closes over known time, and why."""

from __future__ import annotations

import pytest
from timeline_writing import ONTOLOGY, Table, statement

from regesta.timeline.history import EvidenceRow, FactRow, OpenRows, history
from regesta.timeline.rules import believed


def owner(id_, who, start, end=None, **given):
    return statement(id_, "acme", "OWNED_BY", who, valid_at=start, invalid_at=end, **given)


def rows(*statements, until=99):
    """(object, start, end, created, expired, reason) of all rows after one call."""
    table = Table()
    table.night(statements, until)
    return [
        (
            row.period.object,
            row.period.start,
            row.period.end,
            row.created_at,
            row.expired_at,
            row.expiry_reason,
        )
        for row in table.facts.values()
    ]


def test_a_row_opened_and_closed_in_one_call_is_one_row():
    alice, bob = owner("a", "alice", 1, known_from=10), owner("b", "bob", 5, known_from=20)
    assert rows(alice, bob) == [
        ("alice", 1, None, 10, 20, "superseded"),
        ("alice", 1, 5, 20, None, None),
        ("bob", 5, None, 20, None, None),
    ]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (owner("b", "alice", 1, 9, reference_time=5, known_from=20), "ended"),
        (owner("b", "bob", 5, 9, reference_time=5, known_from=20), "superseded"),
        (owner("b", "bob", 1, authority=1, known_from=20), "disputed"),
        (owner("b", "bob", 1, reference_time=2, known_from=20), "overruled"),
        (owner("b", "alice", 0, known_from=20), "corrected"),
    ],
)
def test_why_a_belief_ends(second, reason):
    first = owner("a", "alice", 1, known_from=10)
    closed = [row for row in rows(first, second) if row[4] is not None]
    assert closed == [("alice", 1, None, 10, 20, reason)]


def test_a_correction_of_the_record_extends_or_withdraws():
    term = owner("a", "alice", 1, 5, known_from=10, known_until=20)
    longer = owner("b", "alice", 1, 9, known_from=20)
    assert rows(term, longer)[0] == ("alice", 1, 5, 10, 20, "extended")
    assert rows(term) == [("alice", 1, 5, 10, 20, "withdrawn")]


def test_a_dispute_that_falls_away_confirms():
    record = owner("a", "bob", 1, authority=1, known_from=10, known_until=20)
    chat = owner("b", "alice", 5, known_from=10)
    assert rows(record, chat) == [
        ("alice", 5, None, 10, 20, "confirmed"),
        ("alice", 5, None, 20, None, None),
        ("bob", 1, None, 10, 20, "withdrawn"),
    ]


def test_another_explanation_of_the_same_end_is_a_correction():
    first = owner("a", "alice", 1, 5, known_from=10, known_until=20, invalid_precision="year")
    second = owner("b", "alice", 1, 5, known_from=20, invalid_precision="day")
    assert rows(first, second)[0] == ("alice", 1, 5, 10, 20, "corrected")


def test_a_citation_more_opens_evidence_and_leaves_the_row():
    first = owner("a", "alice", 1, known_from=10, known_until=30)
    second = owner("b", "alice", 1, known_from=20)
    changes = history([first, second], ONTOLOGY, OpenRows())
    assert [(r.created_at, r.expired_at) for r in changes.opened_facts] == [(10, None)]
    assert [(r.statement_id, r.created_at, r.expired_at) for r in changes.opened_evidence] == [
        ("a", 10, 30),
        ("b", 20, None),
    ]


def test_evidence_outlives_the_row_of_a_period_that_keeps_its_start():
    alice, bob = owner("a", "alice", 1, known_from=10), owner("b", "bob", 5, known_from=20)
    changes = history([alice, bob], ONTOLOGY, OpenRows())
    assert [(r.object, r.created_at, r.expired_at) for r in changes.opened_evidence] == [
        ("alice", 10, None),
        ("bob", 20, None),
    ]


def test_given_rows_come_back_closed_with_their_payload():
    alice = owner("a", "alice", 1, known_from=10, known_until=20)
    (period,) = believed([alice], ONTOLOGY)
    fact = FactRow(period._replace(evidence=()), 10, payload="row 7")
    cited = EvidenceRow("acme", "OWNED_BY", "alice", 1, "a", 10, payload="row 8")
    changes = history([alice], ONTOLOGY, OpenRows([fact], [cited]), after=15)
    assert [(r.payload, r.expired_at, r.expiry_reason) for r in changes.closed_facts] == [
        ("row 7", 20, "withdrawn")
    ]
    assert [(r.payload, r.expired_at) for r in changes.closed_evidence] == [("row 8", 20)]
    assert not changes.opened_facts
    assert not changes.opened_evidence


def test_slices_up_to_the_last_night_are_not_written_again():
    alice = owner("a", "alice", 1, known_from=10)
    changes = history([alice], ONTOLOGY, OpenRows(), after=10)
    assert not changes.opened_facts


def test_other_components_keep_their_rows():
    table = Table()
    acme = owner("a", "alice", 1, known_from=10)
    bolt = owner("b", "bob", 1, known_from=20)._replace(subject="bolt")
    table.night([acme, bolt], 10)
    table.night([acme, bolt], 20)
    found = [(r.period.subject, r.created_at, r.expired_at) for r in table.facts.values()]
    assert found == [("acme", 10, None), ("bolt", 20, None)]
