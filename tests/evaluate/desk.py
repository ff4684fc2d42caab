"""A small desk whose truth is written by hand, and a snapshot that holds all of it.

Acme has two records (a1, a2); its owner was Xi until 9 March, then Yo, told on the 10th; both
records tell of one plan. Two people are called Jane Doe (c1, c2). Five triples, six rectangles.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq

from publish import tiny, writing
from regesta.arrow import as_batch
from regesta.simulate.truth import TABLES

KNOWN_AT = datetime(2024, 4, 1, tzinfo=UTC)
GROUP = "acme"

ENTITIES = [
    ("A", "Acme", ["account_no:a1", "account_no:a2"], "duplicate"),
    ("P", "Jane Doe", ["contact_no:c1"], "namesake"),
    ("Q", "Jane Doe", ["contact_no:c2"], "namesake"),
    ("X", "Xi", ["agent_no:x"], "plain"),
    ("Y", "Yo", ["agent_no:y"], "plain"),
]
FACTS = [  # subject, relation, object, value, valid from and to, known from and to, kind
    ("account_no:a1", "OWNED_BY", "agent_no:x", None, "03-01", None, "03-02", "03-10", "owner"),
    ("account_no:a1", "OWNED_BY", "agent_no:x", None, "03-01", "03-09", "03-10", None, "owner"),
    ("account_no:a1", "OWNED_BY", "agent_no:y", None, "03-09", None, "03-10", None, "owner"),
    ("account_no:a1", "HAS_PLAN", None, "basic", "03-01", None, "03-02", None, "plan"),
    ("account_no:a2", "HAS_PLAN", None, "basic", "03-01", None, "03-02", None, "plan"),
    ("contact_no:c1", "HAS_TITLE", None, "Buyer", "03-01", None, "03-02", None, "title"),
    ("contact_no:c2", "HAS_TITLE", None, "Planner", "03-03", None, "03-04", None, "title"),
]
QUESTIONS = [  # subject, relation, valid, known, answers, kind, axis
    ("account_no:a1", "OWNED_BY", "03-05", "03-05", ["agent_no:x"], "owner", "known"),
    ("account_no:a1", "OWNED_BY", "03-12", "03-05", ["agent_no:x"], "owner", "both"),
    ("account_no:a1", "OWNED_BY", "03-12", "03-20", ["agent_no:y"], "owner", "valid"),
    ("account_no:a2", "HAS_PLAN", "03-05", "03-20", ["basic"], "plan", "valid"),
    ("contact_no:c1", "HAS_TITLE", "03-01T12:00", "03-20", ["Buyer"], "title", "valid"),
    ("contact_no:c1", "HAS_TITLE", "03-05", "03-20", ["Buyer"], "title", "valid"),
    ("contact_no:c2", "HAS_TITLE", "03-05", "03-05", ["Planner"], "title", "known"),
    ("contact_no:c2", "HAS_TITLE", "03-05", "03-03", [], "title", "both"),
]


def day(text):
    return None if text is None else f"2024-{text}"


def _micros(text):
    return tiny.micros(day(text))


def write_truth(folder, *, facts=FACTS, questions=QUESTIONS):
    """Write the truth as a simulation does."""
    rows = {
        "entities": [
            (GROUP, key, "", name, [name], records, kind) for key, name, records, kind in ENTITIES
        ],
        "facts": [(GROUP, *row[:4], *map(_micros, row[4:8]), row[8], "crm") for row in facts],
        "questions": [(GROUP, *row[:2], *map(_micros, row[2:4]), *row[4:]) for row in questions],
    }
    for name, table in rows.items():
        path = folder / "truth" / f"{name}.parquet"
        path.mkdir(parents=True)
        batch = as_batch(table, TABLES[name])
        pq.write_table(pa.Table.from_batches([batch]), path / "part.parquet")


def entities():
    """Return id -> the row of an entity."""
    rows = {
        "e-a": ("Acme", ["account_no:a1", "account_no:a2", "website:acme.example"]),
        "e-p": ("Jane Doe", ["contact_no:c1", "email:jane@acme.example"]),
        "e-q": ("Jane Doe", ["contact_no:c2"]),
        "e-x": ("Xi", ["agent_no:x"]),
        "e-y": ("Yo", ["agent_no:y"]),
    }
    return {key: entity(key, name, borne) for key, (name, borne) in rows.items()}


def entity(key, name, identifiers, *, created="03-02", expired=None):
    return tiny.entity(
        key, name, identifiers=identifiers, created=day(created), expired=day(expired)
    )


def facts():
    """Return what the truth tells, of the snapshot's entities."""
    return {
        "xi": fact("e-a", "OWNED_BY", "e-x", "03-01", known=("03-02", "03-10")),
        "xi, ended": fact("e-a", "OWNED_BY", "e-x", "03-01", "03-09", known=("03-10", None)),
        "yo": fact("e-a", "OWNED_BY", "e-y", "03-09", known=("03-10", None)),
        "plan": fact("e-a", "HAS_PLAN", "=basic", "03-01"),
        "buyer": fact("e-p", "HAS_TITLE", "=Buyer", "03-01"),
        "planner": fact("e-q", "HAS_TITLE", "=Planner", "03-03", known=("03-04", None)),
    }


def fact(subject, relation, target, start, end=None, *, known=("03-02", None), **more):
    literal = target.startswith("=")
    return tiny.fact(
        f"{subject} {relation} {target}",
        subject,
        relation,
        None if literal else target,
        f"{subject} {relation} {target}",
        value=target[1:] if literal else None,
        valid_at=day(start),
        invalid_at=day(end),
        created=day(known[0]),
        expired_at=day(known[1]),
        **more,
    )


def write_snapshot(root, *, entities, facts, known_at=KNOWN_AT):
    """Write a snapshot of entities and facts, each with an episode that tells it."""
    rows = list(facts.values())
    evidence = [
        tiny.evidence(
            *(each["fact_id"], each["valid_at"], f"s{place}", f"m{place}"),
            created=each["created_at"],
            expired_at=each["expired_at"],
        )
        for place, each in enumerate(rows)
    ]
    episodes = [
        tiny.episode(f"m{place}", f"It says: {each['text']}.", at=each["created_at"])
        for place, each in enumerate(rows)
    ]
    tables = {
        "entities": list(entities.values()),
        "facts": rows,
        "fact_evidence": evidence,
        "episodes": episodes,
        "entity_redirects": [],
        "communities": [],
        "community_members": [],
    }
    writing.write_snapshot(root, tables, known_at=known_at)
