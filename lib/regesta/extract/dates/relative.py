"""Expressions that count from the moment they are said."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from regesta.extract.dates.calendar import (
    DAY,
    SUB_DAY,
    WEEK,
    Grain,
    Partial,
    Span,
    day_start,
    shifted,
    unit_at,
)
from regesta.extract.dates.rules import Date, Match, Reading, Rule, pattern
from regesta.extract.dates.words import (
    MONTH,
    NUMBER,
    UNIT,
    WEEKDAY,
    month_number,
    quantity,
    unit_of,
    weekday_number,
)

_BACK: Final = r"last|past|previous|prior|preceding"
_ON: Final = r"next|coming|following|upcoming|subsequent"
_HERE: Final = r"this\s+(?:coming|upcoming|past|last)|this|current|same|the"
_REL: Final = rf"(?P<rel>{_BACK}|{_ON}|{_HERE})"
_WEEKS: Final = (
    r"(?P<unit>days?|weeks?|fortnight|months?|quarters?|years?|decades?|weekends?"
    r"|work(?:ing\s+)?\s?weeks?)"
)
_COARSE: Final = ("week", "month", "quarter", "half", "year", "decade")


def _sign(word: str) -> int:
    word = word.lower()
    if re.match(rf"(?:this\s+)?(?:{_BACK})", word):
        return -1
    return 1 if re.match(_ON, word) else 0


def _whole(found: Match, reading: Reading) -> Date | None:
    """This, the last or the next week, month, quarter, year, weekend."""
    text = " ".join(found["unit"].lower().split())
    sign = _sign(found["rel"])
    here = reading.reference
    if text.endswith("week") and text.startswith("work"):
        monday = unit_at(here + sign * WEEK, "week").start
        return Span(monday, monday + 5 * DAY, "week")
    if text.startswith("weekend"):
        return unit_at(here + sign * WEEK, "weekend")
    unit, times = unit_of(text)
    if unit == "day":
        is_now = found["rel"].lower() in ("this", "same", "current", "the")
        return None if is_now else unit_at(here + sign * DAY, "day")
    if times > 1:
        begin = unit_at(here + WEEK if sign > 0 else here - 2 * WEEK, "week").start
        return Span(begin, begin + 2 * WEEK, "week") if sign else None
    return unit_at(shifted(here, sign, unit), unit)


def _after_next(found: Match, reading: Reading) -> Date:
    unit, _ = unit_of(found["unit"])
    sign = 2 if found["which"].lower() in ("next", "after") else -2
    return unit_at(shifted(reading.reference, sign, unit), unit)


def _several(found: Match, reading: Reading) -> Date | None:
    """The last or next N days, weeks, months ...: whole quarters and decades, else rolling."""
    count, unit = quantity(found["number"], found["unit"])
    sign = _sign(found["rel"])
    if not sign or not count:
        return None
    here = reading.reference
    if unit in ("quarter", "decade"):
        current = unit_at(here, unit)
        if sign < 0:
            return Span(shifted(current.start, -count, unit), current.start, unit)
        return Span(current.end, shifted(current.end, count, unit), unit)
    if unit in SUB_DAY:
        other = shifted(here, sign * count, unit)
        return Span(min(here, other), max(here, other), unit)
    today = day_start(here)
    if sign < 0:
        return Span(shifted(today, -count, unit), today, "day")
    tomorrow = today + DAY
    return Span(tomorrow, shifted(tomorrow, count, unit), "day")


def _month_word(found: Match, reading: Reading) -> Date:
    partial, month = Partial(month=month_number(found["month"])), day_start(reading.reference)
    month = month.replace(day=1)
    sign = _sign(found["rel"])
    if sign < 0:
        return partial.before(month)
    return partial.at_or_after(shifted(month, 1, "month")) if sign else partial.in_year(month.year)


def _weekday_word(found: Match, reading: Reading) -> Date | None:
    day = weekday_number(found["weekday"])
    today = day_start(reading.reference)
    monday = unit_at(today, "week").start
    word = " ".join(found["rel"].lower().split())
    if word in ("previous", "prior", "preceding"):
        return unit_at(monday - WEEK + day * DAY, "day")
    if _sign(word) < 0:
        return Partial(weekday=day).before(today)
    if word in ("next", "following", "subsequent"):
        return unit_at(monday + WEEK + day * DAY, "day")
    if word in ("coming", "upcoming", "this coming", "this upcoming"):
        return Partial(weekday=day).at_or_after(today)
    return unit_at(monday + day * DAY, "day") if word in ("this", "current") else None


def _weekday_of_week(found: Match, reading: Reading) -> Date:
    sign = _sign(found["rel"])
    monday = unit_at(reading.reference + sign * WEEK, "week").start
    return unit_at(monday + weekday_number(found["weekday"]) * DAY, "day")


def _offset(here: datetime, count: int, unit: Grain) -> Span:
    moment = shifted(here, count, unit)
    return Span(moment, moment, unit) if unit in SUB_DAY else unit_at(moment, "day")


def moved_by(found: Match, here: datetime, sign: int) -> Span:
    """Return the day or moment that lies the AMOUNT found after `here`, or before (sign -1)."""
    unit, _ = unit_of(found["unit"])
    if found["number"].lower().startswith("half") and unit in ("year", "hour"):
        smaller: Grain = "month" if unit == "year" else "minute"
        return _offset(here, sign * (6 if unit == "year" else 30), smaller)
    count, unit = quantity(found["number"], found["unit"])
    if found["more"]:
        here = shifted(here, sign * count, unit)
        count, unit = quantity(found["more"], found["unit2"])
    return _offset(here, sign * count, unit)


def _ago(found: Match, reading: Reading) -> Date:
    return moved_by(found, reading.reference, -1)


def _from_now(found: Match, reading: Reading) -> Date:
    return moved_by(found, reading.reference, 1)


def _within(found: Match, reading: Reading) -> Date:
    """From now on, so long."""
    count, unit = quantity(found["number"], found["unit"])
    here = reading.reference if unit in SUB_DAY else day_start(reading.reference)
    return Span(here, shifted(here, count, unit), unit)


def _week_number(found: Match, reading: Reading) -> Date | None:
    number = int(found["number"])
    year = reading.reference.year + (_sign(found["rel"]) if found["rel"] else 0)
    year = int(found["year"]) if found["year"] else year
    if not 1 <= number <= 53:
        return None
    start = unit_at(datetime(year, 1, 4), "week").start + (number - 1) * WEEK
    return Span(start, start + WEEK, "week")


_MORE: Final = rf"(?:\s*(?:,|and)?\s*(?P<more>\d+|a|an|one|two|three)\s+(?P<unit2>{UNIT}))?"
AMOUNT: Final = rf"(?P<number>{NUMBER})\s*-?\s*(?P<unit>{UNIT}){_MORE}"

RELATIVE: Final[tuple[Rule, ...]] = (
    (pattern(rf"(?:the\s+)?{_REL}\s+{_WEEKS}"), _whole),
    (
        pattern(r"(?:the\s+)?(?P<unit>week|month|year|quarter)\s+(?P<which>after)\s+next"),
        _after_next,
    ),
    (
        pattern(r"(?:the\s+)?(?P<unit>week|month|year|quarter)\s+(?P<which>before)\s+last"),
        _after_next,
    ),
    (
        pattern(
            rf"(?:in\s+|within\s+|over\s+|during\s+)?(?:the\s+)?(?P<rel>{_BACK}"
            rf"|{_ON})\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})"
        ),
        _several,
    ),
    (
        pattern(rf"(?:the\s+)?(?P<number>{NUMBER})\s+(?P<rel>{_BACK}|{_ON})\s+(?P<unit>{UNIT})"),
        _several,
    ),
    (pattern(rf"{_REL}\s+(?P<month>{MONTH})"), _month_word),
    (pattern(rf"{_REL}\s+(?P<weekday>{WEEKDAY})"), _weekday_word),
    (
        pattern(rf"(?P<weekday>{WEEKDAY})\s*,?\s*(?:of\s+|in\s+)?(?:the\s+)?{_REL}\s+week"),
        _weekday_of_week,
    ),
    (
        pattern(
            rf"(?:the\s+)?{_REL}\s+week(?:'s|\u2019s)?\s*[-,]?\s*(?:on\s+)?(?P<weekday>{WEEKDAY})"
        ),
        _weekday_of_week,
    ),
    (pattern(rf"{AMOUNT}\s+(?:ago|back|earlier)"), _ago),
    (
        pattern(rf"{AMOUNT}\s+(?:from\s+(?:now|today)|hence|later|after\s+today)"),
        _from_now,
    ),
    (pattern(rf"within\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})"), _within),
    (pattern(rf"in\s+(?:about\s+)?{AMOUNT}(?:'|\u2019)?(?:\s+time)?"), _from_now),
    (
        pattern(
            rf"(?:the\s+)?week\s+(?P<number>\d\d?)(?:\s+(?:of|in)\s+(?:(?P<rel>{_BACK}"
            rf"|this)\s+year|(?P<year>\d{{4}})))?"
        ),
        _week_number,
    ),
)
