"""All expressions of time in a text, resolved against the moment it is said.

Rules of our own read written dates, periods, ranges and open ends; Duckling reads feasts and times
of day. Two-ended and open expressions are built from two readings or one, so that a kind of date
that can be read alone can be read as a bound too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from regesta.extract.dates import native
from regesta.extract.dates.bounds import BoundReader
from regesta.extract.dates.calendar import SUB_DAY
from regesta.extract.dates.expression import Bound, Direction, Expression, instant
from regesta.extract.dates.reader import DateReader
from regesta.extract.dates.rules import Reading

LONGEST_TEXT: Final = 20_000
"""Longer texts are cut; nobody dates a fact so far from its words."""
_FARTHEST: Final = 64
"""Characters from the beginning of an expression to the word or number that makes it one."""

_FUTURE: Final = re.compile(
    r"\b(?:will|shall|won['\u2019]?t|going to|gonna|let['\u2019]?s|plan(?:s|ned|ning)? (?:to|for)"
    r"|schedule[ds]?|upcoming|book|set up|remind|intends? to|expected to|due (?:to|in|on|by)"
    r"|(?:is|are) (?:moving|leaving|joining|starting|switching))\b|['\u2019]ll\b",
    re.IGNORECASE,
)
_CORE: Final = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|today"
    r"|tomorrow|tmrw?|tonight|yesterday|now|day|week|month|year|yr|quarter|decade|century|morning"
    r"|afternoon|evening|night|noon|hour|hr|minute|min|sec|moment|present|spring|summer|autumn"
    r"|fall|winter|fortnight|wk|thousand|hundred|nineteen|this time|eo[dy]|[ym]td|date|w/c|q[1-4]"
    r"|h[12]|[cf]y)",
    re.IGNORECASE,
)
_STARTS: Final = re.compile(
    r"(?<!\w)(?:[\d'\u2019<>]|the\b|in\b|on\b|for\b|from\b|between\b|over\b|during\b|ever since"
    r"|since|as (?:of|from|early|late)|effective|start|begin|commenc|not? |any time|after|later"
    r"|year|great|more than|newer|until|till?\b|through|thru|up |by\b|before|prior|earlier"
    r"|less than|older|ahead|early|late|mid|end|eo|rest|remainder|so far|first|second|third|fourth"
    r"|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twent|thirt|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|last|past|previous|preceding|next|coming|following|upcoming|subsequent|this|current|same"
    r"|half|an?\b|several|calendar|fiscal|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue"
    r"|wed|thu|fri|sat|sun|today|tomorrow|tmrw?|tonight|yesterday|right now|just now|now|at\b|week"
    r"|wc?\b|q[1-4]|h[12]|[cf]y|day|month|quarter|spring|summer|autumn|fall|winter|final|to date"
    r"|within|[ym]td|zero)",
    re.IGNORECASE,
)
_TIME_OF_DAY: Final = re.compile(
    r"\d\s?[ap]\.?\s?m|\d[:.]\d\d(?!\d)|\d\s?h\b|o['\u2019]?clock|\bat\b|noon|midnight",
    re.IGNORECASE,
)
_TIME_WORDS: Final = re.compile(
    r"\d\s?[ap]\.?\s?m|\d[:.]\d\d|noon|midnight|o['\u2019]?clock|morning|afternoon|evening|night|eod"
    r"|hours?|minutes?|past|now",
    re.IGNORECASE,
)


class DateFinder:
    """Finds expressions; a pure function of text and moment. `day_first`: 1/2 is 1 February."""

    def __init__(self, *, day_first: bool = False) -> None:
        self._day_first = day_first

    def find(
        self, text: str, reference: datetime, *, direction: Direction | None = None
    ) -> list[Expression]:
        """Return the expressions in order of their places; they don't overlap.

        `direction` is how "on Friday" is read, by default as the verbs say: future for plans, else
        past; ends lie ahead. Times are local, without zone.

        Raises:
            SetupError: Duckling is not installed.
        """
        text = text[:LONGEST_TEXT]
        cores = [found.start() for found in _CORE.finditer(text)]
        if not cores and not native.FEAST.search(text):
            return []
        told = direction or direction_of(text)
        dates = DateReader(text, Reading(reference, self._day_first), told)
        bounds = BoundReader(dates, direction)
        return _merged(list(_expressions(bounds, _places(text, cores, dates), dates)), dates)


def direction_of(text: str) -> Direction:
    """Return whether the verbs of a sentence speak of what will be."""
    return "future" if _FUTURE.search(text) else "past"


def _places(text: str, cores: list[int], dates: DateReader) -> Iterator[int]:
    """Yield where an expression may begin: at a word that begins one, near what makes it one."""
    begins = {found.start() for found in _STARTS.finditer(text)}
    feasts = {atom.stop for atom in dates.atoms}
    at, cores = 0, sorted({*cores, *feasts})
    for place in sorted(begins | dates.feasts):
        while at < len(cores) and cores[at] < place:
            at += 1
        if at < len(cores) and cores[at] - place <= _FARTHEST:
            yield place


def _expressions(
    bounds: BoundReader, places: Iterator[int], dates: DateReader
) -> Iterator[Expression]:
    reached = 0
    for place in places:
        if place < reached:
            continue
        expression = bounds.at(place)
        if expression is not None:
            reached = expression.stop
            yield expression
        else:
            reached = dates.impossible.get(place, reached)


def _merged(read_here: list[Expression], dates: DateReader) -> list[Expression]:
    """Add what Duckling alone reads, and the times of day beside our days."""
    result = list(read_here)
    for atom in dates.atoms:
        beside = [
            n for n, one in enumerate(result) if one.begin < atom.stop and atom.begin < one.stop
        ]
        words = dates.text[atom.begin : atom.stop]
        if not beside and _counts(atom, words):
            result.append(_of_atom(atom))
        elif len(beside) == 1:
            result[beside[0]] = _with_time(result[beside[0]], atom, words)
    kept: list[Expression] = []
    for one in sorted(result, key=lambda one: (one.begin, one.stop)):
        if not kept or one.begin >= kept[-1].stop:
            kept.append(one)
    return kept


def _counts(atom: native.Atom, words: str) -> bool:
    if atom.start is not None and not 1500 <= atom.start.year <= 2199:
        return False
    if atom.grain in SUB_DAY:
        return _TIME_WORDS.search(words) is not None
    if native.FEAST.search(words):
        return True
    return re.search(r"\d", words) is not None and re.search(r"[A-Za-z]{3}", words) is not None


def _with_time(one: Expression, atom: native.Atom, words: str) -> Expression:
    """Return our day with Duckling's time of day, where its expression holds ours."""
    if atom.is_range or atom.grain not in SUB_DAY or atom.start is None or one.start is None:
        return one
    is_part_of_day = one.grain == "hour" and one.start != one.end
    if one.bound != "at" or not (one.grain == "day" or is_part_of_day):
        return one
    if not _TIME_OF_DAY.search(words):
        return one
    if atom.stop - atom.begin <= one.stop - one.begin:
        return one
    moment = datetime.combine(one.start.date(), atom.start.time())
    return instant(min(one.begin, atom.begin), max(one.stop, atom.stop), moment, atom.grain)


def _of_atom(atom: native.Atom) -> Expression:
    bound: Bound = "at"
    if atom.is_range:
        bound = "since" if atom.end is None else "until" if atom.start is None else "between"
    bounds = (atom.start, atom.end)
    return Expression(atom.begin, atom.stop, *bounds, bound, atom.grain, atom.grain, bounds)
