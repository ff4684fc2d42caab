"""Names, sides and signatures of relations, from records to what is published."""

from __future__ import annotations

import json

import pytest

from projects import run_night, write_project

pytestmark = pytest.mark.spark

ONTOLOGY = {
    "labels": {"Person": {}, "Company": {}},
    "identifiers": {"no": {"joins": True}},
    "relations": {
        "EMPLOYED_BY": {
            "cardinality": "one",
            "synonyms": ["WORKS_FOR"],
            "inverse": "EMPLOYS",
            "subjects": ["Person"],
            "objects": ["Company"],
        },
        "MARRIED_TO": {"cardinality": "one", "symmetric": True, "subjects": ["Person"]},
    },
}
SOURCE = {
    "path": "register.jsonl",
    "format": "jsonl",
    "mode": "event",
    "group": "'town'",
    "source_id": "to_string(id)",
    "reference_time": "at",
    "entities": {
        "one": {"label": "Person", "name": "one", "identifiers": {"no": "one"}},
        "other": {"label": "Person", "name": "other", "identifiers": {"no": "other"}},
        "third": {"label": "Person", "name": "third", "identifiers": {"no": "third"}},
        "firm": {"label": "Company", "name": "firm", "identifiers": {"no": "firm"}},
    },
    "statements": [
        {"subject": "one", "relation": "WORKS_FOR", "object": "firm", "when": "says == 'works'"},
        {"subject": "firm", "relation": "EMPLOYS", "object": "one", "when": "says == 'hires'"},
        {"subject": "firm", "relation": "WORKS_FOR", "object": "one", "when": "says == 'odd'"},
        {"subject": "one", "relation": "MARRIED_TO", "object": "other", "when": "says == 'weds'"},
        {"subject": "one", "relation": "MARRIED_TO", "polarity": "ends", "when": "says == 'alone'"},
        {"subject": "one", "relation": "BRIDGES", "objects": ["other", "third"], "when": "third"},
        {
            "subject": "one",
            "relation": "BRIDGES",
            "object": "other",
            "polarity": "ends",
            "when": "says == 'parts'",
        },
    ],
}
ROWS = [
    {"at": "2024-01-01", "says": "works", "one": "Ann", "firm": "Acme"},
    {"at": "2024-02-01", "says": "hires", "one": "Ann", "firm": "Bolt"},
    {"at": "2024-03-01", "says": "odd", "one": "Ann", "firm": "Acme"},
    {"at": "2024-01-01", "says": "weds", "one": "Ann", "other": "Bob"},
    {"at": "2024-02-01", "says": "weds", "one": "Bob", "other": "Ann"},
    {"at": "2024-03-01", "says": "weds", "one": "Carl", "other": "Bob"},
    {"at": "2024-03-01", "says": "weds", "one": "Dora", "other": "Eve"},
    {"at": "2024-04-01", "says": "alone", "one": "Bob"},
    {"at": "2024-04-01", "says": "alone", "one": "Eve"},
    {"at": "2024-02-01", "one": "Fay", "other": "Gus", "third": "Hal"},
    {"at": "2024-03-01", "one": "Fay", "other": "Ivy", "third": "Joe"},
    {"at": "2024-05-01", "says": "parts", "one": "Fay", "other": "Gus"},
]


@pytest.fixture(scope="module")
def town(spark, tmp_path_factory):
    from regesta import query

    folder = tmp_path_factory.mktemp("town")
    conf = write_project(folder, {"register": SOURCE}, ONTOLOGY)
    lines = [json.dumps({"id": number, **row}) for number, row in enumerate(ROWS)]
    (folder / "register.jsonl").write_text("\n".join(lines))
    report = run_night(spark, conf, "2024-06-01")
    return query.open(folder / "warehouse" / "snapshots").group("town"), report


def test_one_relation_under_three_names_has_one_object_at_a_time(town):
    periods = [(fact.object, fact.dates) for fact in town[0].history("Ann", "EMPLOYED_BY")]
    assert periods == [("Acme", "2024-01-01 to 2024-02-01"), ("Bolt", "since 2024-02-01")]


def test_what_breaks_a_signature_is_kept_flagged_and_counted(town):
    graph, report = town
    [odd] = graph.facts(subject="Acme", relation="EMPLOYED_BY")
    assert odd.breaks_signature
    assert report.steps["timeline"]["facts_breaking_signature"] == 1
    others = [fact for fact in graph.facts() if fact.row_id != odd.row_id]
    assert others
    assert not any(fact.breaks_signature for fact in others)


def test_a_symmetric_relation_is_one_fact_and_either_side_has_one(town):
    facts = town[0].as_of(valid="2024-02-15").facts(relation="MARRIED_TO")
    assert [{fact.subject, fact.object} for fact in facts] == [{"Ann", "Bob"}]
    [explained] = town[0].as_of(valid="2024-02-15").why(facts[0])
    assert len(explained.evidence) == 2
    later = town[0].as_of(valid="2024-03-15").facts(relation="MARRIED_TO")
    assert {frozenset((f.subject, f.object)) for f in later} == {
        frozenset(("Bob", "Carl")),
        frozenset(("Dora", "Eve")),
    }


def test_an_end_that_names_one_side_ends_it_whichever_side_that_is(town):
    assert town[0].facts(relation="MARRIED_TO") == []


def test_a_fact_over_three_people_ends_as_one(town):
    facts = town[0].history("Fay", "BRIDGES")
    assert {(fact.object, fact.dates) for fact in facts} == {
        ("Gus", "2024-02-01 to 2024-05-01"),
        ("Hal", "2024-02-01 to 2024-05-01"),
        ("Ivy", "since 2024-03-01"),
        ("Joe", "since 2024-03-01"),
    }
    ids = {fact.object: fact.hyperedge_id for fact in facts}
    assert ids["Gus"] == ids["Hal"] != ids["Ivy"] == ids["Joe"]
    assert None not in ids.values()
