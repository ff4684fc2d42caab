"""The times of a statement, from the expressions of time that stand beside its words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from regesta.extract.dates.calendar import DAY, Grain, day_start
from regesta.extract.dates.expression import Expression
from regesta.extract.identity import Times
from regesta.model import Precision
from regesta.sources.times import Instant

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PRECISIONS: Final[dict[Grain, Precision]] = {
    "century": "year",
    "decade": "year",
    "year": "year",
    "half": "month",
    "quarter": "month",
    "season": "month",
    "month": "month",
    "part": "day",
    "week": "day",
    "weekend": "day",
    "day": "day",
    "hour": "minute",
    "minute": "minute",
    "second": "second",
}


class Clock:
    """Translates between instants and the local time of a source's zone."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)

    def local(self, micros: int) -> datetime:
        """Return the wall clock's time, without zone."""
        return (_EPOCH + micros * _MICROSECOND).astimezone(self._zone).replace(tzinfo=None)

    def instant(self, moment: datetime) -> int:
        """Return the microseconds since 1970 in UTC of a wall clock's time."""
        return (moment.replace(tzinfo=self._zone) - _EPOCH) // _MICROSECOND

    def bounds(self, dates: Sequence[Expression], said: int, *, ends: bool) -> Times:
        """Return what the dates say of start and end (`stated`)."""
        return Times.of(*self.stated(dates, said, ends=ends))

    def stated(
        self, dates: Sequence[Expression], said: int, *, ends: bool
    ) -> tuple[Instant | None, Instant | None]:
        """Return what the dates say of start and end; of what ends the first one is its end.

        `said` is when the words were said (microseconds): "now" is no date. A part of a day stands
        for the day. A day on which something ended belongs to it still.
        """
        start: tuple[datetime, Grain] | None = None
        end: tuple[datetime, Grain] | None = None
        for date in dates:
            if date.start == date.named[0] == self.local(said):
                continue
            first, last = _whole_days(date)
            if ends:
                end = end or _ending(date, first, last)
                continue
            if date.bound in ("at", "since", "between") and first is not None:
                start = start or (first, date.grain)
            if date.bound in ("until", "between") and last is not None:
                end = end or (last, date.end_grain)
        return self._stated(start), self._stated(end)

    def _stated(self, bound: tuple[datetime, Grain] | None) -> Instant | None:
        return None if bound is None else (self.instant(bound[0]), _PRECISIONS[bound[1]])


def _whole_days(date: Expression) -> tuple[datetime | None, datetime | None]:
    if date.grain == "hour" and date.start != date.end and date.start is not None:
        return day_start(date.start), day_start(date.start) + DAY
    return date.start, date.end


def _ending(
    date: Expression, first: datetime | None, last: datetime | None
) -> tuple[datetime, Grain] | None:
    if date.bound in ("since", "before"):
        bound = first if date.bound == "since" else last
    else:
        bound = last if last is not None else first
    return None if bound is None else (bound, date.end_grain)
