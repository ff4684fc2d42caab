"""Reads one date or period at a place of a text: the longest that a rule or Duckling knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from regesta.extract.dates import native
from regesta.extract.dates.calendar import DAY, ImpossibleDateError, Partial, Span
from regesta.extract.dates.expression import Direction
from regesta.extract.dates.nested import OF_ANOTHER, read_of_another
from regesta.extract.dates.points import RULES, YEAR_ALONE, month_and_day, relative_year
from regesta.extract.dates.relative import RELATIVE
from regesta.extract.dates.rules import Date, Reading, pattern, read, resolved
from regesta.extract.dates.words import MONTH, WEEKDAY, weekday_number

_DEEPEST: Final = 3
"""How far a date may stand within another: "the first week of the month after next"."""
_CONTEXT: Final = 24
_AMBIGUOUS: Final = re.compile(
    r"(?:may|march|mar|sat|sun|mon|wed|second|fall|august|june|april|dec|jan)\.?", re.IGNORECASE
)
_ALSO_NOUNS: Final = frozenset({"sun", "sat", "second", "fall", "mar", "wed", "mon"})
_STRONGLY_LED: Final = re.compile(
    r"\b(?:on|by|since|from|until|till|last|next|this|every|before|after|through)\s+$",
    re.IGNORECASE,
)
_LED: Final = re.compile(
    r"\b(?:in|on|of|by|since|from|until|till|to|during|last|next|this|early|mid|late|between|before"
    r"|after|through|and|or|every|beginning|end|start|middle|for|around|about|the|past|year|as of)"
    r"[\s-]+$|[-/>=]\s*$",
    re.IGNORECASE,
)
_DATE_LED: Final = re.compile(
    r"(?:\b(?:on|by|from|to|until|till|since|before|after|for|between|date|or|and|through|of"
    r"|sometime|next|this|at|is|ending|starting|beginning)|[-,\u2013:(?])\s*$",
    re.IGNORECASE,
)
_YEAR_LED: Final = re.compile(
    r"(?:\b(?:in|of|since|from|until|till|by|before|after|during|year|for|between|and|or|to|through"
    r"|the|early|late|mid)|[<>=,-])\s*$",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(
    r"\s+(?:i|we|you|he|she|it|they|the|be|not|also|have|still|well|or\s+may)\b", re.IGNORECASE
)
_NAME_FOLLOWS: Final = re.compile(
    r"\s+(?!Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I\b)[A-Z][a-z]+"
)
_FEAST_LED: Final = re.compile(r"(?:on|at|in|by|from|the)\s+", re.IGNORECASE)
_OWN_WORDS: Final = re.compile(
    rf"\b(?:(?<!easter )(?<!black )(?<!good )(?<!cyber )(?:{WEEKDAY})|{MONTH}|today|tomorrow"
    r"|yesterday|days?|weeks?|months?|years?|ago|from|after|before)\b(?<!day)"
    r"|\d(?!\d{3}\b|\d{0,2}\b(?<=\d{4}))|^\d+$",
    re.IGNORECASE,
)
_BEGINS_WITH_WEEKDAY: Final = re.compile(
    rf"(?:(?:this|next|last|on)\s+)?(?P<weekday>{WEEKDAY})", re.IGNORECASE
)
_WEEKDAY_THEN: Final = re.compile(
    rf"(?:(?:this|next|last|on)\s+)?{WEEKDAY}\s*(?:,|-|\(|\s)\s*(?:the\s+|on\s+)?(?=\w)",
    re.IGNORECASE,
)
_FULL_STOP: Final = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|day)\.$",
    re.IGNORECASE,
)
_DOTTED: Final = re.compile(r"(\d{1,2})[./-](\d{1,2})(?![\d./])")
_RELATIVE_YEAR: Final = pattern(
    r"\s*,?\s*(?:of\s+|in\s+)?(?P<rel>this|last|next|previous|past)\s+year"
)
_WEEKEND_AFTER: Final = pattern(r"\s+weekend")


class Read(NamedTuple):
    """A date and where its words stop."""

    stop: int
    date: Date


class DateReader:
    """One text, said at one moment; `told` is how what is left open is read.

    `impossible` tells where words name a date that there is not, and where they stop.
    """

    def __init__(self, text: str, reading: Reading, told: Direction) -> None:
        self.text, self.reading, self.direction = text, reading, told
        self.atoms = native.atoms(text, reading.reference)
        self._feasts = dict(self._named_feasts())
        self.impossible: dict[int, int] = {}
        self._memory: dict[tuple[int, bool, Direction], Read | None] = {}

    @property
    def feasts(self) -> set[int]:
        """Where feasts are named."""
        return set(self._feasts)

    def date(
        self,
        at: int,
        *,
        bare_year: bool = False,
        deep: int = 0,
        direction: Direction | None = None,
    ) -> Read | None:
        """Return the longest date that begins at a place; `bare_year`: 2017 needs no "in"."""
        key = (at, bare_year, direction or self.direction)
        if key not in self._memory:
            self._memory[key] = self._longest(key, deep)
        return self._memory[key]

    def resolved(self, date: Date, direction: Direction | None = None) -> Span:
        """Return the stretch of time that a date means."""
        return resolved(date, self.reading.reference, direction or self.direction)

    def _longest(self, key: tuple[int, bool, Direction], deep: int) -> Read | None:
        at, bare_year, direction = key
        text, reading = self.text, self.reading
        found = []
        for rule in (*RULES, *RELATIVE):
            try:
                one = read(rule, text, at, reading)
            except ImpossibleDateError as error:
                self.impossible[at] = max(error.stop, self.impossible.get(at, 0))
                continue
            found += [] if one is None else [Read(*one)]
        found += self._nested(at, direction, deep) if deep < _DEEPEST else []
        found += self._year(at, is_led=bare_year)
        found += self._feast(at, direction)
        dates = [one for one in found if self._is_date(at, one)]
        best = max(dates, key=lambda one: one.stop, default=None)
        if best is None or best.stop < self.impossible.get(at, 0):
            return None
        full = _FULL_STOP.search(text, at, best.stop)
        best = best._replace(stop=best.stop - 1) if full else best
        return self._with_suffix(at, best)

    def _nested(self, at: int, direction: Direction, deep: int) -> Iterator[Read]:
        def inner(place: int) -> Read | None:
            return self.date(place, bare_year=True, deep=deep + 1, direction=direction)

        def resolve(date: Date) -> Span:
            return self.resolved(date, direction)

        for rule in OF_ANOTHER:
            one = read_of_another(rule, self.text, at, inner, resolve)
            if one is not None:
                yield Read(*one)

    def _year(self, at: int, *, is_led: bool) -> Iterator[Read]:
        found = YEAR_ALONE[0].match(self.text, at)
        if found and (is_led or _YEAR_LED.search(self._before(at))):
            one = read(YEAR_ALONE, self.text, at, self.reading)
            if one is not None:
                yield Read(*one)

    def _before(self, at: int) -> str:
        return self.text[max(0, at - _CONTEXT) : at]

    def _named_feasts(self) -> Iterator[tuple[int, native.Atom]]:
        """Yield the feasts, which only Duckling knows, by their places without prepositions."""
        for atom in self.atoms:
            words = self.text[atom.begin : atom.stop]
            led = _FEAST_LED.match(words)
            name = words[led.end() if led else 0 :]
            is_day = not atom.is_range and atom.grain == "day"
            if is_day and native.FEAST.search(name) and not _OWN_WORDS.search(name):
                yield atom.stop - len(name), atom

    def _feast(self, at: int, direction: Direction) -> Iterator[Read]:
        atom = self._feasts.get(at)
        if atom is None or atom.start is None:
            return
        words = self.text[at : atom.stop]
        span = Span(atom.start, atom.start + DAY, "day")
        if direction == "past" and not re.search(r"\d|^(?:this|last|next)", words):
            span = self._past(words, span)
        yield Read(atom.stop, span)

    def _past(self, words: str, span: Span) -> Span:
        """Duckling tells the next one only: ask for it as it was a year ago."""
        if span.start <= self.reading.reference:
            return span
        for back in (366, 731):
            asked = native.atoms(words, span.start - back * DAY)
            start = asked[0].start if asked else None
            if start is not None and start < self.reading.reference:
                return Span(start, start + DAY, "day")
        return span

    def _is_date(self, at: int, found: Read) -> bool:
        """Tell dates from words that look like one: "may", "march", "Sun", 24/7, 1/2."""
        words, before = self.text[at : found.stop], self._before(at)
        if re.fullmatch(r"\d{1,2}/\d{1,2}", words):
            return words != "24/7" and bool(_DATE_LED.search(before) or not before)
        if _AMBIGUOUS.fullmatch(words):
            after = self.text[found.stop : found.stop + _CONTEXT]
            form = _STRONGLY_LED if words.lower() in _ALSO_NOUNS else _LED
            is_led = form.search(before) is not None
            if words[0].islower():
                return is_led and not (words == "may" and _MODAL.match(after))
            return is_led or not (_MODAL.match(after) or _NAME_FOLLOWS.match(after))
        return not (before[-1:] in ("#", "$", "€", "£") or re.search(r"\d[.,]$", before))

    def _with_suffix(self, at: int, found: Read) -> Read:
        """Return a date with a date after its weekday, a year or a weekend after it, if any."""
        weekday = _BEGINS_WITH_WEEKDAY.match(self.text, at, found.stop)
        if weekday:
            date = self._after_weekday(at, found, weekday_number(weekday["weekday"]))
            if date is not None:
                return date
        if isinstance(found.date, Partial) and found.date.month is not None:
            year = _RELATIVE_YEAR.match(self.text, found.stop)
            if year:
                there = relative_year(year["rel"], self.reading)
                return Read(year.end(), found.date.in_year(there))
        weekend = _WEEKEND_AFTER.match(self.text, found.stop)
        is_feast = found.date.grain == "day" and not _has_weekday(found.date)
        return self._weekend(found.date, weekend.end()) if weekend and is_feast else found

    def _after_weekday(self, at: int, found: Read, weekday: int) -> Read | None:
        """Return the date that follows its weekday: this year's, if it is that weekday."""
        following = _WEEKDAY_THEN.match(self.text, at)
        if following is None:
            return None
        inner = self.date(following.end())
        dotted = _DOTTED.match(self.text, following.end())
        if dotted and not (inner and inner.stop > dotted.end()):
            date = month_and_day(dotted[1], dotted[2], self.reading)
            inner = None if date is None else Read(dotted.end(), date)
        if inner is None or inner.stop <= found.stop or inner.date.grain != "day":
            return None
        if _has_weekday(inner.date):
            return None
        if isinstance(inner.date, Partial) and inner.date.month is not None:
            here = inner.date.in_year(self.reading.reference.year)
            return Read(inner.stop, here) if here.start.weekday() == weekday else inner
        return inner

    def _weekend(self, date: Date, stop: int) -> Read:
        start = self.resolved(date).start
        weekday = start.weekday()
        saturday = start + ((5 - weekday) % 7 if weekday < 5 else 5 - weekday) * DAY
        return Read(stop, Span(saturday, saturday + 2 * DAY, "weekend"))


def _has_weekday(date: Date) -> bool:
    return isinstance(date, Partial) and date.weekday is not None and date.day is None
