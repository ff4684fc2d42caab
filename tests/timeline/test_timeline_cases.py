"""The rules stated as data: every point of both time axes, however the arrival is split."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest
from timeline_writing import Table, holds, statement, triple

from regesta.timeline.ontology import Ontology, Relation
from regesta.timeline.rules import believed

SHARED = Path(
    os.environ.get("REGESTA_SHARED_DATA", Path(__file__).resolve().parents[2].parent / "shared")
)
CASES = SHARED / "timeline" / "cases.json"
DATA = json.loads(CASES.read_text()) if CASES.exists() else {"ontology": {}, "cases": []}
ONTOLOGY = Ontology.of(
    Relation(
        name,
        declared.get("cardinality", "many"),
        frozenset(declared.get("excludes", ())),
        declared.get("kind", "state"),
    )
    for name, declared in DATA["ontology"].items()
)
pytestmark = pytest.mark.skipif(not DATA["cases"], reason=f"lent data not found: {CASES}")
every_case = pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["name"])


def day(text):
    return None if text is None else date.fromisoformat(text).toordinal()


def statements_of(case):
    """The statements with the known time in which their version is the highest known one."""
    found = []
    for version in case["versions"]:
        since = day(version["known_at"])
        rivals = [
            other
            for other in case["versions"]
            if other["item"] == version["item"] and other["version"] > version["version"]
        ]
        until = min((day(other["known_at"]) for other in rivals), default=None)
        if (until is None or until > since) and not version.get("removed"):
            found += [read(given, since, until) for given in version.get("statements", [])]
    return found


def read(given, since, until):
    return statement(
        given["id"],
        given["subject"],
        given["relation"],
        given.get("object"),
        polarity=given.get("polarity", "asserts"),
        retracts=given.get("of", "asserts"),
        reference_time=day(given["reference_time"]),
        position=given.get("position", 0),
        authority=given.get("authority", 0),
        valid_at=day(given.get("valid_at")),
        invalid_at=day(given.get("invalid_at")),
        temporary=given.get("temporary", False),
        known_from=since,
        known_until=until,
    )


def known_times(case):
    return sorted({day(version["known_at"]) for version in case["versions"]})


def assert_believed(case, table):
    for point in case["asof"]:
        found = table.as_of(day(point["valid"]), day(point["known"]))
        assert found == sorted(map(tuple, point["facts"])), point


@every_case
def test_believed_at_every_known_time(case):
    given = statements_of(case)
    for point in case["asof"]:
        known, valid = day(point["known"]), day(point["valid"])
        counting = [
            s
            for s in given
            if s.known_from <= known and (s.known_until is None or known < s.known_until)
        ]
        periods = [p for p in believed(counting, ONTOLOGY) if not p.disputed and holds(p, valid)]
        assert sorted({triple(p) for p in periods}) == sorted(map(tuple, point["facts"])), point


@every_case
@pytest.mark.parametrize("nights", ["one", "two", "each"])
def test_history_however_the_arrival_is_split(case, nights):
    times = known_times(case)
    split = {"one": times[-1:], "two": [times[len(times) // 2], times[-1]], "each": times}[nights]
    table = Table(ONTOLOGY)
    for until in dict.fromkeys(split):
        table.night(statements_of(case), until)
    assert_believed(case, table)
