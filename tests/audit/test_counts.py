"""Sums that don't add up and known times that don't grow are found, each by its batch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from regesta.audit.counts import AuditedBatch, counts, known_times

STEPS = {
    "ingest": {
        "read": 10,
        "new": 5,
        "unchanged": 2,
        "heartbeats": 2,
        "rejected": 1,
        "ended": 1,
        "arrived": True,
    },
    "extract": {
        "read": 6,
        "out": 3,
        "empty": 1,
        "removed": 1,
        "failed": 1,
        "mentions": 7,
        "statements": 8,
    },
}
ROWS = {
    "episodes": 6,
    "heartbeats": 2,
    "rejected_rows": 1,
    "mentions": 7,
    "statements": 8,
    "rejected_episodes": 1,
}
BATCH = AuditedBatch(3, 300, STEPS, ROWS, {"episodes": 300, "mentions": 250})


def test_a_batch_that_adds_up():
    assert list(counts(BATCH)) == []
    assert list(known_times([replace(BATCH, number=2, known_at=299, latest={}), BATCH])) == []


def test_a_delivery_without_rows_adds_up():
    nothing = dict.fromkeys(STEPS["extract"], 0)
    steps = {"ingest": {"arrived": True}, "extract": nothing}
    assert list(counts(AuditedBatch(1, 100, steps))) == []


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("change", [-1, 1])
def test_a_lost_or_doubled_row_is_found(table, change):
    rows = {**ROWS, table: ROWS[table] + change}
    (found,) = counts(replace(BATCH, rows=rows))
    assert (found.table, found.key) == (table, "batch 3")
    assert f"holds {rows[table]} rows of it, its steps told {ROWS[table]}" in found.told


@pytest.mark.parametrize(("step", "name"), [("ingest", "read"), ("extract", "empty")])
def test_a_sum_that_does_not_add_up_is_found(step, name):
    changed = {**STEPS[step], name: STEPS[step][name] + 1}
    (found,) = counts(replace(BATCH, steps={**STEPS, step: changed}))
    assert "were read" in found.told


@pytest.mark.parametrize("known_at", [300, 301])
def test_a_batch_that_is_not_later_is_found(known_at):
    earlier = replace(BATCH, number=2, known_at=known_at, latest={})
    (found,) = known_times([earlier, BATCH])
    assert (found.table, found.key) == ("batches", "batch 3")
    assert found.told == "is not known later than batch 2"


def test_rows_known_later_than_their_batch_are_found():
    (found,) = known_times([replace(BATCH, latest={"mentions": 301})])
    assert (found.table, found.key) == ("mentions", "batch 3")
