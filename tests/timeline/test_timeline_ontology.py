"""Which relations belong together and which triples rival each other."""

from __future__ import annotations

import pickle

import pytest

from regesta.timeline.ontology import Ontology, Relation

ONTOLOGY = Ontology.of(
    [
        Relation("OWNED_BY", "one"),
        Relation("LIKES", excludes=frozenset({"HATES"})),
        Relation("IGNORES", excludes=frozenset({"HATES", "LIKES"})),
        Relation("LEADS", "one_subject"),
        Relation("FOLLOWS", excludes=frozenset({"LEADS"})),
        Relation("MET", "one", kind="event"),
        Relation("HAS_*", "one"),
        Relation("HAS_TAG_*", "many"),
        Relation("HAS_EMAIL"),
    ]
)


def rivals(one, other):
    slots = dict(ONTOLOGY.slots(*one))
    return any(slots.get(slot, token) != token for slot, token in ONTOLOGY.slots(*other))


def test_undeclared_relations_are_states_of_many():
    assert ONTOLOGY.relation("KNOWS") == Relation("KNOWS", "many", frozenset(), "state", None)
    assert ONTOLOGY.slots("a", "KNOWS", "b") == ()


def test_exclusion_is_mutual_also_with_an_undeclared_relation():
    assert ONTOLOGY.relation("LIKES").excludes == {"HATES", "IGNORES"}
    assert ONTOLOGY.relation("HATES").excludes == {"LIKES", "IGNORES"}


@pytest.mark.parametrize(
    ("relation", "family", "scope"),
    [
        ("OWNED_BY", "OWNED_BY", "subject"),
        ("LIKES", "HATES", "subject"),
        ("IGNORES", "HATES", "subject"),
        ("FOLLOWS", "FOLLOWS", "linked"),
        ("LEADS", "FOLLOWS", "linked"),
        ("KNOWS", "KNOWS", "subject"),
    ],
)
def test_family_and_scope(relation, family, scope):
    assert ONTOLOGY.family(relation) == family
    assert ONTOLOGY.scope(family) == scope


def test_rivals_put_different_tokens_into_one_slot():
    assert rivals(("acme", "OWNED_BY", "alice"), ("acme", "OWNED_BY", "bob"))
    assert not rivals(("acme", "OWNED_BY", "alice"), ("acme", "OWNED_BY", "alice"))
    assert not rivals(("acme", "OWNED_BY", "alice"), ("bolt", "OWNED_BY", "bob"))
    assert rivals(("alice", "LEADS", "acme"), ("bob", "LEADS", "acme"))
    assert not rivals(("alice", "LEADS", "acme"), ("alice", "LEADS", "bolt"))
    assert rivals(("alice", "LIKES", "tea"), ("alice", "HATES", "tea"))
    assert not rivals(("alice", "LIKES", "tea"), ("alice", "HATES", "coffee"))
    assert not rivals(("alice", "MET", "bob"), ("alice", "MET", "carol"))


def test_a_beginning_declares_what_has_no_longer_entry():
    assert ONTOLOGY.relation("HAS_PLAN").cardinality == "one"
    assert rivals(("acme", "HAS_PLAN", "pro"), ("acme", "HAS_PLAN", "basic"))
    assert not rivals(("acme", "HAS_PLAN", "pro"), ("acme", "HAS_SIZE", "basic"))
    assert not rivals(("acme", "HAS_TAG_A", "x"), ("acme", "HAS_TAG_A", "y"))
    assert not rivals(("acme", "HAS_EMAIL", "x"), ("acme", "HAS_EMAIL", "y"))
    assert (ONTOLOGY.family("HAS_PLAN"), ONTOLOGY.scope("HAS_PLAN")) == ("HAS_PLAN", "subject")


def test_it_travels_to_workers():
    assert pickle.loads(pickle.dumps(ONTOLOGY)) == ONTOLOGY
