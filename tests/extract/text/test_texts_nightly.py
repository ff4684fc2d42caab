"""What messages tell, from the archive to the graph: linked, disputed, known from when."""

from __future__ import annotations

import json
import random
import shutil

import pytest

from projects import run_night, write_project

pytestmark = pytest.mark.spark

ONTOLOGY = {
    "relations": {
        "OWNED_BY": {
            "cardinality": "one",
            "phrase": "is owned by",
            "subjects": ["Account"],
            "objects": ["Agent"],
            "told": ["ownership"],
        },
        "WORKS_AT": {
            "phrase": "works at",
            "subjects": ["Contact"],
            "objects": ["Account"],
            "told": ["employment"],
        },
    },
    "labels": {
        "Account": {"from_records": True},
        "Agent": {"personal_name": True, "from_records": True},
        "Contact": {"personal_name": True, "from_records": True},
    },
    "identifiers": {"no": {}},
}
RECORDS = {
    "path": "records/*.jsonl",
    "format": "jsonl",
    "mode": "event",
    "group": "unit",
    "source_id": "join('/', [unit, id])",
    "reference_time": "at",
    "entities": {
        "account": {"label": "Account", "name": "account", "identifiers": {"no": "account_no"}},
        "agent": {"label": "Agent", "name": "agent", "identifiers": {"no": "agent_no"}},
        "contact": {"label": "Contact", "name": "contact", "identifiers": {"no": "contact_no"}},
    },
    "statements": [{"subject": "account", "relation": "OWNED_BY", "object": "agent"}],
}
CHAT = {
    "path": "chat/*.jsonl",
    "format": "jsonl",
    "mode": "event",
    "kind": "message",
    "extractor": "local",
    "group": "unit",
    "source_id": "join('/', [unit, id])",
    "version": "version",
    "author": "author",
    "content": "text",
    "reference_time": "at",
}
ACME = {
    "id": "r1",
    "at": "2024-03-01",
    "account": "Acme",
    "account_no": "a1",
    "agent": "Ann Lee",
    "agent_no": "g1",
}
BORIS = {"id": "r2", "at": "2024-03-01", "contact": "Boris Kern", "contact_no": "c1"}
NAMESAKE = {"id": "r3", "at": "2024-03-01", "contact": "Boris Kern", "contact_no": "c2"}
BEN = {"id": "r4", "at": "2024-03-01", "agent": "Ben Roth", "agent_no": "g2"}
JOINED = {"id": "m1", "at": "2024-03-12", "text": "Hi! Boris Kern joined Acme on 4 March 2024."}
WRONG = {"id": "m2", "at": "2024-03-12", "text": "Acme was reassigned to Ben Roth on 10 March."}
VAGUE = {"id": "m3", "at": "2024-03-12", "text": "Maybe Boris Kern left Acme? Not sure."}


RENAMED = {**ACME, "id": "r5", "at": "2024-03-05", "account": "Apex"}
CLEOS = [
    {"id": f"r{n}", "at": "2024-03-01", "contact": "Cleo Dahl", "contact_no": f"c{n}"}
    for n in (6, 7)
]
DORA = {"id": "r8", "at": "2024-03-01", "contact": "Dora Pax", "contact_no": "c8"}
LEFT = {"id": "m4", "at": "2024-03-20", "text": "Boris Kern left Apex last Friday."}
EITHER = {"id": "m5", "at": "2024-03-12", "text": "Cleo Dahl joined Acme yesterday."}
FIRST = {"id": "m6", "at": "2024-03-12", "text": "Dora Pax joined Apex on 2 March 2024."}
EDITED = {**FIRST, "version": 2, "text": "Sorry: Dora Pax joined Acme on 6 March 2024."}
RECORD_ROWS = (ACME, RENAMED, BORIS, BEN, *CLEOS, DORA)
CHAT_ROWS = (JOINED, WRONG, VAGUE, LEFT, EITHER, FIRST, EDITED)
NIGHTS = ("2024-03-21", "2024-03-22", "2024-03-23")


# What one desk is told in turn: the text comes before the name in it, the namesake last.
IN_TURN = [
    *((0, "records", row) for row in (ACME, BEN)),
    *((0, "chat", row) for row in (JOINED, WRONG, VAGUE)),
    *((1, "records", BORIS), (2, "records", NAMESAKE)),
]


def plans():
    """For each group on which night each row comes; but for the first all are told the same."""
    rows = [*(("records", row) for row in RECORD_ROWS), *(("chat", row) for row in CHAT_ROWS)]
    made = {"in turn": IN_TURN, "at once": [(0, *row) for row in rows]}
    made["names last"] = [(2 if kind == "records" else 0, kind, row) for kind, row in rows]
    made["names first"] = [(0 if kind == "records" else 2, kind, row) for kind, row in rows]
    for number in range(17):
        chance = random.Random(number)
        mixed = chance.sample(rows, len(rows))
        made[f"mixed {number}"] = [(chance.randrange(3), *row) for row in mixed]
    return made


