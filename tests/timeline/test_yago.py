"""Facts of YAGO fed as openings only: functional relations close, the others never do."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from datetime import date
from random import Random
from typing import NamedTuple

import pytest
from timeline_writing import Table, statement, visible

from projects import run_night, write_project
from regesta.timeline.components import components
from regesta.timeline.ontology import ENTITY, Ontology, Relation

FUNCTIONAL = ("isMarriedTo", "wasBornIn", "diedIn")
OTHERS = (
    *("playsFor", "isAffiliatedTo", "worksAt", "owns", "graduatedFrom", "hasWonPrize", "created"),
)
ONTOLOGY = Ontology.of(
    [*(Relation(name, "one") for name in FUNCTIONAL), *(Relation(name) for name in OTHERS)]
)
SYMMETRIC = Ontology.of([Relation("isMarriedTo", "one", symmetric=True)])
LATEST = 10**9
NO_DATE = "1963-64-65"


class Given(NamedTuple):
    """A fact of the file; the days are ordinals, those of a coarse date its first."""

    subject: str
    relation: str
    object: str
    start: int
    end: int | None


@pytest.fixture(scope="module")
def facts(lent):
    with lent("data", "yago11k", "facts_dev.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 10_229
    found = [
        Given(r["subject"], r["relation"], r["object"], day(r["start"]), day(r["end"] or None))
        for r in rows
        if r["start"] != NO_DATE
    ]
    assert len(found) == len(rows) - 1
    return found


def day(text):
    if text is None:
        return None
    year, month, day_ = [*text.split("-"), "1", "1"][:3]
    return date(int(year), int(month), int(day_)).toordinal()


def openings(facts):
    """What each fact says without its end, known from its place among the others on."""
    names = sorted(range(len(facts)), key=facts.__getitem__)
    ids = {place: f"s{number:05}" for number, place in enumerate(names)}
    return [
        statement(
            ids[arrival],
            fact.subject,
            fact.relation,
            f"{ENTITY}{fact.object}",
            valid_at=fact.start,
            position=int(ids[arrival][1:]),  # decides between two of one start
            known_from=arrival + 1,
        )
        for arrival, fact in enumerate(facts)
    ]


def orders(facts):
    """The facts by start, in reverse, and shuffled."""
    by_start = sorted(facts, key=lambda fact: (fact.start, fact))
    return {
        "by start": by_start,
        "reverse": by_start[::-1],
        "shuffled": Random(11).sample(by_start, len(facts)),
    }


def arriving(given, ontology):
    """What is believed last where each statement is a night of its own."""
    last = {}
    for part in components(given, ontology):
        table = Table(ontology)
        for known in sorted(each.known_from for each in part):
            table.night(part, known)
        for row in table.facts.values():
            if visible(row, LATEST):
                period = row.period
                target = period.object.removeprefix(ENTITY)
                key = (period.subject, period.relation, target, period.start)
                last[key] = (period.end, period.end_reason, period.disputed)
    return last


@pytest.fixture(scope="module")
def last(facts):
    return {name: arriving(openings(given), ONTOLOGY) for name, given in orders(facts).items()}


def test_the_order_of_arrival_is_irrelevant(last):
    assert last["by start"] == last["reverse"] == last["shuffled"]


def test_relations_that_are_not_functional_close_nothing(facts, last):
    given = [fact for fact in facts if fact.relation in OTHERS]
    found = {key: ended for key, ended in last["shuffled"].items() if key[1] in OTHERS}
    assert len(given) == 6_532
    assert found.keys() == {fact[:4] for fact in given}
    assert set(found.values()) == {(None, None, False)}


def test_functional_relations_close_their_predecessor_at_its_start(facts, last):
    """Each exception has its reason: the last of a subject stays, of one start only one holds."""
    of_subject = defaultdict(list)
    for fact in facts:
        if fact.relation in FUNCTIONAL:
            of_subject[fact.subject, fact.relation].append(fact)
    told, found = Counter(), last["shuffled"]
    for given in of_subject.values():
        for fact in given:
            later = min((other.start for other in given if other.start > fact.start), default=None)
            rivals = [other for other in given if other.start == fact.start]
            if fact[:4] not in found:
                assert any(other[:4] in found for other in rivals if other != fact)
                told["another of the same start holds"] += 1
                continue
            reason = None if later is None else "superseded"
            assert found[fact[:4]] == (later, reason, False)
            told["closed at the next start" if reason else "the last, stays open"] += 1
    assert told == {
        "closed at the next start": 83,
        "the last, stays open": 3_609,
        "another of the same start holds": 4,
    }


def test_no_marriage_is_closed_before_it_is_said_to_have_ended(facts, last):
    closed = {key: end for key, (end, *_) in last["shuffled"].items() if end is not None}
    ends = {fact[:4]: fact.end for fact in facts if fact.end is not None}
    assert {key[1] for key in closed} == {"isMarriedTo"}
    both = [(closed[key], ends[key]) for key in closed.keys() & ends.keys()]
    assert len(both) == 72
    assert all(when >= end for when, end in both)


def test_where_either_side_has_one_the_spouse_s_next_marriage_closes_too(facts):
    married = [fact for fact in facts if fact.relation == "isMarriedTo"]
    found = arriving(openings(married), SYMMETRIC)
    assert found == arriving(openings(married[::-1]), SYMMETRIC)
    told = Counter()
    for fact in married:
        own, spouse_s = (later_marriage(married, one, fact) for one in (fact.subject, fact.object))
        end = min(own, spouse_s)
        if fact[:4] not in found:
            assert other_marriages(married, fact, fact.start)
            told["another has the same start"] += 1
            continue
        assert found[fact[:4]][0] == (None if end == LATEST else end)
        by = "the subject's next" if own == end else "the spouse's next"
        told["stays open" if end == LATEST else by] += 1
    assert told == {
        "stays open": 1_027,
        "the subject's next": 78,
        "the spouse's next": 71,
        "another has the same start": 13,
    }


def later_marriage(married, one, fact):
    """The start of a person's next marriage with somebody else."""
    others = (other for other in married if one in (other.subject, other.object))
    starts = (
        other.start
        for other in others
        if {other.subject, other.object} != {fact.subject, fact.object} and other.start > fact.start
    )
    return min(starts, default=LATEST)


