"""A model's dates beside what the words that it names say, as the local reader of dates has it.

A date that is one of those its words give stands; another is replaced by the words' own, where they
give one only. Words in which the reader finds no date bear out no date without a digit in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regesta.extract.dates.finding import DateFinder
from regesta.extract.llm.places import Place
from regesta.extract.text.times import Clock
from regesta.sources.times import DAY_OR_COARSER, Instant, last_instant

_ZONE: Final = "UTC"
_NEAR: Final = 200
"""Characters to either side that are read with words: an expression may go on there."""


class SaidDates:
    """What words of a text say of when something began and ended."""

    def __init__(self, text: str, place: Place, said: int, *, ends: bool) -> None:
        """Read the expressions of time in which the words at a place stand, if only in part.

        `said` is when they were said (microseconds); `ends`: they tell that something ended.
        """
        around, (begin, stop) = _around(text, place)
        # 3/2/2024 is in February or in March: either may be what the model read.
        clock, finders = Clock(_ZONE), (DateFinder(), DateFinder(day_first=True))
        read = (each for one in finders for each in one.find(around, clock.local(said)))
        found = [each for each in read if each.begin < stop and begin < each.stop]
        times = [clock.stated([each], said, ends=ends) for each in found]
        has_digit = any(letter.isdigit() for letter in text[slice(*place)])
        self._is_read = bool(found) or not has_digit
        self._starts = [start for start, _ in times if start is not None]
        self._ends = [end for _, end in times if end is not None]

    def start(self, given: Instant) -> Instant | None:
        """Return the start that the words bear out, given the model's; None for none."""
        if not self._is_read or any(_covers(start, given) for start in self._starts):
            return given
        return _alone(self._starts)

    def end(self, given: Instant) -> Instant | None:
        """Return the end (exclusive) that the words bear out; `given` is told inclusively.

        "In 2021" may be all that is said of an end. "Since the 6th" it is over as the 6th begins.
        """
        last = reaching_out(given)
        for end in self._ends:
            if end[0] in (given[0], last[0]):
                return end
        if not self._is_read or any(_covers(start, given) for start in self._starts):
            return last
        return _alone(self._ends)


def _around(text: str, place: Place) -> tuple[str, Place]:
    """Return the line of a place, as far as it is near, and the place in it."""
    begin = max(text.rfind("\n", 0, place[0]) + 1, place[0] - _NEAR)
    line = text[begin : place[1] + _NEAR].split("\n", 1)[0]
    return line, (place[0] - begin, place[1] - begin)


def reaching_out(end: Instant) -> Instant:
    """Return the first instant after an end that is told inclusively: "until May"."""
    return (last_instant(*end), end[1]) if end[1] in DAY_OR_COARSER else end


def _covers(said: Instant, given: Instant) -> bool:
    return said[0] <= given[0] < last_instant(*said)


def _alone(said: Sequence[Instant]) -> Instant | None:
    return said[0] if len(set(said)) == 1 else None
