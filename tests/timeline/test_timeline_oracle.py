"""The rules against a slow, literal evaluation of their text, at every point."""

from __future__ import annotations

from hypothesis import given, settings
from timeline_oracle import Oracle
from timeline_writing import HORIZON, ONTOLOGY, Table, holds, statements, triple

from regesta.timeline.rules import believed

EVERY_VALID = range(HORIZON + 1)


def support(periods, valid, *, disputed):
    found = {}
    for period in periods:
        if period.kind == "state" and period.disputed == disputed and holds(period, valid):
            assert triple(period) not in found
            found[triple(period)] = period
    return found


@settings(max_examples=600, deadline=None)
@given(statements())
def test_states_believed_and_disputed_at_every_instant(given_statements):
    oracle = Oracle(given_statements, ONTOLOGY, 0)
    periods = believed(given_statements, ONTOLOGY)
    for valid in EVERY_VALID:
        assert support(periods, valid, disputed=False).keys() == oracle.support(valid).keys()
        assert support(periods, valid, disputed=True).keys() == oracle.disputed(valid).keys()


@settings(max_examples=300, deadline=None)
@given(statements())
def test_evidence_is_every_statement_that_supports_an_instant_of_the_period(given_statements):
    oracle = Oracle(given_statements, ONTOLOGY, 0)
    for period in believed(given_statements, ONTOLOGY):
        if period.kind == "state":
            at = oracle.disputed if period.disputed else oracle.support
            instants = [valid for valid in EVERY_VALID if holds(period, valid)]
            supporting = set().union(*(at(valid)[triple(period)] for valid in instants))
            assert set(period.evidence) == supporting


@settings(max_examples=300, deadline=None)
@given(statements())
def test_periods_are_maximal(given_statements):
    oracle = Oracle(given_statements, ONTOLOGY, 0)
    for period in believed(given_statements, ONTOLOGY):
        if period.kind == "state":
            at = oracle.disputed if period.disputed else oracle.support
            assert triple(period) not in at(period.start - 1)
            assert period.end is None or triple(period) not in at(period.end)
            assert period.end is None or period.end > period.start


@settings(max_examples=150, deadline=None)
@given(statements())
def test_events_happen_where_they_are_told(given_statements):
    told = Oracle(given_statements, ONTOLOGY, 0).happened(HORIZON)
    events = [p for p in believed(given_statements, ONTOLOGY) if p.kind == "event"]
    assert {(triple(p), p.start): set(p.evidence) for p in events} == told


@settings(max_examples=150, deadline=None)
@given(statements(known=True))
def test_history_at_every_point_of_both_axes(given_statements):
    table = Table()
    table.night(given_statements, 8)
    for known in range(9):
        oracle = Oracle(given_statements, ONTOLOGY, known)
        for valid in EVERY_VALID:
            events = {name for name, _ in oracle.happened(valid)}
            assert table.as_of(valid, known) == sorted(oracle.support(valid).keys() | events)
