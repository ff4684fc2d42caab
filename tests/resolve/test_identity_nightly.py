"""Nights over people under several spellings: facts follow identity, rebuilds are equal."""

from __future__ import annotations

import json

import pytest

from projects import run_night, write_project
from regesta.query.times import to_micros
from regesta.resolve import matching
from regesta.resolve.steward import Speaker, entity, merge, undo

pytestmark = [pytest.mark.spark, pytest.mark.long]
GIVEN = ("Frank", "Emily", "Gerald", "Louise", "William", "Ada", "Horace", "Beatrice")
LAST = ("Brightman", "Clifford", "Burn", "Hengler", "Watts", "Osborne", "Kamienski", "Tills")
SOURCE = {
    "path": "people-*.jsonl",
    "format": "jsonl",
    "mode": "event",
    "group": "'g'",
    "source_id": "id",
    "reference_time": "at",
    "entities": {
        "person": {
            "label": "Patient",
            "name": "name",
            "identifiers": {"record": "id"},
            "attributes": {"born": "born", "town": "town"},
        }
    },
    "statements": [{"subject": "person", "relation": "TREATED_BY", "value": "doctor"}],
}
ONTOLOGY = {
    "labels": {
        "Patient": {"match": {"attributes": {"name": "name", "born": "date", "town": "text"}}}
    },
    "relations": {"TREATED_BY": {"cardinality": "many"}},
}


def record(key, number, doctor, *, name=None):
    whole = f"{GIVEN[number % 8]} {LAST[(number * 3 + number // 8) % 8]}"
    return {
        "id": key,
        "at": "2023-05-01",
        "name": name or whole,
        "born": f"18{20 + number}-0{1 + number % 9}-17",
        "town": "York" if number % 2 else "Leeds",
        "doctor": doctor,
    }


def misspelt(key, number, doctor):
    name = record(key, number, doctor)["name"]
    return record(key, number, doctor, name=name[:-2] + name[-1])


def written(folder, night, rows):
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / f"people-{night}.jsonl").write_text(lines)


def doctors(folder, name, known=None):
    """Who treats the entity that bears a name, as known on a day."""
    from regesta import query

    graph = query.open(folder / "warehouse" / "snapshots").group("g").as_of(known=known)
    return {fact.value for fact in graph.history(name, "TREATED_BY")}


def test_facts_follow_and_an_undone_merge_leaves_what_never_was_merged(
    spark, tmp_path, monkeypatch
):
    from regesta.config import load
    from regesta.pipeline import open_pipeline
    from regesta.rebuild.rebuild import rebuild
    from regesta.warehouse.warehouse import Warehouse

    monkeypatch.setattr(matching, "FEWEST", 100)
    people = [record(f"{n}a", n, f"Dr {n}") for n in range(64)]
    people += [misspelt(f"{n}b", n, f"Dr {n} b") for n in range(64)]
    conf = write_project(tmp_path, {"people": SOURCE}, ONTOLOGY)
    written(tmp_path, 1, people)
    run_night(spark, conf, "2024-01-01")
    assert doctors(tmp_path, "record:3a") == {"Dr 3", "Dr 3 b"}

    def said(now, speak):
        pipeline = open_pipeline(spark, load(conf), lambda text: None)
        with pipeline.next_batch(to_micros(now)) as context:
            return speak(context, Speaker("ada", "why", to_micros(now)))

    said(
        "2024-01-02",
        lambda context, speaker: merge(
            context,
            entity(context, "g", "record:3a"),
            entity(context, "g", "record:4a"),
            speaker,
        ),
    )
    written(tmp_path, 2, [misspelt("3c", 3, "Dr new")])
    run_night(spark, conf, "2024-02-01")
    merged = {"Dr 3", "Dr 3 b", "Dr 4", "Dr 4 b", "Dr new"}
    assert doctors(tmp_path, "record:4a") == merged
    said(
        "2024-02-02",
        lambda context, speaker: undo(context, [entity(context, "g", "record:3a")], speaker),
    )
    run_night(spark, conf, "2024-03-01")
    assert doctors(tmp_path, "record:3a") == {"Dr 3", "Dr 3 b", "Dr new"}
    assert doctors(tmp_path, "record:4a") == {"Dr 4", "Dr 4 b"}
    assert doctors(tmp_path, "record:4a", known="2024-02-15") == merged
    assert doctors(tmp_path, "record:4a", known="2024-01-15") == {"Dr 4", "Dr 4 b"}
    said("2024-03-02", lambda context, speaker: matching.ask_to_learn(context, "Patient"))
    run_night(spark, conf, "2024-04-01")
    warehouse = Warehouse.open(spark, str(tmp_path / "warehouse"))
    assert warehouse.current("match_weights").where("document IS NOT NULL").count() == 2
    found = rebuild(warehouse, load(conf), lambda text: None, new_generation=False)
    assert {each.table: each.counts for each in found.tables if each.counts} == {}
    assert found.is_swapped_in
