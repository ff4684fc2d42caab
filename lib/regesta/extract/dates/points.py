"""Expressions that name one date or period: written dates, weekdays, months, years, quarters."""

from __future__ import annotations

from typing import Final

from regesta.extract.dates.calendar import (
    DAY,
    HOUR,
    Grain,
    Partial,
    Span,
    add_months,
    date_of,
    day_start,
    month_of,
    unit_at,
    year_span,
)
from regesta.extract.dates.rules import Date, Match, Reading, Rule, pattern
from regesta.extract.dates.words import (
    DAY_MARKED,
    DAY_OF_MONTH,
    MONTH,
    SHORT_YEAR,
    WEEKDAY,
    YEAR,
    full_year,
    month_number,
    number_of,
    weekday_number,
    year_of,
)


def month_and_day(
    first: str, second: str, reading: Reading, year: int | None = None
) -> Date | None:
    """Return the date of two numbers, the order of which the reading or their size tells."""
    one, two = int(first), int(second)
    day_first = two <= 12 and (reading.day_first or one > 12)
    month, day = (two, one) if day_first else (one, two)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Partial(month=month, day=day) if year is None else date_of(year, month, day)


def _this_date(found: Match, reading: Reading) -> Date | None:
    date = (
        month_and_day(found["first"], found["second"], reading)
        if found["first"]
        else Partial(month=month_number(found["month"]), day=number_of(found["day"]))
    )
    if not isinstance(date, Partial):
        return None
    today = day_start(reading.reference)
    if found["rel"].lower() == "this":
        return date.in_year(today.year)
    return date.before(today) if found["rel"].lower() == "last" else date.at_or_after(today + DAY)


def _named(month: str, day: str | None, year: str | None) -> Date:
    number, date = month_number(month), None if day is None else number_of(day)
    partial = Partial(month=number, day=date)
    return partial if year is None else partial.in_year(year_of(year))


def _year_first(found: Match, _: Reading) -> Date | None:
    year, month, day = (int(part) for part in found.groups())
    return date_of(year, month, day) if month <= 12 else None


def _week_day(found: Match, _: Reading) -> Date | None:
    """A weekday beside a day of the month: the month is the one in which both agree."""
    return Partial(day=number_of(found["day"]), weekday=weekday_number(found["weekday"]))


def _quarter(found: Match, reading: Reading) -> Date:
    number = {"1": 1, "2": 2, "3": 3, "4": 4, "f": 1, "s": 2, "t": 3, "l": 4}
    which = number[(found["number"] or "l")[0].lower()]
    if (found["number"] or "").lower().startswith("fo"):
        which = 4
    is_half = found["kind"].lower()[0] == "h"
    if is_half and (found["number"] or "").lower().startswith("l"):
        which = 2
    year = year_of(found["year"]) if found["year"] else relative_year(found["rel"], reading)
    months, grain = _HALF if is_half else _QUARTER_YEAR
    return month_of(year, (which - 1) * months + 1, months=months, grain=grain)


_HALF: Final[tuple[int, Grain]] = (6, "half")
_QUARTER_YEAR: Final[tuple[int, Grain]] = (3, "quarter")


def relative_year(word: str | None, reading: Reading) -> int:
    """Return last, this or next year; this one without a word."""
    moved = {"l": -1, "p": -1, "n": 1}.get((word or "t").lower()[0], 0)
    return reading.reference.year + moved


def _decade(found: Match, reading: Reading) -> Date | None:
    digits = found["decade"]
    year = int(digits) if len(digits) == 4 else full_year(int(digits))
    year = year - 100 if year > reading.reference.year + 10 else year
    span = month_of(year, 1, months=120, grain="decade")
    return span if year % 10 == 0 else None


def _century(found: Match, _: Reading) -> Date:
    return month_of((int(found["number"]) - 1) * 100, 1, months=1200, grain="century")


def _day_of_month(found: Match, reading: Reading) -> Date:
    moved = {"l": -1, "n": 1}.get(found["rel"].lower()[0], 0)
    month = add_months(day_start(reading.reference).replace(day=1), moved)
    return date_of(month.year, month.month, number_of(found["day"]))


def _season(found: Match, reading: Reading) -> Date:
    """Meteorological seasons of the north: three whole months, winter from December on."""
    first = {"sp": 3, "su": 6, "au": 9, "fa": 9, "wi": 12}[found["season"].lower()[:2]]
    year = year_of(found["year"]) if found["year"] else relative_year(found["rel"], reading)
    return month_of(year, first, months=3, grain="season")


