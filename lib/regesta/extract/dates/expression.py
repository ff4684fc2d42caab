"""What an expression of time means: an interval, perhaps open, and its bounds as named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from regesta.extract.dates.calendar import SUB_DAY, Grain, Span, day_start

Direction = Literal["past", "future"]
Bound = Literal["at", "since", "after", "until", "before", "between"]


@dataclass(frozen=True)
class Expression:
    """An expression of time: its characters and the interval it means, in local time.

    `start` and `end` (exclusive, the last unit named included) are None where it is open; `named`
    are the bounds as the words name them (of "until Friday" the Friday's start). `grain` is what
    the first bound that there is counts in, `end_grain` the last one.
    """

    begin: int
    stop: int
    start: datetime | None
    end: datetime | None
    bound: Bound
    grain: Grain
    end_grain: Grain
    named: tuple[datetime | None, datetime | None]


def whole(begin: int, stop: int, span: Span) -> Expression:
    """Return an expression that names one stretch of time."""
    bounds = (span.start, span.end)
    return Expression(begin, stop, *bounds, "at", span.grain, span.grain, bounds)


def instant(begin: int, stop: int, moment: datetime, grain: Grain) -> Expression:
    """Return an expression that names a time of day."""
    return Expression(begin, stop, moment, moment, "at", grain, grain, (moment, moment))


def between(begin: int, stop: int, first: Span, last: Span) -> Expression:
    """Return an expression with two ends; the last unit belongs to it."""
    named_end = last.end if last.grain == "part" else last.start
    named = (first.start, named_end)
    if (first.grain == "second") != (last.grain == "second"):  # "between now and the 15th"
        named = (day_start(first.start), day_start(named_end))
    return Expression(begin, stop, first.start, last.end, "between", first.grain, last.grain, named)


def bounded(begin: int, stop: int, span: Span, bound: Bound) -> Expression:
    """Return an expression with one end; coarse dates reach outwards, "after" leaves them out."""
    is_coarse = span.grain not in ("day", *SUB_DAY)
    start = {"since": span.start, "after": span.end}.get(bound)
    end = {"until": span.end, "before": span.start}.get(bound)
    named_start = span.start if bound == "since" or not is_coarse else span.end
    named_end = span.end if bound == "until" and is_coarse else span.start
    named = (named_start if start else None, named_end if end else None)
    return Expression(begin, stop, start, end, bound, span.grain, span.grain, named)
