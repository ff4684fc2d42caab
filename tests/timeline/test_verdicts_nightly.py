"""Verdicts from a file to what is believed, over nights."""

from __future__ import annotations

import json

import pytest

from projects import run_night, write_project

pytestmark = [pytest.mark.spark, pytest.mark.long]

SOURCE = {
    "path": "archive/*.jsonl",
    "format": "jsonl",
    "mode": "event",
    "group": "town || 'town'",
    "source_id": "to_string(id)",
    "reference_time": "at",
    "entities": {
        "who": {"label": "Person", "name": "who", "identifiers": {"no": "[who, alias]"}},
        "home": {"label": "Place", "name": "lives", "identifiers": {"place": "lives"}},
        "work": {"label": "Place", "name": "works", "identifiers": {"place": "works"}},
    },
    "statements": [
        {"subject": "who", "relation": "LIVES_IN", "object": "home"},
        {"subject": "who", "relation": "WORKS_IN", "object": "work"},
    ],
}
FIRST = [
    {"id": 1, "at": "2024-01-01", "who": "Ann", "lives": "Oslo"},
    {"id": 2, "at": "2024-03-01", "who": "Ann", "works": "Rome"},
    {"id": 3, "at": "2024-01-01", "who": "Bob", "lives": "Oslo"},
    {"id": 11, "town": "city", "at": "2024-01-01", "who": "Anna", "lives": "Oslo"},
    {"id": 12, "town": "city", "at": "2024-03-01", "who": "Ann", "lives": "Pisa"},
]
LATE = [
    {"id": 4, "at": "2024-04-01", "who": "Ann", "lives": "Oslo"},
    # In the city they turn out to be one.
    {"id": 13, "town": "city", "at": "2024-06-10", "who": "Ann", "alias": "Anna"},
]
REASON = "nobody works 2,000 km from home"


def deliver(folder, name, rows):
    (folder / "archive").mkdir(exist_ok=True)
    (folder / "archive" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))


def graph_of(folder, group="town"):
    from regesta import query

    return query.open(folder / "warehouse" / "snapshots").group(group)


def pipeline_of(spark, conf):
    from regesta.config import load
    from regesta.pipeline import open_pipeline

    return open_pipeline(spark, load(conf), lambda text: None)


def add(spark, folder, lines):
    from regesta.query.times import to_micros

    file = folder / "verdicts.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return pipeline_of(spark, folder / "conf").add_verdicts(file, to_micros("2024-05-20"))


@pytest.fixture(scope="module")
def town(spark, tmp_path_factory):
    """Three nights: three facts, a verdict on two of them, and a late word on one."""
    folder = tmp_path_factory.mktemp("town")
    conf = write_project(folder, {"register": SOURCE}, {})
    deliver(folder, "first", FIRST)
    run_night(spark, conf, "2024-05-01")
    found = graph_of(folder).candidates(limit=9)
    (left, right) = found.pairs[0]
    said = {"group": "town", "left": left.fact_id, "right": right.fact_id, "reason": REASON}
    said |= {"verdict": "contradicts", "author": "eve", "by": "person", "at": "2024-05-15"}
    city = graph_of(folder, "city")
    homes = [city.facts(subject=name)[0].fact_id for name in ("Anna", "Ann")]
    both = said | {"group": "city", "left": homes[0], "right": homes[1], "at": "2024-01-15"}
    undecided = {"group": "town", "left": "f1", "right": "f2", "verdict": None}
    counts = [add(spark, folder, [said, undecided, both]) for _ in range(2)]
    report = run_night(spark, conf, "2024-06-01")
    deliver(folder, "late", LATE)
    run_night(spark, conf, "2024-07-01")
    return graph_of(folder), found, counts, report, folder, said


def places(graph, valid, known):
    facts = graph.as_of(valid=valid, known=known).facts(subject="Ann")
    return {(fact.relation, fact.object) for fact in facts}


