"""What a rule is: a pattern, and the date that it makes of its words; and how it is applied."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from regesta.extract.dates.calendar import ImpossibleDateError, Partial, Span, day_start
from regesta.extract.dates.expression import Direction

Date = Span | Partial
Match = re.Match[str]


class Reading(NamedTuple):
    """How an expression is read: the moment it is said, and whether the day stands first."""

    reference: datetime
    day_first: bool = False


Rule = tuple[re.Pattern[str], Callable[[Match, Reading], Date | None]]


def pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern that begins and ends with whole words; letters in either case."""
    return re.compile(rf"(?:{text})(?!\w)", re.IGNORECASE)


def resolved(date: Date, reference: datetime, direction: Direction) -> Span:
    """Return the stretch of time that a date means; what is left open by the direction."""
    if isinstance(date, Span):
        return date
    today = day_start(reference)
    if direction == "future":
        return date.at_or_after(today if date.grain == "day" else today.replace(day=1))
    return date.before(today)


def read(rule: Rule, text: str, at: int, reading: Reading) -> tuple[int, Date] | None:
    """Apply one rule at a place of the text; None where it does not fit.

    Raises ImpossibleDateError, with where the words stop, for a date that there is not.
    """
    found = rule[0].match(text, at)
    if found is None:
        return None
    try:
        date = rule[1](found, reading)
    except ImpossibleDateError as error:
        error.stop = found.end()
        raise
    return None if date is None else (found.end(), date)
