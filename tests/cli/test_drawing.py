"""Bars of valid time: forty columns from the first start to the latest end or now."""

from __future__ import annotations

from regesta.cli.drawing import timeline
from regesta.query import Fact
from regesta.query.times import to_micros


def fact(value, valid_at=None, invalid_at=None, *, seen_from=None, kind="state"):
    times = {"valid_at": valid_at, "invalid_at": invalid_at, "seen_from": seen_from}
    micros = {name: None if time is None else to_micros(time) for name, time in times.items()}
    fields = dict.fromkeys(Fact.__dataclass_fields__)
    return Fact(**{**fields, **micros, "relation": "R", "kind": kind, "value": value})


def test_periods_events_and_what_is_not_known():
    drawn = timeline(
        [
            fact("one", "2024-01-01", "2024-01-20"),
            fact("two", "2024-01-20"),
            fact("seen", seen_from="2024-01-11"),
            fact("met", "2024-01-31", kind="event"),
            fact("short", "2024-02-08", "2024-02-08T12:00"),
        ],
        to_micros("2024-02-09"),
    )
    assert drawn == [
        "R one    ├" + 18 * "─" + "┤",
        "R two    " + 19 * " " + "├" + 19 * "─" + "▶",
        "R seen   " + 10 * " " + "┄" + 28 * "─" + "▶",
        "R met    " + 30 * " " + "●",
        "R short  " + 38 * " " + "│",
        "         2024-01-01" + 20 * " " + "2024-02-09",
    ]


def test_long_names_are_cut_and_nothing_draws_nothing():
    assert timeline([], 0) == []
    [line, _] = timeline([fact("x" * 80, "2024-01-01")], to_micros("2024-02-01"))
    assert line.startswith("R " + "x" * 29 + "…  ├")
