"""A little archive, written for tests: four sources, three nights, every mode.

Accounts are complete nightly extracts, contracts interval records with versions, tickets an audit
log, contacts interval records whose corrected e-mail takes a merge apart again.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml

NIGHTS = ("2024-01-10T22:00:00Z", "2024-02-10T22:00:00Z", "2024-03-10T22:00:00Z")

SOURCES = {
    "accounts": {
        "format": "csv",
        "mode": "snapshot",
        "complete": True,
        "largest_drop": 0.9,
        "group": "'north'",
        "source_id": "id",
        "reference_time": {"path": "day", "format": "%d.%m.%Y"},
        "entities": {
            "account": {
                "label": "Account",
                "name": "name",
                "identifiers": {"account": "id"},
                "attributes": {"city": "city"},
            },
            "owner": {"label": "Employee", "name": "owner", "identifiers": {"employee": "owner"}},
        },
        "statements": [
            {"subject": "account", "relation": "OWNED_BY", "object": "owner", "empty": "ended"},
            {"subject": "account", "relation": "HAS_STATUS", "value": "status"},
        ],
    },
    "contracts": {
        "format": "jsonl",
        "mode": "interval",
        "group": "'north'",
        "source_id": "id",
        "version": "version",
        "removed": {"path": "deleted", "values": [True], "means": "withdrawn"},
        "entities": {
            "account": {"label": "Account", "name": "account", "identifiers": {"account": "aid"}},
            "plan": {"label": "Plan", "name": "plan"},
        },
        "statements": [
            {
                "subject": "account",
                "relation": "HAS_PLAN",
                "object": "plan",
                "valid_at": "begins",
                "invalid_at": {"path": "ends", "inclusive": True},
            }
        ],
    },
    "contacts": {
        "format": "jsonl",
        "mode": "interval",
        "group": "'north'",
        "source_id": "id",
        "version": "version",
        "removed": {"path": "left", "values": [True], "means": "ended"},
        "reference_time": "changed",
        "entities": {
            "contact": {"label": "Person", "name": "name", "identifiers": {"email": "email"}},
            "account": {"label": "Account", "name": "account", "identifiers": {"account": "aid"}},
        },
        "statements": [
            {
                "subject": "contact",
                "relation": "WORKS_AT",
                "object": "account",
                "valid_at": "since",
            }
        ],
    },
    "tickets": {
        "format": "jsonl",
        "mode": "event",
        "group": "'north'",
        "source_id": "join('/', [ticket, to_string(seq)])",
        "reference_time": "at",
        "position": "seq",
        "max_rejected_share": 0.5,
        "entities": {
            "ticket": {"label": "Ticket", "name": "ticket", "identifiers": {"ticket": "ticket"}},
            "assignee": {
                "label": "Employee",
                "name": "assignee",
                "identifiers": {"employee": "assignee"},
            },
            "account": {"label": "Account", "name": "account", "identifiers": {"account": "aid"}},
        },
        "statements": [
            {"subject": "ticket", "relation": "HAS_STATE", "value": "state"},
            {
                "subject": "ticket",
                "relation": "ASSIGNED_TO",
                "object": "assignee",
                "empty": "ended",
            },
            {"subject": "ticket", "relation": "CONCERNS", "object": "account"},
        ],
    },
}

ONTOLOGY = {
    "relations": {
        "OWNED_BY": {"cardinality": "one"},
        "HAS_STATUS": {"cardinality": "one"},
        "HAS_STATE": {"cardinality": "one"},
        "ASSIGNED_TO": {"cardinality": "one"},
        "HAS_PLAN": {"cardinality": "one"},
        "CONCERNS": {"cardinality": "one"},
    },
    "labels": {"Person": {"personal_name": True}, "Employee": {"personal_name": True}},
}

ACCOUNTS = (
    "id;name;owner;status;city;day\n"
    "a1;Acme;alice;trial;Oslo;10.01.2024\n"
    "a2;Bolt;bob;active;Rome;10.01.2024\n"
    "a3;Cobalt;;active;Bonn;10.01.2024\n",
    "id;name;owner;status;city;day\n"
    "a1;Acme;bob;active;Oslo;10.02.2024\n"
    "a2;Bolt;bob;active;Rome;10.02.2024\n"
    "a3;Cobalt AG;carol;active;Bonn;10.02.2024\n",
    # A late extract of January, then March's, from which Bolt has gone.
    "id;name;owner;status;city;day\n"
    "a1;Acme;carol;trial;Oslo;25.01.2024\n"
    "a2;Bolt;bob;active;Rome;25.01.2024\n"
    "a3;Cobalt;;active;Bonn;25.01.2024\n"
    "a1;Acme;bob;active;Bergen;10.03.2024\n"
    "a3;Cobalt AG;;active;Bonn;10.03.2024\n",
)
CONTRACTS = (
    [
        {"id": "k1", "version": 1, "account": "Acme", "aid": "a1", "plan": "Pro",
         "begins": "2023-05-01", "ends": None},
        {"id": "k2", "version": 1, "account": "Bolt", "aid": "a2", "plan": "Basic",
         "begins": "2023-01-01", "ends": "2023-12-31"},
    ],
    [
        {"id": "k1", "version": 2, "account": "Acme", "aid": "a1", "plan": "Pro",
         "begins": "2023-06-01", "ends": "2024-05-31"},
        {"id": "k3", "version": 1, "account": "Bolt", "aid": "a2", "plan": "Team",
         "begins": "2024-01-01", "ends": None},
    ],
    [{"id": "k3", "version": 2, "deleted": True}],
)  # fmt: skip
CONTACTS = (
    [
        {"id": "c1", "version": 1, "name": "Ann Lee", "email": "ann@acme.example",
         "account": "Acme", "aid": "a1", "since": "2022-03", "changed": "2024-01-05"},
        {"id": "c2", "version": 1, "name": "Ben Ito", "email": "ben@bolt.example",
         "account": "Bolt", "aid": "a2", "since": "2021", "changed": "2024-01-06"},
    ],
    [
        # Typed wrong: Cem gets Ann's address, so the two are one until it is corrected.
        {"id": "c3", "version": 1, "name": "Cem Ok", "email": "ann@acme.example",
         "account": "Cobalt AG", "aid": "a3", "since": "2024-02-01", "changed": "2024-02-02"},
    ],
    [
        {"id": "c3", "version": 2, "name": "Cem Ok", "email": "cem@cobalt.example",
         "account": "Cobalt AG", "aid": "a3", "since": "2024-02-01", "changed": "2024-03-01"},
        {"id": "c2", "version": 2, "left": True, "changed": "2024-02-28"},
    ],
)  # fmt: skip
TICKETS = (
    [
        {"ticket": "T1", "seq": 1, "at": "2024-01-03T09:00:00Z", "state": "new",
         "assignee": None, "account": "Acme", "aid": "a1"},
        {"ticket": "T1", "seq": 2, "at": "2024-01-03T09:00:00Z", "state": "open",
         "assignee": "alice", "account": "Acme", "aid": "a1"},
        "{broken",
        {"ticket": "T2", "seq": 1, "at": "2024-01-08T10:00:00Z", "state": "new",
         "assignee": "bob", "account": "Bolt", "aid": "a2"},
    ],
    [
        {"ticket": "T1", "seq": 4, "at": "2024-02-01T09:00:00Z", "state": "closed",
         "assignee": "", "account": "Acme", "aid": "a1"},
        {"ticket": "T2", "seq": 2, "at": "2024-01-30T10:00:00Z", "state": "open",
         "assignee": "carol", "account": "Bolt", "aid": "a2"},
    ],
    [
        # Late: what happened to T1 between.
        {"ticket": "T1", "seq": 3, "at": "2024-01-20T09:00:00Z", "state": "waiting",
         "assignee": "bob", "account": "Acme", "aid": "a1"},
        {"ticket": "T2", "seq": 3, "at": "2024-02-30T10:00:00Z", "state": "closed",
         "assignee": "carol", "account": "Bolt", "aid": "a2"},
    ],
)  # fmt: skip


def write_configuration(project: Path, **base: object) -> Path:
    """Write conf/ under a project folder; return it. Archives are read from project/archive."""
    conf = project / "conf"
    (conf / "sources").mkdir(parents=True)
    (conf / "ontologies").mkdir()
    settings = {"warehouse": "warehouse", "salt": "little", "sources": list(SOURCES), **base}
    (conf / "base.yaml").write_text(yaml.safe_dump(settings))
    (conf / "ontologies" / "company.yaml").write_text(yaml.safe_dump(ONTOLOGY))
    for name, declared in SOURCES.items():
        extra = {"delimiter": ";"} if declared["format"] == "csv" else {}
        whole = {"source": name, "path": f"archive/{name}", **declared, **extra}
        (conf / "sources" / f"{name}.yaml").write_text(yaml.safe_dump(whole))
        (project / "archive" / name).mkdir(parents=True)
    return conf


def write_night(project: Path, night: int) -> None:
    """Let a night's files arrive in the archive."""
    archive = project / "archive"
    (archive / "accounts" / f"night{night}.csv").write_text(ACCOUNTS[night])
    for name, nights in (("contracts", CONTRACTS), ("contacts", CONTACTS), ("tickets", TICKETS)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in nights[night]]
        (archive / name / f"night{night}.jsonl").write_text("".join(f"{x}\n" for x in lines))
