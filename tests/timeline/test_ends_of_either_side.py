"""Ends without an object through inverse and symmetric relations."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from timeline_oracle import Oracle
from timeline_writing import HORIZON, Table, named, statement, statements

from regesta.timeline.components import components
from regesta.timeline.ontology import Ontology, Relation
from regesta.timeline.rules import believed

ONTOLOGY = Ontology.of(
    [
        Relation("HEADS", "one_subject", inverse="LED_BY"),
        Relation("WORKS_AT", inverse="EMPLOYS"),
        Relation("KNOWS", symmetric=True),
        Relation("MARRIED_TO", "one", symmetric=True),
    ]
)


def told(who, relation, whom, start, **given):
    return statement(f"{who}{whom}", who, relation, f"entity:{whom}", valid_at=start, **given)


def nobody(id_, who, relation, said, **given):
    """From now on there is nobody whom this relation names."""
    return statement(id_, who, relation, None, polarity="ends", reference_time=said, **given)


def spans(*said):
    return [(p.subject, p.object[len("entity:") :], p.end) for p in believed(said, ONTOLOGY)]


def test_through_an_inverse_it_ends_whoever_stands_there():
    said = [told("ann", "WORKS_AT", "acme", 1), told("bob", "WORKS_AT", "acme", 2)]
    other = told("ann", "WORKS_AT", "bolt", 3)
    assert spans(*said, other, nobody("n", "acme", "EMPLOYS", 9)) == [
        ("ann", "acme", 9),
        ("ann", "bolt", None),
        ("bob", "acme", 9),
    ]


def test_a_symmetric_relation_ends_on_either_side():
    said = [told("ann", "KNOWS", "bob", 1), told("bob", "KNOWS", "carl", 1)]
    assert spans(*said, told("ann", "KNOWS", "carl", 1), nobody("n", "bob", "KNOWS", 9)) == [
        ("ann", "bob", 9),
        ("ann", "carl", None),
        ("bob", "carl", 9),
    ]


def test_it_is_named_as_the_cause():
    table = Table(ONTOLOGY)
    table.night(
        [
            told("ann", "HEADS", "acme", 1, known_from=1),
            nobody("n", "acme", "LED_BY", 9, known_from=2),
        ],
        9,
    )
    assert [named(row.cause) for row in table.facts.values() if row.cause] == [("n", True)]


def test_it_shares_the_key_of_what_it_ends_where_conflicts_travel_over_objects():
    assert ONTOLOGY.family("LED_BY") == ONTOLOGY.family("HEADS")
    assert ONTOLOGY.scope(ONTOLOGY.family("LED_BY")) == "linked"


@st.composite
def sided(draw, *, known=False):
    """Statements between few entities of one relation, ends of either side among them."""
    relation, inverse = draw(
        st.sampled_from([("HEADS", "LED_BY"), ("WORKS_AT", "EMPLOYS"), ("KNOWS", "KNOWS")])
    )
    found = []
    for said in draw(statements(known=known)):
        if said.object is None:
            found.append(said._replace(relation=draw(st.sampled_from([relation, inverse]))))
        else:
            target = {"x": "a", "y": "b", "z": "c"}[said.object]
            found.append(said._replace(relation=relation, object=f"entity:{target}"))
    return found


@settings(max_examples=300, deadline=None)
@given(sided(known=True))
def test_history_at_every_point_of_both_axes(given_statements):
    table = Table(ONTOLOGY)
    table.night(given_statements, 8)
    for known in range(9):
        oracle = Oracle(given_statements, ONTOLOGY, known)
        for valid in range(HORIZON + 1):
            assert table.as_of(valid, known) == sorted(oracle.support(valid).keys())


@settings(max_examples=150, deadline=None)
@given(sided())
def test_components_are_independent(given_statements):
    parts = components(given_statements, ONTOLOGY)
    apart = [period for part in parts for period in believed(part, ONTOLOGY)]
    assert sorted(apart, key=repr) == sorted(believed(given_statements, ONTOLOGY), key=repr)