def _day_word(found: Match, reading: Reading) -> Date:
    word = " ".join(found[0].lower().split())
    offsets = {"tomorrow": 1, "tmr": 1, "yesterday": -1}
    offset = next((n for name, n in offsets.items() if name in word), 0)
    if "after" in word:
        offset = 2
    if "before" in word:
        offset = -2
    return unit_at(reading.reference, "day").moved(offset * DAY)


def _part_of_day(found: Match, reading: Reading) -> Date:
    """Morning 8 to 12, afternoon to 16, evening to 20, night to midnight: by convention."""
    day = {"t": 0, "y": -1, "l": -1}.get((found["day"] or "this")[0].lower(), 0)
    day = 1 if (found["day"] or "").lower() == "tomorrow" else day
    start = day_start(reading.reference) + day * DAY
    begin, end = {"m": (8, 12), "a": (12, 16), "e": (16, 20)}.get(
        (found["part"] or "night")[0].lower(), (20, 24)
    )
    return Span(start + begin * HOUR, start + end * HOUR, "hour")


def _now(_: Match, reading: Reading) -> Date:
    return Span(reading.reference, reading.reference, "second")


_SEP: Final = (
    r"(?:\s*,\s*|\s+of\s+|\s+in\s+(?:the\s+year\s+)?|\s+of\s+the\s+year\s+|\s*[-/.]\s*|\s+)"
)
_YEARS: Final = rf"{YEAR}|{SHORT_YEAR}"
_REL: Final = r"(?:this|last|next|previous|past|coming)"
_QUARTER: Final = (
    r"(?P<number>first|second|third|fourth|last|[1-4](?:st|nd|rd|th))\s+(?P<kind>quarter|half)"
)

