from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.declaration import TimeDeclaration
from regesta.sources.times import LATEST, iso_text, last_instant, parse_time

ISO = TimeDeclaration(path="t")


def told(value, **form):
    instant = parse_time(value, TimeDeclaration(path="t", **form))
    return instant and (iso_text(instant[0]), instant[1])


@pytest.mark.parametrize(
    ("value", "start", "precision", "end"),
    [
        ("2021", "2021-01-01T00:00:00Z", "year", "2022-01-01T00:00:00Z"),
        (2021, "2021-01-01T00:00:00Z", "year", "2022-01-01T00:00:00Z"),
        ("2021-12", "2021-12-01T00:00:00Z", "month", "2022-01-01T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z", "day", "2024-03-01T00:00:00Z"),
        ("20240229", "2024-02-29T00:00:00Z", "day", "2024-03-01T00:00:00Z"),
        ("2021-03-05 10:11", "2021-03-05T10:11:00Z", "minute", "2021-03-05T10:12:00Z"),
        ("2021-03-05T10:11:12", "2021-03-05T10:11:12Z", "second", "2021-03-05T10:11:13Z"),
        (
            "2021-03-05T10:11:12,5Z",
            "2021-03-05T10:11:12.500000Z",
            "microsecond",
            "2021-03-05T10:11:12.500001Z",
        ),
        ("2021-03-05T01:11+02:00", "2021-03-04T23:11:00Z", "minute", "2021-03-04T23:12:00Z"),
        ("2021-03-05T01:11:12 -0330", "2021-03-05T04:41:12Z", "second", "2021-03-05T04:41:13Z"),
        (1614902400, "2021-03-05T00:00:00Z", "second", "2021-03-05T00:00:01Z"),
        ("1614902400000", "2021-03-05T00:00:00Z", "second", "2021-03-05T00:00:01Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z", "day", "0001-01-02T00:00:00Z"),
    ],
)
def test_what_is_told_and_where_it_ends(value, start, precision, end):
    micros, found = parse_time(value, ISO)
    assert (iso_text(micros), found, iso_text(last_instant(micros, found))) == (
        start,
        precision,
        end,
    )


@pytest.mark.parametrize(
    "value", [None, "", "  ", "9999-12-31", "9999-12-31T23:59:59Z", "1900-01-01"]
)
def test_unknown_dates_tell_nothing(value):
    assert parse_time(value, ISO) is None


@pytest.mark.parametrize(
    "value", ["2021-02-30", "2021-13", "soon", "2021-03-05T25:00", "0000", True, [2021], 10**18]
)
def test_impossible_dates_are_named(value):
    with pytest.raises(ValueError, match=str(value).replace("[", r"\[").split("]")[0]):
        parse_time(value, ISO)


def test_day_first_dates():
    assert told("05-03-2016 12:00", format="%d-%m-%Y %H:%M") == ("2016-03-05T12:00:00Z", "minute")
    assert told("5.3.2016", format=["%d/%m/%Y", "%d.%m.%Y"]) == ("2016-03-05T00:00:00Z", "day")
    with pytest.raises(ValueError, match=r"'2016-03-05'; expected %d-%m-%Y"):
        told("2016-03-05", format="%d-%m-%Y")


@pytest.mark.parametrize(
    ("format", "precision"),
    [("%Y", "year"), ("%b %Y", "month"), ("%Y-%j", "day"), ("%d %B %Y %H", "minute")],
)
def test_precision_of_formats(format, precision):  # noqa: A002
    text = datetime(2021, 3, 5, 10).strftime(format)
    assert told(text, format=format)[1] == precision


def test_zones_and_changes_of_clocks():
    berlin = {"zone": "Europe/Berlin"}
    assert told("2024-01-01T12:00", **berlin)[0] == "2024-01-01T11:00:00Z"
    assert told("2024-07-01T12:00", **berlin)[0] == "2024-07-01T10:00:00Z"
    assert told("2024-10-27T02:30", **berlin)[0] == "2024-10-27T00:30:00Z"  # the first of two
    assert told("2024-03-31T02:30", **berlin)[0] == "2024-03-31T01:30:00Z"  # moved to 03:30 there
    assert told("2024-07-01T12:00Z", **berlin)[0] == "2024-07-01T12:00:00Z"
    start, precision = parse_time("2024-03-31", TimeDeclaration(path="t", **berlin))
    assert last_instant(start, precision, "Europe/Berlin") - start == 23 * 3_600_000_000


def test_ends_stay_within_what_a_time_can_hold():
    assert last_instant(*parse_time("9999", ISO)) == LATEST


@given(st.datetimes(datetime(1901, 1, 1), datetime(9998, 12, 31)))
def test_every_moment_is_read_back(moment):
    expected = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )
    assert parse_time(moment.isoformat(), ISO)[0] == expected
