"""Dates read and shown in their precision."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from regesta.query import QueryError, show, show_last
from regesta.query.times import to_micros

MARCH_5 = 1_614_902_400_000_000  # date -u -d 2021-03-05 +%s


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2021", 1_609_459_200_000_000),
        ("2021-03", 1_614_556_800_000_000),
        ("2021-03-05", MARCH_5),
        ("2021-03-05T10:30", MARCH_5 + 37_800_000_000),
        ("2021-03-05T10:30:00+01:00", MARCH_5 + 34_200_000_000),
        ("2021-03-05 10:30:00.000001Z", MARCH_5 + 37_800_000_001),
        (datetime(2021, 3, 5), MARCH_5),
        (datetime(2021, 3, 5, 1, tzinfo=timezone(timedelta(hours=1))), MARCH_5),
        (datetime(9999, 12, 31, tzinfo=UTC), 253_402_214_400_000_000),
        (MARCH_5, MARCH_5),
    ],
)
def test_an_instant_is_its_first_microsecond(value, wanted):
    assert to_micros(value) == wanted


@pytest.mark.parametrize("value", ["yesterday", "2021-13", "05.03.2021", ""])
def test_what_is_no_date_is_refused(value):
    with pytest.raises(QueryError, match="is no date"):
        to_micros(value)


@pytest.mark.parametrize(
    ("precision", "wanted"),
    [
        ("year", "2021"),
        ("month", "2021-03"),
        ("day", "2021-03-05"),
        ("minute", "2021-03-05 10:30"),
        ("second", "2021-03-05 10:30:15"),
        ("microsecond", "2021-03-05 10:30:15.000000"),
        (None, "2021-03-05 10:30:15"),
    ],
)
def test_dates_are_shown_in_their_precision(precision, wanted):
    assert show(MARCH_5 + 37_815_000_000, precision) == wanted


@pytest.mark.parametrize(
    ("end", "precision", "wanted"),
    [
        ("2022-01-01", "year", "2021"),  # "until 2021" reaches to its last instant
        ("2022-07-01", "month", "2022-06"),
        ("2021-03-06", "day", "2021-03-05"),
        ("2021-03-05T10:30", "minute", "2021-03-05 10:30"),
    ],
)
def test_coarse_ends_are_the_last_that_they_hold(end, precision, wanted):
    assert show_last(to_micros(end), precision) == wanted
