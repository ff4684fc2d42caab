"""Nightly extracts, case by case, worked out by hand: what each account shows is one case.

The extract of the 2nd comes late, on the 7th. That of the 8th is cut off and refused, then whole.
That of the 9th calls its columns otherwise.
"""

from __future__ import annotations

import csv
from typing import NamedTuple

import pytest

from projects import run_night, write_project

pytestmark = [pytest.mark.spark, pytest.mark.long]

SOURCE = {
    "path": "archive/*.csv",
    "format": "csv",
    "mode": "snapshot",
    "complete": True,
    "largest_drop": 0.3,
    "unknown_values": ["n/a"],
    "group": "'crm'",
    "source_id": "no",
    "reference_time": "day",
    "known_at": "loaded_at",
    # Without the dates of the extract, which every night changes.
    "content": "{no: no, plan: plan, owner: owner, city: city}",
    "entities": {
        "account": {"label": "Account", "name": "no", "identifiers": {"account_no": "no"}},
    },
    "statements": [
        {"subject": "account", "relation": "PLAN", "value": "plan"},
        {"subject": "account", "relation": "OWNER", "value": "owner", "empty": "ended"},
        {"subject": "account", "relation": "CITY", "value": "city"},
    ],
}
ONE_AT_A_TIME = {relation: {"cardinality": "one"} for relation in ("PLAN", "OWNER", "CITY")}
GONE = None
# Account -> what it shows on each of the days: plan, owner, city; GONE where the extract lacks it.
SHOWN = {
    "equal": [("basic", "Ann", "Oslo")] * 5,
    "changed": [("basic", "Ann", "Oslo")] * 2 + [("pro", "Ann", "Oslo")] * 3,
    "back": [("basic", "Ann", "Oslo"), ("pro", "Ann", "Oslo")] + [("basic", "Ann", "Oslo")] * 3,
    "late": [("basic", "Ann", "Oslo")] + [("pro", "Ann", "Oslo")] * 4,
    "vanished": [("basic", "Ann", "Oslo")] * 3 + [GONE] * 2,
    "returned": [("basic", "Ann", "Oslo")] * 2 + [GONE] + [("basic", "Ann", "Oslo")] * 2,
    "no owner": [("basic", "Ann", "Oslo")] * 2 + [("basic", "", "Oslo")] * 3,
    "no city": [("basic", "Ann", "Oslo")] * 2 + [("basic", "Ann", "")] * 3,
    "unknown": [("basic", "Ann", "Oslo"), ("basic", "Ann", "Oslo"), ("n/a", "Ann", "Oslo")]
    + [("pro", "Ann", "Oslo")] * 2,
    "new": [GONE] * 3 + [("basic", "Ann", "Oslo")] * 2,
}


class AsOf(NamedTuple):
    """What an account has in January 2024, on the day `valid` as known on the day `known`."""

    account: str
    relation: str
    valid: str
    known: str
    values: set[str]