def delivered(folder, night):
    """Let a night's files arrive; return how many rows they hold, and how many tell nothing."""
    rows = [
        (kind, {"author": None, "version": 1, **row, "unit": unit})
        for unit, plan in plans().items()
        for when, kind, row in plan
        if when == night
    ]
    for kind in ("records", "chat"):
        path = folder / kind / f"{night}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for of, row in rows if of == kind))
    return len(rows), sum(row["id"] == VAGUE["id"] for _, row in rows)


def snapshot(folder):
    from regesta import query

    return query.open(folder / "warehouse" / "snapshots")


def believed(folder, group, known=None):
    """Every fact of two days with its dates, whether it is disputed and the words that tell it."""
    graph = snapshot(folder).group(group)
    days = [graph.as_of(valid=valid, known=known) for valid in ("2024-03-14", NIGHTS[-1])]
    found = {
        (
            *(fact.subject, fact.relation, str(fact.object), fact.dates, fact.disputed),
            *sorted(str(one.quote) for why in day.why(fact) for one in why.evidence),
        )
        for day in days
        for fact in day.facts(disputed=True)
    }
    return sorted(found)


@pytest.fixture(scope="module")
def desks(spark, tmp_path_factory):
    """Groups that were told the same in other orders; what each believed after each night."""
    folder, then = tmp_path_factory.mktemp("desks"), []
    conf = write_project(folder, {"records": RECORDS, "chat": CHAT}, ONTOLOGY)
    for night, known_at in enumerate(NIGHTS):
        read, empty = delivered(folder, night)
        counts = run_night(spark, conf, known_at).steps["extract"]
        assert (counts["read"], counts["empty"], counts["failed"]) == (read, empty, 0)
        then.append({unit: believed(folder, unit, known_at) for unit in snapshot(folder).groups()})
    return folder, then


def test_a_message_is_understood_once_records_know_its_names(spark, desks):
    """Until a namesake makes the name ambiguous again."""
    folder, then = desks
    told = [[row[:5] for row in night["in turn"]] for night in then]
    owned = [
        ("Acme", "OWNED_BY", "Ann Lee", "since 2024-03-01", False),
        ("Acme", "OWNED_BY", "Ben Roth", "since 2024-03-10", True),
    ]
    joined = ("Boris Kern", "WORKS_AT", "Acme", "since 2024-03-04", False)
    assert told == [owned, [*owned, joined], owned]
    assert then[1]["in turn"][-1][-1] == "Boris Kern joined Acme on 4 March 2024."
    first = snapshot(folder).group("in turn").as_of(known=NIGHTS[0])
    assert {one.name for one in first.entities()} == {"Acme", "Ann Lee", "Ben Roth"}

    tables = folder / "warehouse" / "tables" / "match_decisions"
    decided = spark.read.format("delta").load(str(tables)).where("group_id = 'in turn'")
    verdicts = [row["verdict"] for row in decided.orderBy("batch", "verdict").collect()]
    assert verdicts.count("join") == 3  # Acme, Ben Roth, and Boris Kern a night later


def test_what_is_believed_last_does_not_depend_on_when_names_and_texts_came(desks):
    _, then = desks
    last = {unit: rows for unit, rows in then[-1].items() if unit != "in turn"}
    assert [row[:5] for row in last["at once"]] == [
        ("Apex", "OWNED_BY", "Ann Lee", "since 2024-03-01", False),
        ("Apex", "OWNED_BY", "Ben Roth", "since 2024-03-10", True),
        ("Boris Kern", "WORKS_AT", "Apex", "2024-03-04 to 2024-03-15", False),
        ("Dora Pax", "WORKS_AT", "Apex", "since 2024-03-06", False),
    ]
    assert len(last) == len(plans()) - 1
    assert {unit: rows for unit, rows in last.items() if rows != last["at once"]} == {}


def test_what_was_known_before_stays(desks):
    folder, then = desks
    for known_at, told_then in zip(NIGHTS, then, strict=True):
        assert {unit: believed(folder, unit, known_at) for unit in told_then} == told_then
    assert then[0]["names last"] == []
    assert then[1]["at once"] == then[0]["at once"]


@pytest.mark.long
def test_a_rebuild_reads_texts_again_and_finds_the_same(spark, desks, tmp_path):
    from regesta.config import load
    from regesta.rebuild.rebuild import rebuild
    from regesta.warehouse.warehouse import Warehouse

    folder, _ = desks
    copied = tmp_path / "desks"
    shutil.copytree(folder, copied)
    warehouse = Warehouse.open(spark, str(copied / "warehouse"))
    configuration = load(copied / "conf")
    found = rebuild(warehouse, configuration, lambda text: None, new_generation=False)
    assert {each.table: each.counts for each in found.tables if each.counts} == {}
    rows = {each.table: each.rows_after for each in found.tables}
    assert min(rows["statements"], rows["match_decisions"]) > 100
