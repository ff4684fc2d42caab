"""Why a belief ended: the reason, and the piece of news that is named for it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from timeline_oracle import Oracle
from timeline_writing import ONTOLOGY, Table, named, statement, statements, triple
from told import ends, owner, takes_back

SAME_START = {"ended", "superseded", "extended", "disputed", "confirmed"}
LAPSED = {"revised", "withdrawn", "moved"}
FIRST, THEN = {"known_from": 10}, {"known_from": 20}


def closed(*said):
    """(object, start, reason, id of the news, whether it arrived) of the beliefs given up."""
    table = Table()
    table.night(said, 99)
    return [
        (row.period.object, row.period.start, row.expiry_reason, *named(row.cause))
        for row in table.facts.values()
        if row.expired_at is not None
    ]


def test_a_successor_is_named():
    said = owner("alice", 1, id="a", **FIRST), owner("bob", 5, id="b", **THEN)
    assert closed(*said) == [("alice", 1, "superseded", "b", True)]


def test_an_end_that_is_told_is_named():
    alice = owner("alice", 1, id="a", **FIRST)
    assert closed(alice, ends(alice, 8, id="end", **THEN)) == [("alice", 1, "ended", "end", True)]


def test_an_end_that_no_longer_counts_is_named():
    alice = owner("alice", 1, id="a", **FIRST)
    end = ends(alice, 8, id="end", **FIRST, known_until=20)
    assert closed(alice, end) == [("alice", 1, "extended", "end", False)]


def test_a_successor_that_no_longer_counts_is_named():
    bob = owner("bob", 5, id="b", **FIRST, known_until=20)
    assert closed(owner("alice", 1, id="a", **FIRST), bob) == [
        ("alice", 1, "extended", "b", False),
        ("bob", 5, "withdrawn", "b", False),
    ]


@pytest.mark.parametrize("lapse", sorted(LAPSED))
def test_why_the_last_citation_lapsed_is_told(lapse):
    early = owner("alice", 1, id="a", **FIRST, known_until=15, lapse="withdrawn")
    last = owner("alice", 1, id="b", **FIRST, known_until=20, lapse=lapse)
    assert closed(early, last) == [("alice", 1, lapse, "b", False)]


def test_a_corrected_start_names_the_version_that_no_longer_counts():
    first = owner("alice", 3, id="v1", **FIRST, known_until=20, lapse="revised")
    second = owner("alice", 1, id="v2", **THEN)
    assert closed(first, second) == [("alice", 3, "corrected", "v1", False)]


def test_what_is_taken_back_names_the_retraction():
    alice = owner("alice", 1, id="a", **FIRST)
    back = takes_back(alice, 9, **THEN)
    assert closed(alice, back) == [("alice", 1, "retracted", back.id, True)]


def test_what_prevails_is_named_and_not_another_rival_that_arrived_with_it():
    alice = owner("alice", 3, id="a", **FIRST)
    bob = owner("bob", 3, 6, id="b", reference_time=4, **THEN)
    carol = owner("carol", 9, id="c", reference_time=9, **THEN)
    assert ("alice", 3, "superseded", "c", True) not in closed(alice, bob, carol)
    assert closed(alice, bob, carol)[0][2:] == ("corrected", "b", True)
    assert closed(alice, owner("dora", 3, id="d", reference_time=8, **THEN)) == [
        ("alice", 3, "overruled", "d", True)
    ]


def test_a_dispute_names_the_higher_authority():
    said = owner("alice", 5, id="a", **FIRST), owner("bob", 1, id="b", authority=1, **THEN)
    assert closed(*said) == [("alice", 5, "disputed", "b", True)]


def test_a_belief_freed_by_a_rival_of_its_rival_names_what_is_connected():
    couples = [
        statement("ab", "ann", "MARRIED_TO", "bob", valid_at=1, known_from=10),
        statement("ac", "ann", "MARRIED_TO", "carl", valid_at=3, invalid_at=9, known_from=10),
        statement("dc", "dora", "MARRIED_TO", "carl", valid_at=3, invalid_at=9, known_from=20)
        ._replace(authority=1),
    ]  # fmt: skip
    assert closed(*couples) == [
        ("bob", 1, "extended", "dc", True),
        ("bob", 9, "corrected", "dc", True),
        ("carl", 3, "disputed", "dc", True),
    ]


@settings(max_examples=300, deadline=None)
@given(statements(known=True))
def test_every_belief_given_up_names_news_of_that_time(given_statements):
    table = Table()
    table.night(given_statements, 8)
    for row in table.facts.values():
        assert (row.expired_at is None) == (row.expiry_reason is None) == (row.cause is None)
        if row.cause is not None:
            said = row.cause.statement
            assert row.expired_at == (said.known_from if row.cause.arrived else said.known_until)


@settings(max_examples=300, deadline=None)
@given(statements(known=True))
def test_reasons_say_what_the_rules_say(given_statements):
    table = Table()
    table.night(given_statements, 8)
    said = {s.id: s for s in given_statements}
    for row in table.facts.values():
        if row.expired_at is None:
            continue
        oracle = Oracle(given_statements, ONTOLOGY, row.expired_at)
        cited = [
            said[r.statement_id]
            for r in table.evidence.values()
            if r.key == row.key and r.created_at < row.expired_at <= (r.expired_at or 99)
        ]
        counting = [s for s in cited if s in oracle.known]
        if row.expiry_reason in LAPSED:
            assert not counting
        elif row.expiry_reason == "retracted":
            assert counting
            assert all(oracle.is_back(s) for s in counting)
        elif row.expiry_reason == "overruled":
            assert not all(oracle.is_back(s) for s in counting)
        elif row.period.kind == "state":
            told = {**oracle.support(row.period.start), **oracle.disputed(row.period.start)}
            goes_on = triple(row.period) in told
            assert goes_on or row.expiry_reason not in SAME_START
