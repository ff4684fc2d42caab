"""Spans of the calendar, and dates of which a part is left open. Times are naive, local."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

Grain = Literal[
    "century",
    "decade",
    "year",
    "half",
    "quarter",
    "season",
    "month",
    "part",
    "week",
    "weekend",
    "day",
    "hour",
    "minute",
    "second",
]
DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
WEEK: Final = timedelta(days=7)
SUB_DAY: Final = ("hour", "minute", "second")
_MONTHS_OF: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_TIME_OF: Final = {
    "day": DAY,
    "week": WEEK,
    "hour": HOUR,
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
}


class ImpossibleDateError(ValueError):
    """A date that no calendar holds, as 30 February; `stop` is where its words stop."""

    stop = 0


@dataclass(frozen=True)
class Span:
    """A stretch of time named by one word: start, end (exclusive) and what is counted in."""

    start: datetime
    end: datetime
    grain: Grain

    def moved(self, offset: timedelta) -> Span:
        """Return the span as much later."""
        return Span(self.start + offset, self.end + offset, self.grain)


def day_start(moment: datetime) -> datetime:
    """Return the midnight with which the day of a moment begins."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def add_months(moment: datetime, months: int) -> datetime:
    """Return the moment so many months later, on the last day where its own is lacking."""
    total = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(total, 12)
    if not 1 <= year <= 9998:
        raise ImpossibleDateError(f"the year {year} is out of range")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, days_in(year, month + 1)))


def days_in(year: int, month: int) -> int:
    """Return how many days a month has."""
    following = datetime(year + month // 12, month % 12 + 1, 1)
    return (following - DAY).day


def shifted(moment: datetime, count: int, unit: str) -> datetime:
    """Return the moment `count` units later, of a unit that has a length in months or time.

    Raises ImpossibleDateError where the calendar ends.
    """
    if unit in _MONTHS_OF:
        return add_months(moment, count * _MONTHS_OF[unit])
    try:
        return moment + count * _TIME_OF[unit]
    except OverflowError as error:
        raise ImpossibleDateError(f"{count} {unit}s are out of range") from error


def unit_at(moment: datetime, unit: Grain) -> Span:
    """Return the whole year, quarter, month, week, weekend, day ... that holds a moment."""
    start = day_start(moment)
    if unit in _MONTHS_OF:
        months = _MONTHS_OF[unit]
        first = start.replace(day=1, month=1) if months > 12 else start.replace(day=1)
        if months > 12:
            first = first.replace(year=first.year // 10 * 10)
        else:
            first = first.replace(month=(first.month - 1) // months * months + 1)
        return Span(first, add_months(first, months), unit)
    if unit in ("week", "weekend"):
        monday = start - start.weekday() * DAY
        begin = monday if unit == "week" else monday + 5 * DAY
        return Span(begin, monday + WEEK, unit)
    if unit in SUB_DAY:
        kept = {"hour": 0, "minute": moment.minute, "second": moment.minute}[unit]
        second = moment.second if unit == "second" else 0
        begin = moment.replace(minute=kept, second=second, microsecond=0)
        return Span(begin, begin + _TIME_OF[unit], unit)
    return Span(start, start + DAY, "day")


def year_span(year: int) -> Span:
    """Return a year."""
    return month_of(year, 1, months=12, grain="year")


def month_of(year: int, month: int, *, months: int = 1, grain: Grain = "month") -> Span:
    """Return a month, or a stretch of several that begins with it."""
    if not (1 <= year <= 9998 and 1 <= month <= 12):
        raise ImpossibleDateError(f"there is no month {month} of {year}")
    start = datetime(year, month, 1)
    return Span(start, add_months(start, months), grain)


def date_of(year: int, month: int, day: int) -> Span:
    """Return a day; raises ImpossibleDateError where there is none."""
    try:
        start = datetime(year, month, day)
        return Span(start, start + DAY, "day")
    except (ValueError, OverflowError) as error:
        raise ImpossibleDateError(f"{year}-{month}-{day}: {error}") from error


@dataclass(frozen=True)
class Partial:
    """A date with parts left open: "5 March", "Friday", "the 18th", "April", "Sunday the 14th"."""

    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    @property
    def grain(self) -> Grain:
        """What the date is precise to."""
        return "month" if self.day is None and self.weekday is None else "day"

    def before(self, moment: datetime) -> Span:
        """Return the last one that begins before a moment."""
        return next(span for span in self._from(moment, -1) if span.start < moment)

    def at_or_after(self, moment: datetime) -> Span:
        """Return the first one that does not begin before a moment."""
        return next(span for span in self._from(moment, 1) if span.start >= moment)

    def in_year(self, year: int) -> Span:
        """Return the one of a year; raises ImpossibleDateError where there is none."""
        if self.month is None:
            raise ImpossibleDateError("a year needs a month beside the day")
        if self.day is None:
            return month_of(year, self.month)
        return date_of(year, self.month, self.day)

    def _from(self, moment: datetime, step: int) -> Iterator[Span]:
        if self.day is None and self.month is None:
            day = day_start(moment) - step * WEEK
            day += ((self.weekday or 0) - day.weekday()) % 7 * DAY
            for number in range(4):
                yield Span(day + number * step * WEEK, day + number * step * WEEK + DAY, "day")
            return
        month = add_months(day_start(moment).replace(day=1), -step * 12)
        for number in range(12 * 40):
            found = self._in_month(add_months(month, step * number))
            if found is not None:
                yield found
        raise ImpossibleDateError(f"no year near {moment.year} has this date")

    def _in_month(self, month: datetime) -> Span | None:
        if self.month not in (None, month.month):
            return None
        if self.day is None:
            return Span(month, add_months(month, 1), "month")
        if self.day > days_in(month.year, month.month):
            return None
        start = month.replace(day=self.day)
        if self.weekday not in (None, start.weekday()):
            return None
        return Span(start, start + DAY, "day")
