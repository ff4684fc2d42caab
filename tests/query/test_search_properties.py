"""No hit outside the as-of, no hit of another group, whatever the rows."""

from __future__ import annotations

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

import regesta.query
from publish import tiny, writing

DAYS = st.integers(0, 12)
WORDS = st.lists(st.sampled_from(["fox", "dog", "cat", "hen", "owl"]), min_size=1, max_size=4)


def day(number):
    return None if number is None else f"2020-01-{number + 1:02d}"


@st.composite
def fact_rows(draw):
    created = draw(DAYS)
    expired = draw(st.one_of(st.none(), st.integers(created + 1, 14)))
    start = draw(DAYS)
    seen = draw(st.booleans())
    return {
        "group": draw(st.sampled_from(["g1", "g2"])),
        "text": " ".join(draw(WORDS)),
        "created": created,
        "expired": expired,
        "start": start,
        "seen": seen,
        "end": draw(st.one_of(st.none(), st.integers(start + 1, 14))),
        "event": draw(st.booleans()),
        "disputed": draw(st.booleans()),
    }


def warehouse(rows):
    """Return rows of all tables for the drawn facts; each has one entity, citation and episode."""
    facts, evidence = [], []
    for number, row in enumerate(rows):
        starts = {"seen_from" if row["seen"] else "valid_at": day(row["start"])}
        stamps = {"created": day(row["created"]), "expired_at": day(row["expired"])}
        common = {"group": row["group"], **stamps}
        facts.append(
            tiny.fact(
                f"f{number:02d}",
                f"e-{row['group']}",
                "SAYS",
                None,
                row["text"],
                **common,
                **starts,
                value="x",
                invalid_at=day(row["end"]),
                kind="event" if row["event"] else "state",
                flags=["disputed"] if row["disputed"] else [],
            )
        )
        citation = (f"f{number:02d}", day(row["start"]), f"s{number}", f"m-{row['group']}")
        evidence.append(tiny.evidence(*citation, **common))
    groups = ("g1", "g2")
    return {
        "entities": [tiny.entity(f"e-{each}", each, group=each, created=day(0)) for each in groups],
        "episodes": [tiny.episode(f"m-{each}", "text", group=each, at=day(0)) for each in groups],
        "supersessions": [],
        "facts": facts,
        "fact_evidence": evidence,
        "entity_redirects": [],
        "communities": [],
        "community_members": [],
    }


def believed(row, valid, known):
    """The as-of predicate of the design, on one drawn row."""
    held = row["event"] or row["end"] is None or valid < row["end"]
    standing = row["created"] <= known and (row["expired"] is None or known < row["expired"])
    return standing and row["start"] <= valid and held and not row["disputed"]


@settings(max_examples=60, deadline=None)
@given(st.lists(fact_rows(), max_size=12), DAYS, DAYS, WORDS)
def test_search_and_facts_stay_inside_the_as_of(rows, valid, known, query):
    with tempfile.TemporaryDirectory() as root:
        writing.write_snapshot(root, warehouse(rows))
        snapshot = regesta.query.open(root)
        for group in ("g1", "g2"):
            graph = snapshot.group(group).as_of(valid=day(valid), known=day(known))
            wanted = [
                f"f{number:02d}"
                for number, row in enumerate(rows)
                if row["group"] == group and believed(row, valid, known)
            ]
            assert [fact.fact_id for fact in graph.facts()] == wanted
            hits = graph.search(" ".join(query), limit=50)
            having = {
                f"f{number:02d}"
                for number, row in enumerate(rows)
                if {*query} & {*row["text"].split()}
            }
            assert sorted(hit.fact.fact_id for hit in hits) == sorted(having & {*wanted})
            keys = [(-hit.score, hit.fact.fact_id) for hit in hits]
            assert keys == sorted(keys)


@settings(max_examples=30, deadline=None)
@given(st.lists(fact_rows(), max_size=10), DAYS, DAYS, WORDS)
def test_what_is_written_later_changes_no_earlier_answer(rows, valid, known, query):
    """Scores too: neither later rows nor another group's rows have a part in them."""
    early = [
        {**row, "expired": row["expired"] if (row["expired"] or 99) <= known else None}
        for row in rows
        if row["created"] <= known and row["group"] == "g1"
    ]
    answers = []
    for each in (rows, early):
        with tempfile.TemporaryDirectory() as root:
            writing.write_snapshot(root, warehouse(each))
            graph = regesta.query.open(root).group("g1").as_of(valid=day(valid), known=day(known))
            hits = graph.search(" ".join(query), limit=50)
            answers.append(sorted((hit.score, hit.fact.text, hit.fact.dates) for hit in hits))
    assert answers[0] == answers[1]