RULES: Final[tuple[Rule, ...]] = (
    (pattern(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})(?![\d/])"), _year_first),
    (pattern(r"((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])"), _year_first),
    (
        pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)"),
        lambda m, r: month_and_day(m[1], m[3], r, year_of(m[4])),
    ),
    (
        pattern(rf"(\d{{1,2}})/(\d{{1,2}})(?![\d/])(?:\s*,?\s*(?:of\s+)?(?P<year>{YEAR}))?"),
        lambda m, r: month_and_day(m[1], m[2], r, year_of(m["year"]) if m["year"] else None),
    ),
    (
        pattern(
            r"(?P<rel>this|next|last)\s+(?:(?P<first>\d{1,2})/(?P<second>\d{1,2})(?!/)"
            rf"|(?P<day>{DAY_MARKED})\s+(?:of\s+)?(?P<month>{MONTH}))"
        ),
        _this_date,
    ),
    (
        pattern(rf"(?P<year>{YEAR})[-/](?P<month>{MONTH})[-/](?P<day>{DAY_OF_MONTH})"),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(rf"(?P<year>{YEAR})[-/](?P<day>{DAY_OF_MONTH})[-/](?P<month>{MONTH})"),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(rf"(?P<month>{MONTH})-(?P<year>{YEAR})-(?P<day>{DAY_OF_MONTH})"),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(rf"(?P<day>{DAY_OF_MONTH})-(?P<year>{YEAR})-(?P<month>{MONTH})"),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(
            rf"(?P<day>{DAY_OF_MONTH})(?:\s+day)?(?:\s+of\s+|\s*[-/]\s*|\.?\s+)?(?P<month>{MONTH})"
            rf"(?:{_SEP}(?P<year>{_YEARS}|(?<=of )\d\d))?"
        ),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(
            rf"(?P<month>{MONTH})[-/. ]*(?:the\s+)?(?P<day>{DAY_OF_MONTH})"
            rf"(?:{_SEP}(?P<year>{_YEARS}))?"
        ),
        lambda m, _: _named(m["month"], m["day"], m["year"]),
    ),
    (
        pattern(rf"(?P<month>{MONTH}){_SEP}?(?P<year>{_YEARS}|(?<=of )\d\d)"),
        lambda m, _: _named(m["month"], None, m["year"]),
    ),
    (
        pattern(rf"(?P<year>{YEAR})[-/ ](?P<month>{MONTH})"),
        lambda m, _: _named(m["month"], None, m["year"]),
    ),
    (
        pattern(r"(?P<year>(?:19|20)\d\d)[-/](?P<month>1[0-2]|0?[1-9])(?![-/\d])"),
        lambda m, _: month_of(int(m["year"]), int(m["month"])),
    ),
    (
        pattern(r"(?P<month>1[0-2]|0?[1-9])[-/](?P<year>(?:19|20)\d\d)(?![-/\d])"),
        lambda m, _: month_of(int(m["year"]), int(m["month"])),
    ),
    (
        pattern(rf"(?P<weekday>{WEEKDAY})\s*,?\s+(?:the\s+)?(?P<day>{DAY_OF_MONTH})"),
        _week_day,
    ),
    (
        pattern(
            rf"the\s+(?P<day>{DAY_MARKED})(?=\s*(?:$|[.,;:!?)\u2013-]|(?:of|day|and|or|to|at|for|with|this"
            r"|next|until|till|through|from|in|on|by)\b))"
        ),
        lambda m, _: Partial(day=number_of(m["day"])),
    ),
    (pattern(WEEKDAY), lambda m, _: Partial(weekday=weekday_number(m[0]))),
    (pattern(MONTH), lambda m, _: Partial(month=month_number(m[0]))),
    (
        pattern(
            rf"(?P<kind>q)(?P<number>[1-4])(?:\s*(?:of|in|,|-)?\s*(?P<year>{_YEARS}))?(?P<rel>)"
        ),
        _quarter,
    ),
    (
        pattern(rf"(?P<kind>h)(?P<number>[12])\s*(?:of|in|,|-)?\s*(?P<year>{_YEARS})(?P<rel>)"),
        _quarter,
    ),
    (pattern(rf"(?P<year>{YEAR})[- ]?(?P<kind>[qh])(?P<number>[1-4])(?P<rel>)"), _quarter),
    (
        pattern(
            rf"(?:the\s+)?{_QUARTER}\s+(?:of\s+|in\s+)?(?:(?P<rel>{_REL}|the)\s+year"
            rf"|(?P<year>{_YEARS}))"
        ),
        _quarter,
    ),
    (
        pattern(rf"(?P<rel>{_REL})\s+year(?:'s|\u2019s)\s+{_QUARTER}(?P<year>)"),
        _quarter,
    ),
    (pattern(r"(?:the\s+)?(?P<number>\d\d)(?:st|nd|rd|th)\s+century"), _century),
    (
        pattern(
            rf"(?:the\s+)?(?P<day>{DAY_MARKED})(?:\s+day)?\s+(?:of\s+)?(?P<rel>this|the"
            rf"|last|next)\s+month"
        ),
        _day_of_month,
    ),
    (pattern(r"(?:the\s+)?['\u2019]?(?P<decade>\d\d(?:\d\d)?)\s?['\u2019]?s"), _decade),
    (
        pattern(
            rf"(?:(?P<rel>{_REL})\s+)?(?P<season>spring|summer|autumn|fall|winter)"
            rf"(?(rel)(?P<none>)|(?:\s+of)?\s+)(?P<year>{_YEARS})?"
        ),
        _season,
    ),
    (
        pattern(
            r"(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)|today|tomorrow|tmrw?"
            r"|yesterday|(?:the\s+)?current\s+date|(?:to|till)\s+date"
        ),
        _day_word,
    ),
    (
        pattern(
            r"(?P<day>this|last|yesterday|tomorrow)\s+(?P<part>morning|afternoon|evening|night)"
            r"|tonight"
        ),
        _part_of_day,
    ),
    (
        pattern(
            r"(?:right\s+|just\s+)?now|at\s+(?:the\s+|this\s+)?(?:time|present(?:\s+time)?|moment)"
        ),
        _now,
    ),
    (
        pattern(
            rf"(?:the\s+)?(?:calendar\s+|fiscal\s+)?year\s+(?:of\s+)?(?P<year>{_YEARS})"
            rf"|[cf]y\s?(?P<short>\d\d(?:\d\d)?)"
        ),
        lambda m, _: year_span(year_of(m["year"] or m["short"])),
    ),
)
YEAR_ALONE: Final[Rule] = (
    pattern(rf"(?<![\d.,/:#$€£])(?P<year>{YEAR})"),
    lambda m, _: year_span(year_of(m["year"])),
)
