"""Dates against cases that somebody else wrote: no worse than what was measured."""

from __future__ import annotations

import pytest

pytest.importorskip("duckling", reason="needs the extra `text`")

FLOORS = {"date": 0.90, "datetime": 0.85, "daterange": 0.85}


def test_recognizers_cases_are_read_as_well_as_measured(lent):
    from bench.score_dates import cases, duckling, ours, score

    rows = cases(lent("data", "recognizers", "cases_dev.jsonl"), "English/DateTimeModel.json")
    mine, plain = score(rows, ours(day_first=False)), score(rows, duckling)
    shares = {kind: mine[kind].any_reading / mine[kind].cases for kind in FLOORS}
    assert {kind for kind, floor in FLOORS.items() if shares[kind] < floor} == set(), shares
    assert all(mine[kind].any_reading > plain[kind].any_reading for kind in FLOORS)
