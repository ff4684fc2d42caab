"""Dates that are counted from another one: "the first week of January", "two days after Easter"."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from regesta.extract.dates.calendar import (
    DAY,
    SUB_DAY,
    WEEK,
    ImpossibleDateError,
    Partial,
    Span,
    day_start,
    shifted,
    unit_at,
)
from regesta.extract.dates.relative import AMOUNT, moved_by
from regesta.extract.dates.rules import Date, Match
from regesta.extract.dates.words import (
    NUMBER,
    ORDINAL,
    UNIT,
    WEEKDAY,
    number_of,
    quantity,
    unit_of,
    weekday_number,
)

_ORDER: Final = rf"(?P<which>{ORDINAL}|\d\d?(?:st|nd|rd|th)|last|final)"
Inner = Callable[[Match, Span], Date | None]


def _nth(found: Match, whole: Span) -> Date | None:
    """The first week of January: the one that holds its first Thursday; the last one likewise."""
    unit, _ = unit_of(found["unit"])
    which = found["which"].lower()
    is_last = which in ("last", "final")
    number = 0 if is_last else number_of(which) - 1
    if unit == "week":
        return _nth_week(whole, number, is_last=is_last)
    begin = shifted(unit_at(whole.end, unit).start, -1, unit) if is_last else whole.start
    span = unit_at(shifted(begin, number, unit), unit)
    return span if whole.start <= span.start < whole.end else None


def _nth_week(whole: Span, number: int, *, is_last: bool) -> Span | None:
    thursday = Partial(weekday=3)
    if is_last:
        found = thursday.before(whole.end)
    else:
        found = thursday.at_or_after(whole.start).moved(number * WEEK)
    return unit_at(found.start, "week") if whole.start <= found.start < whole.end else None


def _nth_weekday(found: Match, whole: Span) -> Date | None:
    partial = Partial(weekday=weekday_number(found["weekday"]))
    which = found["which"].lower()
    if which in ("last", "final"):
        span = partial.before(whole.end)
    else:
        span = partial.at_or_after(whole.start).moved((number_of(which) - 1) * WEEK)
    return span if whole.start <= span.start < whole.end else None


def _several_of(found: Match, whole: Span) -> Date | None:
    count, unit = quantity(found["number"], found["unit"])
    if found["which"].lower() == "first":
        return Span(whole.start, shifted(whole.start, count, unit), unit)
    end = unit_at(whole.end, unit).start if unit == "week" else whole.end
    return Span(shifted(end, -count, unit), end, unit)


def _week_of(_: Match, whole: Span) -> Date:
    return unit_at(whole.start, "week")


def _weekend_of(_: Match, whole: Span) -> Date:
    return unit_at(whole.start, "weekend")


def _part(found: Match, whole: Span) -> Date | None:
    """Early and late are the halves of a span, mid is its middle."""
    word = found["part"].lower()
    if whole.grain in ("day", *SUB_DAY):
        return None
    if re.match(r"mid|middle", word):
        return Span(*_middle(whole), "part")
    half = _middle_point(whole)
    if re.match(r"end|late|last", word):
        return Span(half, whole.end, "part")
    return Span(whole.start, half, "part")


def _middle(whole: Span) -> tuple[datetime, datetime]:
    start = whole.start
    if whole.grain == "month":
        return start + 9 * DAY, start + 20 * DAY
    if whole.grain == "year":
        return shifted(start, 4, "month"), shifted(start, 8, "month")
    third = (whole.end - start) / 3
    return day_start(start + third), day_start(start + 2 * third)


def _middle_point(whole: Span) -> datetime:
    if whole.grain == "year":
        return shifted(whole.start, 6, "month")
    if whole.grain == "month":
        return whole.start + 15 * DAY
    if whole.grain == "week":
        return whole.start + 3 * DAY
    return day_start(whole.start + (whole.end - whole.start) / 2)


def _before(found: Match, whole: Span) -> Date:
    return moved_by(found, whole.start, -1)


def _after(found: Match, whole: Span) -> Date:
    return moved_by(found, whole.start, 1)


def _for_amount(found: Match, whole: Span) -> Date:
    count, unit = quantity(found["number"], found["unit"])
    return Span(whole.start, shifted(whole.start, count, unit), unit)


def _leading(text: str) -> re.Pattern[str]:
    """Compile what stands before another date."""
    return re.compile(text, re.IGNORECASE)


OF_ANOTHER: Final[tuple[tuple[re.Pattern[str], Inner], ...]] = (
    (
        _leading(
            rf"(?:the\s+)?{_ORDER}\s+(?P<unit>day|week|weekend|month|quarter|year)\s+(?:of"
            rf"|in)\s+(?:the\s+)?(?=\w)"
        ),
        _nth,
    ),
    (_leading(rf"(?:the\s+)?{_ORDER}\s+(?P<weekday>{WEEKDAY})\s+(?:of|in)\s+(?=\w)"), _nth_weekday),
    (
        _leading(
            rf"(?:the\s+)?(?P<which>first"
            rf"|last)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})\s+(?:of|in)\s+(?=\w)"
        ),
        _several_of,
    ),
    (
        _leading(
            r"(?:the\s+)?(?:week|w/c|wc)\s+(?:of|commencing|beginning|starting|from"
            r"|with)?\s*(?:on\s+)?(?=\w)|w/c\s+(?=\w)"
        ),
        _week_of,
    ),
    (_leading(r"(?:the\s+)?weekend\s+of\s+(?=\w)"), _weekend_of),
    (
        _leading(
            r"(?:the\s+|in\s+the\s+)?(?P<part>(?:beginning|start|middle|end|early"
            r"|late)(?:\s+part)?\s+of(?:\s+the)?(?=\s)"
            r"|early(?:\s+in)?|late(?:\s+in)?|mid(?:-|\s+(?:of\s+)?)?|beginning|end)\s*(?=\w)"
        ),
        _part,
    ),
    (_leading(rf"{AMOUNT}\s+(?:before|prior\s+to|ahead\s+of)\s+(?=\w)"), _before),
    (_leading(rf"(?:in\s+)?{AMOUNT}\s+(?:after|from|following|since)\s+(?=\w)"), _after),
    (
        _leading(
            rf"(?:for\s+)?(?P<number>{NUMBER})\s+(?P<unit>{UNIT}),?\s+(?:starting"
            rf"|beginning|commencing)(?:\s+from|\s+on)?\s+(?=\w)"
        ),
        _for_amount,
    ),
    (_leading(rf"for\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT}),?\s+from\s+(?=\w)"), _for_amount),
)


def read_of_another(
    rule: tuple[re.Pattern[str], Inner],
    text: str,
    at: int,
    inner: Callable[[int], tuple[int, Date] | None],
    resolve: Callable[[Date], Span],
) -> tuple[int, Date] | None:
    """Apply a rule that is followed by another date, which `inner` reads and `resolve` resolves."""
    found = rule[0].match(text, at)
    following = None if found is None else inner(found.end())
    if found is None or following is None:
        return None
    stop, other = following
    try:
        date = rule[1](found, resolve(other))
    except ImpossibleDateError:
        return None
    return None if date is None else (stop, date)
