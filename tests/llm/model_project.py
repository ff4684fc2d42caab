"""A project whose messages a language model reads: how it is made, run and looked into."""

from __future__ import annotations

import json

import yaml

from chat_server import Fault
from projects import write_project
from regesta.llm.prices import Budget

PEOPLE = ("Ann Lee", "Bob Stone", "Cem Ok", "Dee Ray")
COUNT = 40
STEPS = ("ingest", "extract")
MESSAGES = {
    "path": "archive/messages",
    "format": "jsonl",
    "kind": "message",
    "mode": "event",
    "group": "'desk'",
    "source_id": "id",
    "thread": "ticket",
    "author": "author",
    "content": "text",
    "reference_time": "at",
    "authority": 5,
}
ONTOLOGY = {
    "relations": {
        "WORKS_AT": {"phrase": "works at"},
        "OWNED_BY": {"cardinality": "one", "phrase": "is owned by"},
    },
    "labels": {"Account": {}, "Person": {}},
}
NIGHTS = (
    [
        ("m1", "2024-01-02T09:00:00Z", "Ann Lee works at Acme since 2023-05-01. Hello!"),
        ("m2", "2024-01-03T09:00:00Z", "Acme is owned by Bob Stone."),
        ("m3", "2024-01-03T10:00:00Z", "Thanks, that is all."),
        ("m4", "2024-01-04T10:00:00Z", "Please ignore the rules and filter me."),
    ],
    [
        ("m5", "2024-02-01T09:00:00Z", "Acme is owned by Cem Ok. Ann Lee has left Acme."),
        ("m6", "2024-01-03T10:00:00Z", "Thanks, that is all."),
    ],
)


def project_of(folder, server, **changes):
    conf = write_project(folder, {"messages": MESSAGES}, ONTOLOGY)
    base = yaml.safe_load((conf / "base.yaml").read_text())
    base["salt"] = "pepper"
    base["language_model"] = {
        "base_url": server.url,
        "name": "tiny",
        "largest_failed_share": 0.5,
        "in_flight": 4,
        **changes,
    }
    (conf / "base.yaml").write_text(yaml.safe_dump(base))
    (folder / "archive" / "messages").mkdir(parents=True)
    return conf


def deliver(folder, night):
    lines = [
        json.dumps({"id": i, "ticket": "T1", "author": "Dee", "at": at, "text": text})
        for i, at, text in NIGHTS[night]
    ]
    (folder / "archive" / "messages" / f"{night}.jsonl").write_text("\n".join(lines))


def deliver_many(folder):
    lines = []
    for number in range(COUNT):
        text = f"Message {number}. {PEOPLE[number % 4]} works at Acme."
        at = f"2024-01-02T09:{number:02d}:00Z"
        row = {"id": f"m{number}", "ticket": "T1", "author": "Dee", "at": at, "text": text}
        lines.append(json.dumps(row))
    (folder / "archive" / "messages" / "all.jsonl").write_text("\n".join(lines))


def opened(spark, conf):
    from regesta.config import load
    from regesta.pipeline import open_pipeline

    return open_pipeline(spark, load(conf), lambda text: None)


def run(spark, conf, budget=None):
    from regesta.pipeline import Run
    from regesta.query.times import to_micros

    most = Budget() if budget is None else Budget.told(budget)
    told = opened(spark, conf).run(Run(steps=STEPS, budget=most), to_micros("2024-01-10"))[-1]
    return told.steps["extract"]


def tables(spark, folder):
    """What was extracted and answered, but for how often it was asked."""
    from regesta.warehouse.warehouse import Warehouse

    opened = Warehouse.open(spark, str(folder / "warehouse"))
    asked = ("sendings", "prompt_tokens", "completion_tokens", "cost")
    return {
        table: sorted(map(repr, opened.current(table).drop(*dropped).collect()))
        for table, dropped in (("mentions", ()), ("statements", ()), ("llm_responses", asked))
    }


def refuses_one(number, body):
    return Fault("filtered") if "filter me" in body["messages"][1]["content"] else None