def test_candidates_share_an_entity_those_of_one_subject_first(town):
    found = town[1]
    texts = [{left.text, right.text} for left, right in found.pairs]
    assert texts == [
        {"Ann lives in Oslo", "Ann works in Rome"},
        {"Ann lives in Oslo", "Bob lives in Oslo"},
    ]
    assert (found.found, found.facts_left_out) == (2, 0)


def test_a_file_is_taken_in_once(town):
    assert town[2] == [
        {"read": 2, "new": 2, "unchanged": 0},
        {"read": 2, "new": 0, "unchanged": 2},
    ]
    assert town[3].steps["timeline"]["resolved_verdicts_opened"] == 2
    assert town[3].steps["timeline"]["verdicts_set_aside"] == 0


def test_the_pair_are_rivals_from_the_verdicts_own_known_time_on(town):
    graph = town[0]
    home, work = ("LIVES_IN", "Oslo"), ("WORKS_IN", "Rome")
    assert places(graph, "2024-03-15", "2024-05-14") == {home, work}
    assert places(graph, "2024-03-15", "2024-05-15") == {work}
    assert places(graph, "2024-02-01", "2024-06-01") == {home}


def test_a_statement_of_a_later_night_meets_its_rival_of_another_relation(town):
    graph = town[0]
    assert places(graph, "2024-04-15", "2024-06-15") == {("WORKS_IN", "Rome")}
    assert places(graph, "2024-04-15", "2024-07-01") == {("LIVES_IN", "Oslo")}


def test_the_verdict_is_told_as_the_reason(town):
    graph = town[0]
    [fact, *_] = graph.history("Ann", "LIVES_IN", all_beliefs=True)
    life = graph.life(fact)
    assert life.expired.kind == "superseded"
    assert (life.expired.fact.relation, life.expired.verdict.author) == ("WORKS_IN", "eve")
    assert life.expired.words.endswith(f"; eve judged that it contradicts: {REASON}")
    [verdict] = graph.verdicts()
    assert fact.expired_by == verdict.verdict_id
    assert graph.verdicts(set_aside=True) == []
    assert graph.candidates(limit=9).found == 1


def test_a_verdict_follows_its_facts_when_their_entities_are_merged(town):
    folder = town[4]
    graph = graph_of(folder, "city")
    assert graph.entity("Ann").entity_id == graph.entity("Anna").entity_id

    def homes(known):
        facts = graph.as_of(valid="2024-04-01", known=known).facts(relation="LIVES_IN")
        return {fact.object for fact in facts}

    # It was said in January, and is known from the night that took it in.
    assert [homes(known) for known in ("2024-05-31", "2024-06-01", "2024-07-01")] == [
        {"Oslo", "Pisa"},
        {"Pisa"},
        {"Pisa"},
    ]


def test_a_belief_of_a_merged_entity_leads_to_what_it_became(town):
    graph = graph_of(town[4], "city")
    lives = map(graph.life, graph.history("Ann", "LIVES_IN", all_beliefs=True))
    moved = [life for life in lives if life.expired and life.expired.kind == "moved"]
    assert {life.fact.fact_id for life in moved}.isdisjoint(f.fact_id for f in graph.history("Ann"))
    assert moved
    for life in moved:
        assert life.expired.fact in graph.history("Ann")
        assert life.expired.fact.object == life.fact.object
        assert "its entity turned out to be another one; now Ann" in life.expired.words


def test_verdicts_on_what_is_not_told_are_refused_by_line(spark, town):
    from regesta.errors import InputError

    *_, folder, said = town
    with pytest.raises(InputError, match=r"verdicts\.jsonl:2: left: nobody is no state"):
        add(spark, folder, [said, said | {"left": "nobody"}])
    with pytest.raises(InputError, match="verdict: Input should be 'contradicts'"):
        add(spark, folder, [said | {"verdict": "maybe"}])
