"""What holds of the timeline whatever is stated."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from timeline_oracle import Oracle
from timeline_writing import HORIZON, ONTOLOGY, Table, holds, statements, triple, visible

from regesta.timeline.components import components
from regesta.timeline.rules import believed


@settings(max_examples=200, deadline=None)
@given(statements(), st.randoms(use_true_random=False))
def test_the_order_of_statements_is_irrelevant(given_statements, random):
    shuffled = random.sample(given_statements, len(given_statements))
    assert believed(shuffled, ONTOLOGY) == believed(given_statements, ONTOLOGY)


@settings(max_examples=150, deadline=None)
@given(statements(known=True), st.sets(st.integers(1, 7)))
def test_nights_and_one_rebuild_write_the_same_rows(given_statements, nights):
    nightly, rebuilt = Table(), Table()
    for until in sorted(nights | {8}):
        nightly.night(given_statements, until)
    rebuilt.night(given_statements, 8)
    assert nightly.rectangles() == rebuilt.rectangles()


@settings(max_examples=100, deadline=None)
@given(statements(known=True))
def test_answers_as_known_in_the_past_never_change(given_statements):
    table = Table()
    answers = {}
    for until in range(1, 9):
        table.night(given_statements, until)
        answers |= {(v, until): table.as_of(v, until) for v in range(HORIZON)}
        assert all(table.as_of(*point) == answer for point, answer in answers.items())


@settings(max_examples=100, deadline=None)
@given(statements(known=True))
def test_a_night_without_news_changes_nothing(given_statements):
    table = Table()
    table.night(given_statements, 8)
    before = table.rectangles()
    table.night(given_statements, 9)
    assert table.rectangles() == before


@settings(max_examples=200, deadline=None)
@given(statements())
def test_no_two_rivals_are_believed_at_one_instant(given_statements):
    rivals = Oracle((), ONTOLOGY, 0).rivals
    periods = [p for p in believed(given_statements, ONTOLOGY) if not p.disputed]
    for one, other in combinations(periods, 2):
        if rivals(triple(one), triple(other)):
            assert not any(holds(one, v) and holds(other, v) for v in range(HORIZON + 1))


@settings(max_examples=200, deadline=None)
@given(statements())
def test_every_period_has_evidence_and_bounds_that_are_accounted_for(given_statements):
    said = {s.id: s for s in given_statements}
    for period in believed(given_statements, ONTOLOGY):
        assert period.evidence
        assert {triple(said[i]) for i in period.evidence} == {triple(period)}
        assert {said[i].polarity for i in period.evidence} == {"asserts"}
        assert period.start_by in said
        if period.kind == "state":
            assert (period.end is None) == (period.end_by is None) == (period.end_reason is None)
        assert period.end_by is None or period.end_by in said


@settings(max_examples=150, deadline=None)
@given(statements(known=True))
def test_open_rows_are_unique_and_their_evidence_is_that_of_the_period(given_statements):
    table = Table()
    table.night(given_statements, 8)
    for known in range(9):
        counting = [
            s
            for s in given_statements
            if s.known_from <= known and (s.known_until is None or known < s.known_until)
        ]
        rows = [row for row in table.facts.values() if visible(row, known)]
        assert len({row.key for row in rows}) == len(rows)
        cited = {(r.key, r.statement_id) for r in table.evidence.values() if visible(r, known)}
        periods = believed(counting, ONTOLOGY)
        assert cited == {((*triple(p), p.start), i) for p in periods for i in p.evidence}


@settings(max_examples=150, deadline=None)
@given(statements())
def test_components_are_independent(given_statements):
    parts = components(given_statements, ONTOLOGY)
    apart = [period for part in parts for period in believed(part, ONTOLOGY)]
    assert sorted(apart, key=repr) == sorted(believed(given_statements, ONTOLOGY), key=repr)
