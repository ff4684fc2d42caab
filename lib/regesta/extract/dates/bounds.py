"""Expressions with two ends or one, times of day, parts of the present: made of single dates."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from regesta.extract.dates.calendar import (
    DAY,
    Grain,
    ImpossibleDateError,
    Partial,
    Span,
    day_start,
    shifted,
    unit_at,
)
from regesta.extract.dates.expression import (
    Bound,
    Direction,
    Expression,
    between,
    bounded,
    instant,
    whole,
)
from regesta.extract.dates.reader import DateReader, Read
from regesta.extract.dates.rules import Date, pattern
from regesta.extract.dates.words import (
    DAY_OF_MONTH,
    MONTH,
    NUMBER,
    UNIT,
    WEEKDAY,
    YEAR,
    month_number,
    number_of,
    quantity,
    unit_of,
    year_of,
)

_TO: Final = r"(?:\s*(?:-|\u2013|~)\s*|\s+(?:to|till|until|through|thru|and)\s+(?:the\s+)?)"
_OF_YEAR: Final = rf"(?:\s*,?\s*(?:of\s+|in\s+)?(?P<year>{YEAR}))?"
_THROUGH: Final = re.compile(
    r"\s*(?:-{1,2}|\u2013|\u2014|~)\s*"
    r"|\s*,?\s*(?:to|till|til|until|through|thru|up\s+to|and\s+ending)\s+(?:on\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\s+(?:and|to)\s+(?:the\s+)?", re.IGNORECASE)
_BETWEEN: Final = pattern(r"(?:in\s+)?between")
_LEADS: Final = pattern(
    r"(?:in\s+)?between|from|starting(?:\s+from|\s+on)?|beginning(?:\s+from)?|in|on|for|during|over"
)
_THE: Final = re.compile(r"\s+(?:the\s+)?", re.IGNORECASE)
_PREPOSITION: Final = re.compile(r"\s*(?:the\s+|on\s+|in\s+)?", re.IGNORECASE)
_OPENINGS: Final[tuple[tuple[re.Pattern[str], Bound], ...]] = (
    (
        pattern(
            r"(?:ever\s+)?since|as\s+of|as\s+from|as\s+early\s+as|effective(?:\s+from|\s+as\s+of)?"
            r"|(?:starting|beginning|commencing)(?:\s+(?:on|from|in|with))?|from(?:\s+on)?"
            r"|on\s+or\s+after|not?\s+(?:earlier|sooner)\s+than|any\s+time\s+from"
        ),
        "since",
    ),
    (re.compile(r">\s*="), "since"),
    (pattern(r"after|later\s+than|(?:year\s+)?(?:greater|more|newer)\s+than"), "after"),
    (re.compile(r">"), "after"),
    (
        pattern(
            r"until|till?|through|thru|up\s+(?:to(?:\s+and\s+including)?|until|till)"
            r"|as\s+late\s+as|by\s+(?:the\s+)?end\s+of|not?\s+later\s+than\s+(?:the\s+)?end\s+of"
        ),
        "until",
    ),
    (re.compile(r"<\s*="), "until"),
    (
        pattern(
            r"before|prior\s+to|by|earlier\s+than|no\s+later\s+than"
            r"|(?:year\s+)?(?:less|older)\s+than|on\s+or\s+before|ahead\s+of"
        ),
        "before",
    ),
    (re.compile(r"<"), "before"),
)
_CLOSINGS: Final[tuple[tuple[re.Pattern[str], Bound], ...]] = (
    (
        pattern(
            r"\s*,?\s*(?:and|or)\s+(?:later|after(?:wards)?|onwards?|greater|newer|above|beyond)"
            r"|\s+onwards?|\s+on(?=\s*[.,;!?]|$)|\s+and\s+on"
        ),
        "since",
    ),
    (pattern(r"\s*,?\s*(?:and|or)\s+(?:earlier|before|prior|older|less)"), "before"),
)
_UNITS: Final = r"week|month|quarter|year"
_REST: Final = pattern(
    rf"(?:the\s+)?(?:rest|remainder)\s+of\s+(?:the\s+|this\s+)?(?P<unit>day|{_UNITS})"
)
_TO_DATE: Final = pattern(
    rf"(?:the\s+)?(?P<unit>{_UNITS})[- ]to[- ]date|(?P<short>[ym])td"
    rf"|(?:so\s+far\s+)?earlier\s+(?:this|in\s+the)\s+(?P<other>{_UNITS})"
)
_LATER_IN: Final = pattern(rf"later\s+(?:this|in\s+the)\s+(?P<unit>{_UNITS})")
_ELIDED: Final = (
    pattern(
        rf"(?P<month>{MONTH})\s*(?:the\s+)?(?P<first>{DAY_OF_MONTH}){_TO}"
        rf"(?P<last>{DAY_OF_MONTH}){_OF_YEAR}(?!\s*/)"
    ),
    pattern(
        rf"(?:the\s+)?(?P<first>{DAY_OF_MONTH}){_TO}(?P<last>{DAY_OF_MONTH})\s+(?:of\s+)?"
        rf"(?P<month>{MONTH}){_OF_YEAR}"
    ),
)
_LASTING: Final = pattern(
    r"for\s+(?:(?:about|over|almost|nearly|more\s+than)\s+)?(?:the\s+(?:past|last)\s+)?"
    rf"(?P<number>{NUMBER})\s+(?P<unit>{UNIT})(?:\s+now)?"
)
_PERFECT: Final = re.compile(
    r"\b(?:has|have|['\u2019]ve|['\u2019]s)\s+(?:\w+ly\s+|always\s+|now\s+)?"
    r"(?:\w+ed|been|had|known|held|led|kept|run|owned)\b",
    re.IGNORECASE,
)
_END_OF_DAY: Final = re.compile(
    r"(?:the\s+)?(?:end\s+of\s+(?:(?:the\s+)?(?P<day>day\b))?|(?P<short>eod)\b)", re.IGNORECASE
)
_TIME_AFTER: Final = re.compile(
    rf"\s*(?:\({WEEKDAY}\))?(?:,|-|T|@|\s)[ \t]*"
    r"(?:(?:early|late)?[ \t]*(?P<part>morning|afternoon|evening|night)[ \t]+)?"
    r"(?:(?P<at>at|@)[ \t]+)?(?P<hour>\d\d?)(?:[:.](?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
    r"[ \t]*(?P<half>[ap]\.?[ \t]?m\b\.?)?(?!\w)"
    r"(?![ \t]*(?:-|\u2013|to\b|%|[:./]\d|days|people|weeks|/\d|st\b|nd\b|rd\b|th\b))"
    rf"(?:[ \t]+(?P<year>{YEAR})\b)?",
    re.IGNORECASE,
)


class BoundReader:
    """Reads expressions at a place of a text; `asked` is the direction that was asked for."""

    def __init__(self, dates: DateReader, asked: Direction | None) -> None:
        self._dates, self._text = dates, dates.text
        self._of_ends: Direction = asked or "future"

    def at(self, place: int) -> Expression | None:
        """Return the expression that begins at a place, None where there is none."""
        ways = (
            self._end_of_day,
            self._elided,
            self._range,
            self._lasting,
            self._opening,
            self._part_of_now,
            self._single,
        )
        for way in ways:
            try:
                expression = way(place)
            except ImpossibleDateError:
                continue
            if expression is not None:
                return expression
        return None

    def _end_of_day(self, at: int) -> Expression | None:
        found = _END_OF_DAY.match(self._text, at)
        if found is None:
            return None
        day, stop = self._dates.reading.reference, found.end()
        if not (found["day"] or found["short"]):
            inner = self._dates.date(stop)
            if inner is None or inner.date.grain != "day":
                return None
            day, stop = self._dates.resolved(inner.date).start, inner.stop
        return instant(at, stop, day_start(day).replace(hour=23, minute=59, second=59), "second")

    def _elided(self, at: int) -> Expression | None:
        """Two days of one month: "November 18-19", "the ninth to the seventeenth of April"."""
        led = _LEADS.match(self._text, at)
        for form in _ELIDED:
            found = form.match(self._text, at if led is None else led.end() + 1)
            if found is None:
                continue
            joint = self._text[found.start("first") : found.end("last")]
            if re.search(r"\sand\s", joint) and not _BETWEEN.match(self._text, at):
                continue
            expression = self._days_of_month(at, found)
            if expression is not None:
                return expression
        return None

    def _days_of_month(self, at: int, found: re.Match[str]) -> Expression | None:
        month = month_number(found["month"])
        days = [number_of(found[name]) for name in ("first", "last")]
        first, last = (Partial(month=month, day=day) for day in days)
        if found["year"]:
            year = year_of(found["year"])
            return between(at, found.end(), first.in_year(year), last.in_year(year))
        if days[0] < days[1]:
            return self._ordered(at, found.end(), first, last)
        if found.start("month") > found.start("last"):
            return self._ordered(at, found.end(), Partial(day=days[0]), last)
        return None

    def _range(self, at: int) -> Expression | None:
        led = _LEADS.match(self._text, at)
        for place in self._after(led.end()) if led else [at]:
            first = self._dates.date(place, bare_year=True)
            if first is None:
                continue
            joints = [_THROUGH] + ([_AND] if _BETWEEN.match(self._text, at) else [])
            for joint in (form.match(self._text, first.stop) for form in joints):
                last = self._dates.date(joint.end(), bare_year=True) if joint else None
                if last is not None and self._makes_range(place, last):
                    return self._ordered(at, last.stop, first.date, last.date)
            return None
        return None

    def _after(self, place: int) -> list[int]:
        """Return where a date may begin after a preposition: after "the", or with it."""
        the = _THE.match(self._text, place)
        return [] if the is None else list(dict.fromkeys((the.end(), place + 1)))

    def _makes_range(self, begin: int, last: Read) -> bool:
        """Not "3-4" and the like."""
        words = self._text[begin : last.stop]
        return re.search(r"[a-z]{3}|\d{4}|/", words, re.IGNORECASE) is not None

    def _ordered(self, at: int, stop: int, first: Date, last: Date) -> Expression:
        """Resolve both ends: what one leaves open follows from the other, or the direction."""
        if isinstance(first, Partial) and isinstance(last, Span):
            return between(at, stop, first.before(last.end), last)
        start = self._dates.resolved(first)
        if isinstance(first, Partial) and isinstance(last, Partial) and first.month is not None:
            start = self._around_now(first, last, start)
        end = last if isinstance(last, Span) else last.at_or_after(start.start)
        if end.start < start.start:
            raise ImpossibleDateError("the end comes before the start")
        return between(at, stop, start, end)

    def _around_now(self, first: Partial, last: Partial, start: Span) -> Span:
        """Of plans a range that has begun already, of what was one that is over."""
        now = self._dates.reading.reference
        earlier = first.before(now)
        has_ended = last.at_or_after(earlier.start).end <= now
        if self._dates.direction == "future":
            return start if has_ended else earlier
        return earlier if has_ended else first.before(earlier.start)

    def _lasting(self, at: int) -> Expression | None:
        """Return since when something has been so "for three years"."""
        found = _LASTING.match(self._text, at)
        if found is None or not _PERFECT.search(self._text, 0, at):
            return None
        count, unit = quantity(found["number"], found["unit"])
        start = shifted(self._dates.reading.reference, -count, unit)
        return bounded(at, found.end(), unit_at(start, unit), "since") if count else None

    def _opening(self, at: int) -> Expression | None:
        for words, bound in _OPENINGS:
            led = words.match(self._text, at)
            if led is None:
                continue
            direction = self._of_ends if bound in ("until", "before") else None
            space = _PREPOSITION.match(self._text, led.end())
            places = [space.end()] if space else []
            for place in dict.fromkeys([*places, led.end() + 1]):
                found = self._dates.date(place, bare_year=True, direction=direction)
                if found is not None:
                    span = self._dates.resolved(found.date, direction)
                    return bounded(at, found.stop, span, self._meant(at, found, bound, led[0]))
        return None

    def _meant(self, at: int, found: Read, bound: Bound, words: str) -> Bound:
        """Tell that "by the end of May" holds until May is over."""
        is_by = words.lower() in ("by", "before") or words.lower().startswith("by ")
        names_end = re.search(r"\bend of\b", self._text[at : found.stop], re.IGNORECASE)
        return "until" if bound == "before" and is_by and names_end else bound

    def _part_of_now(self, at: int) -> Expression | None:
        today = unit_at(self._dates.reading.reference, "day").start
        if found := _TO_DATE.match(self._text, at):
            units: dict[str, Grain] = {"y": "year", "m": "month", "w": "week", "q": "quarter"}
            word = found["unit"] or found["other"] or found["short"]
            here = unit_at(today, units[word[0].lower()])
            return _part(at, found.end(), here.start, today)
        if found := _REST.match(self._text, at):
            here = unit_at(today, unit_of(found["unit"])[0])
            return _part(at, found.end(), today, here.end)
        if found := _LATER_IN.match(self._text, at):
            here = unit_at(today, unit_of(found["unit"])[0])
            half = here.start + 3 * DAY if here.grain == "week" else here.start
            half = shifted(half, 6, "month") if here.grain == "year" else half
            return _part(at, found.end(), max(today, half), here.end)
        return None

    def _single(self, at: int) -> Expression | None:
        found = self._dates.date(at)
        if found is None:
            return None
        for words, bound in _CLOSINGS:
            closing = words.match(self._text, found.stop)
            if closing is not None:
                return bounded(at, closing.end(), self._dates.resolved(found.date), bound)
        timed = self._at_time(at, found)
        return timed or whole(at, found.stop, self._dates.resolved(found.date))

    def _at_time(self, at: int, found: Read) -> Expression | None:
        """A day with digits for the time of day after it."""
        is_day = found.date.grain == "day"
        time = _TIME_AFTER.match(self._text, found.stop) if is_day else None
        if time is None or not (time["minute"] or time["half"] or time["at"]):
            return None
        hour, minute, second = _clock(time)
        if hour > 23 or minute > 59 or second > 59:
            return None
        date = found.date
        if time["year"] and isinstance(date, Partial) and date.month is not None:
            date = date.in_year(int(time["year"]))
        start = self._dates.resolved(date).start
        grain: Grain = "second" if time["second"] else "minute" if time["minute"] else "hour"
        moment = start.replace(hour=hour, minute=minute, second=second)
        return instant(at, time.end(), moment, grain)


def _part(at: int, stop: int, start: datetime, end: datetime) -> Expression | None:
    return whole(at, stop, Span(start, end, "part")) if start < end else None


def _clock(time: re.Match[str]) -> tuple[int, int, int]:
    hour = int(time["hour"])
    half = (time["half"] or "").lower()[:1]
    if not half and time["part"] and hour < 12:
        half = "a" if time["part"].lower() == "morning" else "p"
    hour = hour % 12 + 12 * (half == "p") if half else hour
    return hour, int(time["minute"] or 0), int(time["second"] or 0)
