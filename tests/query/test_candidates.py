"""Which pairs of facts are put to a judge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import regesta.query
from publish import tiny, writing
from regesta.query.candidates import PER_ENTITY, Told, neighbours


def told(number, subject, object_=-1, start=0, end=9, fact=None):
    return Told(number, fact or f"f{number}", subject, "R", object_, start, end)


@st.composite
def facts(draw):
    size = draw(st.integers(0, 8))
    return [
        told(
            number,
            draw(st.integers(0, 3)),
            draw(st.integers(-1, 3)),
            start,
            start + draw(st.integers(1, 4)),
            draw(st.sampled_from(["f0", f"f{number}"])),
        )
        for number in range(size)
        for start in [draw(st.integers(0, 6))]
    ]


@given(facts())
def test_every_pair_that_shares_an_entity_and_an_instant_and_no_other(given_facts):
    expected = {
        (one, other)
        for one in given_facts
        for other in given_facts
        if one.fact_id < other.fact_id
        and ({one.subject, one.object} & {other.subject, other.object} - {-1})
        and any(one.start <= t < one.end and other.start <= t < other.end for t in range(20))
    }
    assert neighbours(given_facts) == (expected, 0)


@given(facts(), st.randoms(use_true_random=False))
def test_the_order_of_facts_is_irrelevant(given_facts, random):
    assert neighbours(random.sample(given_facts, len(given_facts))) == neighbours(given_facts)


def test_a_hub_is_paired_in_its_latest_facts_and_the_rest_is_counted():
    hub = [told(number, 0, start=number, end=10_000) for number in range(1000)]
    pairs, left_out = neighbours(hub)
    assert left_out == 1000 - PER_ENTITY
    assert len(pairs) == PER_ENTITY * (PER_ENTITY - 1) // 2
    assert min(one.start for pair in pairs for one in pair) == 1000 - PER_ENTITY


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    root = tmp_path_factory.mktemp("candidates")
    rows = tiny.tables()
    rows["resolved_verdicts"] = [
        {
            "row_id": "r1",
            "group_id": "acme",
            "verdict_id": "v1",
            "left_fact": "f-bob",
            "right_fact": "f-priority",
            "left_key": "k1",
            "right_key": "k2",
            "left_triple": [],
            "right_triple": [],
            "verdict": "does not contradict",
            "reason": "one is an owner, the other a priority",
            "author": "eve",
            "decided_by": "person",
            "stated_at": "2023-05-01",
            "flags": [],
            "created_at": "2023-05-02",
        }
    ]
    writing.write_snapshot(root, rows)
    return regesta.query.open(root).group("acme")


def test_of_a_snapshot_without_events_disputed_and_judged_ones(acme):
    def pairs(graph):
        return [(left.fact_id, right.fact_id) for left, right in graph.candidates(limit=9).pairs]

    # Bob's and the priority overlap, and so do Jane's and the priority; Jane's and Bob's don't.
    assert pairs(acme) == [("f-jane", "f-priority")]
    assert pairs(acme.as_of(known="2023-05-01")) == [
        ("f-bob", "f-priority"),
        ("f-jane", "f-priority"),
    ]
    assert acme.as_of(known="2023-05-01").candidates(limit=1).found == 2


def test_verdicts_are_those_that_stood_then(acme):
    assert [each.author for each in acme.verdicts()] == ["eve"]
    assert acme.as_of(known="2023-05-01").verdicts() == []