def other_marriages(married, fact, start):
    """The marriages of either of two people with others that begin at a time."""
    pair = {fact.subject, fact.object}
    return [
        other
        for other in married
        if other.start == start and len(pair & {other.subject, other.object}) == 1
    ]


SOURCE = {
    "path": "facts.jsonl",
    "format": "jsonl",
    "mode": "event",
    "group": "'yago'",
    "source_id": "id",
    "reference_time": "start",
    "position": "position",
    "entities": {
        end: {"label": "Thing", "name": end, "identifiers": {"key": f"{end}_key"}}
        for end in ("subject", "object")
    },
    "statements": [
        {
            "subject": "subject",
            "relation": {"path": "relation", "prefix": "IS_"},
            "object": "object",
        }
    ],
}
VOCABULARY = {
    "labels": {"Thing": {}},
    "identifiers": {"key": {"joins": True}},
    "relations": {"IS_MARRIED": {"cardinality": "one"}},
}


@pytest.mark.spark
@pytest.mark.long
def test_through_spark_the_same_is_believed(spark, facts, tmp_path):
    from regesta import query

    chosen = some_of(facts)
    conf = write_project(tmp_path, {"facts": SOURCE}, VOCABULARY)
    keys = {name: f"{n}" for n, name in enumerate(sorted({f.subject for f in chosen}))}
    rows = [
        {
            "id": f"{number}",
            "position": number,
            "subject": fact.subject,
            "subject_key": keys[fact.subject],
            "relation": "married" if fact.relation == "isMarriedTo" else fact.relation.lower(),
            "object": fact.object,
            "object_key": keys.get(fact.object, f"object {fact.object}"),
            "start": date.fromordinal(fact.start).isoformat(),
        }
        for number, fact in enumerate(sorted(chosen))
    ]
    Random(3).shuffle(rows)
    (tmp_path / "facts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run_night(spark, conf, "2025-01-01")
    graph = query.open(tmp_path / "warehouse" / "snapshots").group("yago")
    found = {
        (name, fact.object, fact.start, fact.invalid_at)
        for name, key in keys.items()
        for fact in graph.history(f"key:{key}")
    }
    assert len(chosen) > 400
    assert found == {
        (subject, target, micros(start), micros(end))
        for (subject, _, target, start), (end, *_) in arriving(openings(chosen), ONTOLOGY).items()
    }


def some_of(facts):
    """The marriages of those who married twice, and one in twenty of what closes nothing."""
    marriages = Counter(fact.subject for fact in facts if fact.relation == "isMarriedTo")
    unknown = date(1900, 1, 1).toordinal()  # of records: a date that stands for none
    return [
        fact
        for place, fact in enumerate(facts)
        if (marriages[fact.subject] > 1 and fact.relation == "isMarriedTo")
        or (fact.relation in OTHERS and place % 20 == 0)
        if fact.start != unknown
    ]


def micros(ordinal):
    days = None if ordinal is None else ordinal - date(1970, 1, 1).toordinal()
    return None if days is None else days * 86_400_000_000
