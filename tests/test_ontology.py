"""The declared vocabulary: names of relations, signatures, and the mistakes that are told."""

from __future__ import annotations

import pickle

import pytest
from pydantic import ValidationError

from regesta.ontology import LITERAL, Ontology, Told

EMPLOYMENT = Ontology.model_validate(
    {
        "relations": {
            "EMPLOYED_BY": {
                "phrase": "is employed by",
                "synonyms": ["WORKS_FOR", "WORKS_AT"],
                "inverse": "EMPLOYS",
                "subjects": ["Person"],
                "objects": ["Account", "Company"],
            },
            "HAS_TITLE": {"subjects": ["Person"], "objects": [LITERAL]},
            "MARRIED_TO": {"symmetric": True, "cardinality": "one"},
        }
    }
)


def test_a_name_tells_one_relation_perhaps_from_the_other_side():
    assert EMPLOYMENT.told_by("WORKS_FOR") == Told("EMPLOYED_BY")
    assert EMPLOYMENT.told_by("EMPLOYS") == Told("EMPLOYED_BY", reversed=True)
    assert EMPLOYMENT.told_by("EMPLOYED_BY") == Told("EMPLOYED_BY")
    assert EMPLOYMENT.told_by("KNOWS") == Told("KNOWS")
    assert pickle.loads(pickle.dumps(EMPLOYMENT)).told_by("WORKS_AT") == Told("EMPLOYED_BY")


def test_a_synonym_reads_as_its_relation_and_an_inverse_as_itself():
    assert EMPLOYMENT.phrase("WORKS_FOR") == "is employed by"
    assert EMPLOYMENT.phrase("EMPLOYS") == "employs"


@pytest.mark.parametrize(
    ("relation", "subject", "target", "breaks"),
    [
        ("EMPLOYED_BY", "Person", "Account", False),
        ("EMPLOYED_BY", "Person", "Company", False),
        ("EMPLOYED_BY", "Ticket", "Company", True),
        ("EMPLOYED_BY", "Person", "Person", True),
        ("EMPLOYED_BY", "Person", LITERAL, True),
        ("HAS_TITLE", "Person", LITERAL, False),
        ("HAS_TITLE", "Person", "Account", True),
        ("MARRIED_TO", "Ticket", "Ticket", False),
        ("KNOWS", "Person", LITERAL, False),
    ],
)
def test_a_signature_is_broken_by_labels_that_it_does_not_name(relation, subject, target, breaks):
    assert EMPLOYMENT.breaks_signature(relation, subject, target) is breaks


@pytest.mark.parametrize(
    ("relations", "told"),
    [
        ({"A": {"synonyms": ["B"]}, "B": {}}, "A: B is already a name of B"),
        ({"A": {"synonyms": ["C"]}, "B": {"inverse": "C"}}, "B: C is already a name of A"),
        ({"A": {"synonyms": ["A"]}}, "A: A is already a name of A"),
        ({"A": {"symmetric": True, "inverse": "B"}}, "A: expected cardinality one or many"),
        ({"A": {"symmetric": True, "cardinality": "one_subject"}}, "A: expected cardinality one"),
        ({"A_*": {"synonyms": ["B"]}}, r"A_\*: expected no synonyms"),
    ],
)
def test_mistakes_name_the_relation_and_what_was_expected(relations, told):
    with pytest.raises(ValidationError, match=told):
        Ontology.model_validate({"relations": relations})


def test_the_reading_of_a_missing_start_is_declared_by_relation():
    relations = {"KNOWS": {"missing_start": "said"}, "LIKES": {}}
    read = Ontology.model_validate({"relations": relations}).for_timeline()
    assert read.relation("KNOWS").missing_start == "said"
    assert read.relation("LIKES").missing_start == read.relation("ELSE").missing_start == "unknown"
    with pytest.raises(ValidationError, match=r"KNOWS\.missing_start\n.*'unknown' or 'said'"):
        Ontology.model_validate({"relations": {"KNOWS": {"missing_start": "never"}}})


def test_labels_overlap_from_either_side_and_never_themselves():
    labels = {"Contact": {"overlaps": ["User"]}, "User": {}, "Agent": {"overlaps": ["User"]}}
    overlapping = Ontology.model_validate({"labels": labels}).overlapping
    assert overlapping == {frozenset({"Contact", "User"}), frozenset({"Agent", "User"})}
    with pytest.raises(ValidationError, match="User: overlaps: expected other labels"):
        Ontology.model_validate({"labels": {"User": {"overlaps": ["User"]}}})
