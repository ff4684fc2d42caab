"""Expressions that count from the moment they are said, or from another date."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from regesta.extract.dates.calendar import (
    DAY,
    SUB_DAY,
    WEEK,
    Grain,
    ImpossibleDateError,
    Partial,
    Span,
    day_start,
    shifted,
    unit_at,
)
from regesta.extract.dates.points import Date, Match, Reading, Rule, pattern
from regesta.extract.dates.words import (
    MONTH,
    NUMBER,
    ORDINAL,
    UNIT,
    WEEKDAY,
    month_number,
    number_of,
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
    unit, times = unit_of(found["unit"])
    count = number_of(found["number"]) * times
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


def _amount(found: Match, here: datetime, sign: int) -> Span:
    unit, times = unit_of(found["unit"])
    number = found["number"].lower()
    if number.startswith("half") and unit in ("year", "hour"):
        smaller: Grain = "month" if unit == "year" else "minute"
        return _offset(here, sign * (6 if unit == "year" else 30), smaller)
    count = sign * number_of(number) * times
    if found["more"]:
        smaller, parts = unit_of(found["unit2"])
        here = shifted(here, count, unit)
        return _offset(here, sign * number_of(found["more"]) * parts, smaller)
    return _offset(here, count, unit)


def _ago(found: Match, reading: Reading) -> Date:
    return _amount(found, reading.reference, -1)


def _from_now(found: Match, reading: Reading) -> Date:
    return _amount(found, reading.reference, 1)


def _within(found: Match, reading: Reading) -> Date:
    """From now on, so long."""
    unit, times = unit_of(found["unit"])
    here = reading.reference if unit in SUB_DAY else day_start(reading.reference)
    return Span(here, shifted(here, number_of(found["number"]) * times, unit), unit)


def _week_number(found: Match, reading: Reading) -> Date | None:
    number = int(found["number"])
    year = reading.reference.year + (_sign(found["rel"]) if found["rel"] else 0)
    year = int(found["year"]) if found["year"] else year
    if not 1 <= number <= 53:
        return None
    start = unit_at(datetime(year, 1, 4), "week").start + (number - 1) * WEEK
    return Span(start, start + WEEK, "week")


_MORE: Final = rf"(?:\s*(?:,|and)?\s*(?P<more>\d+|a|an|one|two|three)\s+(?P<unit2>{UNIT}))?"
_AMOUNT: Final = rf"(?P<number>{NUMBER})\s*-?\s*(?P<unit>{UNIT}){_MORE}"

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
    (pattern(rf"{_AMOUNT}\s+(?:ago|back|earlier)"), _ago),
    (
        pattern(rf"{_AMOUNT}\s+(?:from\s+(?:now|today)|hence|later|after\s+today)"),
        _from_now,
    ),
    (pattern(rf"within\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})"), _within),
    (pattern(rf"in\s+(?:about\s+)?{_AMOUNT}(?:'|\u2019)?(?:\s+time)?"), _from_now),
    (
        pattern(
            rf"(?:the\s+)?week\s+(?P<number>\d\d?)(?:\s+(?:of|in)\s+(?:(?P<rel>{_BACK}"
            rf"|this)\s+year|(?P<year>\d{{4}})))?"
        ),
        _week_number,
    ),
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
    unit, times = unit_of(found["unit"])
    count = number_of(found["number"]) * times
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
    return _amount(found, whole.start, -1)


def _after(found: Match, whole: Span) -> Date:
    return _amount(found, whole.start, 1)


def _for_amount(found: Match, whole: Span) -> Date:
    unit, times = unit_of(found["unit"])
    count = number_of(found["number"]) * times
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
    (_leading(rf"{_AMOUNT}\s+(?:before|prior\s+to|ahead\s+of)\s+(?=\w)"), _before),
    (_leading(rf"(?:in\s+)?{_AMOUNT}\s+(?:after|from|following|since)\s+(?=\w)"), _after),
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