EXPECTED = [
    # 1. Equal nights are one fact, that has held since the first.
    AsOf("equal", "PLAN", "01", "06", {"basic"}),
    AsOf("equal", "PLAN", "12", "12", {"basic"}),
    AsOf("equal", "PLAN", "12", "03", {"basic"}),
    # 2. A value lasts until a night shows another.
    AsOf("changed", "PLAN", "02", "06", {"basic"}),
    AsOf("changed", "PLAN", "03", "06", {"pro"}),
    # 3. There and back: known at first without the night between, then with it.
    AsOf("back", "PLAN", "02", "06", {"basic"}),
    AsOf("back", "PLAN", "02", "07T12", {"pro"}),
    AsOf("back", "PLAN", "03", "07T12", {"basic"}),
    # 4. A late extract moves a change to its own day, from when it came on.
    AsOf("late", "PLAN", "02", "06", {"basic"}),
    AsOf("late", "PLAN", "03", "06", {"pro"}),
    AsOf("late", "PLAN", "02", "07T12", {"pro"}),
    # 5. A record that a complete extract lacks has ended on that day.
    AsOf("vanished", "PLAN", "03", "06", {"basic"}),
    AsOf("vanished", "PLAN", "04", "06", set()),
    AsOf("vanished", "OWNER", "12", "12", set()),
    # 6. One that is back has two periods, and the day without it belongs to neither.
    AsOf("returned", "PLAN", "02", "07T12", {"basic"}),
    AsOf("returned", "PLAN", "03", "07T12", set()),
    AsOf("returned", "PLAN", "04", "07T12", {"basic"}),
    # 7. An emptied field that is declared to end has ended.
    AsOf("no owner", "OWNER", "02", "07T12", {"Ann"}),
    AsOf("no owner", "OWNER", "03", "07T12", set()),
    AsOf("no owner", "PLAN", "03", "07T12", {"basic"}),
    # 8. Any other emptied field says nothing.
    AsOf("no city", "CITY", "05", "07T12", {"Oslo"}),
    # 9. Nor does a value that means unknown; the next known one counts from its own day.
    AsOf("unknown", "PLAN", "03", "07T12", {"basic"}),
    AsOf("unknown", "PLAN", "04", "07T12", {"pro"}),
    # 10. A truncated extract is held back; what it lacks has not ended.
    AsOf("new", "PLAN", "03", "12", set()),
    AsOf("new", "PLAN", "08", "12", {"basic"}),
    AsOf("changed", "PLAN", "08", "09T12", {"pro"}),
    # 11. A renamed column leaves every field as it was, also one whose emptiness would end it.
    AsOf("changed", "PLAN", "09", "12", {"pro"}),
    AsOf("changed", "OWNER", "09", "12", {"Ann"}),
    AsOf("no owner", "OWNER", "09", "12", set()),
    AsOf("changed", "CITY", "09", "12", {"Bergen"}),
]


def extract(folder, day, rows, *, loaded=None, columns=("plan", "owner", "city")):
    """Write an extract; it was loaded at two in the next night unless said otherwise."""
    with (folder / "archive" / f"day-{day}.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["no", "day", "loaded_at", *columns])
        loaded_at = f"2024-01-{loaded or f'{day + 1:02}'}T02:00Z"
        lines.writerows([no, f"2024-01-0{day}", loaded_at, *row] for no, row in rows.items())


def shown(day):
    return {no: row for no, rows in SHOWN.items() if (row := rows[day - 1]) is not GONE}


@pytest.fixture(scope="module")
def graph(spark, tmp_path_factory):
    """The graph after four nights; the third is tried with a truncated extract first."""
    from regesta import query
    from regesta.errors import InputError

    folder = tmp_path_factory.mktemp("snapshots")
    (folder / "archive").mkdir()
    conf = write_project(folder, {"crm": SOURCE}, {"relations": ONE_AT_A_TIME})
    for day in (1, 3, 4, 5):
        extract(folder, day, shown(day))
    run_night(spark, conf, "2024-01-06T12:00")
    extract(folder, 2, shown(2), loaded="07")
    run_night(spark, conf, "2024-01-07T12:00")
    whole = shown(5)
    extract(folder, 8, dict(list(whole.items())[:4]))
    with pytest.raises(InputError, match="largest_drop"):
        run_night(spark, conf, "2024-01-09T12:00")
    extract(folder, 8, whole)
    run_night(spark, conf, "2024-01-09T12:00")
    moved = {no: (plan, owner, "Bergen") for no, (plan, owner, _) in whole.items()}
    extract(folder, 9, moved, columns=("plan_name", "owner_name", "city"))
    run_night(spark, conf, "2024-01-12T00:00")
    return query.open(folder / "warehouse" / "snapshots").group("crm")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda case: " ".join(case[:4]))
def test_as_of(graph, expected):
    at = graph.as_of(valid=f"2024-01-{expected.valid}", known=f"2024-01-{expected.known}")
    if not at.matching(expected.account):
        assert expected.values == set()
        return
    facts = at.facts(subject=expected.account, relation=expected.relation)
    assert {fact.value for fact in facts} == expected.values


def test_equal_nights_are_one_episode_and_one_fact(graph):
    [fact] = graph.as_of().history("equal", "PLAN")
    assert fact.dates == "since 2024-01-01"
    [explanation] = graph.as_of().why(fact)
    assert len(explanation.evidence) == 1
