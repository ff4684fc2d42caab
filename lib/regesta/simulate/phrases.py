"""How events are put into words: the patterns of `phrasings.txt`, dates, and small mistakes."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Final, Literal, NamedTuple

from regesta.simulate.plan import DAY, day_text

Split = Literal["seen", "held_out"]

_WEEKDAYS: Final = ("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")
"""From the first day of 1970 on."""

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_CHOICE: Final = re.compile(r"\(([^()]*\|[^()]*)\)")
_PLAIN_WORD: Final = re.compile(r"(?<![\w{'])[a-z]{5,}(?![\w}'])")
_SHARE_OF_TYPOS: Final = 0.05
_SALT: Final = 4802
"""Chosen once, so that of every event about half of the patterns is on either side."""


class Phrasing(NamedTuple):
    """One way to tell an event; `split` tells whether it is kept for scoring only."""

    id: str
    text: str
    split: Split


class Sentence(NamedTuple):
    """An event told in words."""

    text: str
    phrasing: Phrasing


@cache
def phrasings() -> dict[str, tuple[Phrasing, ...]]:
    """Return all phrasings by event.

    A pattern and all its choices are on one side: what is kept for scoring shares no pattern with
    what may be learnt from. The side follows from a digest of the pattern, whatever the seed.
    """
    text = (files("regesta.simulate") / "phrasings.txt").read_text("utf-8")
    found: dict[str, list[Phrasing]] = {}
    event = ""
    for line in text.splitlines():
        if line.startswith("["):
            event = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(event, []).extend(_expanded(event, line))
    return {event: tuple(ways) for event, ways in found.items()}


def _expanded(event: str, pattern: str) -> list[Phrasing]:
    odd = int(_digest(f"{_SALT}/{event}: {pattern}")[:2], 16) % 2
    split: Split = "held_out" if odd else "seen"
    pieces = _CHOICE.split(pattern)
    choices = [piece.split("|") if number % 2 else [piece] for number, piece in enumerate(pieces)]
    texts = (re.sub(r" +", " ", "".join(chosen)) for chosen in product(*choices))
    return [Phrasing(f"{event}/{_digest(text)[:10]}", text, split) for text in texts]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def tell(
    random: Random,
    event: str,
    words: dict[str, str],
    *,
    at: int,
    since: int,
    end: int | None,
    told_at: int,
) -> Sentence:
    """Return a sentence about what happened at `at`, has been so since, and may have an end.

    Raises KeyError for an event without phrasings and for words that a phrasing lacks.
    """
    ways = phrasings()[event]
    phrasing = ways[int(random.random() * len(ways))]
    template = phrasing.text
    if random.random() < _SHARE_OF_TYPOS:
        template = _mistyped(random, template)
    style = random.random()
    dates = {"when": _when(at, told_at, style), "since": _since(since, told_at, style)}
    if end is not None:
        dates["until"] = until(end, style)
    text = template.format_map(words | dates)
    return Sentence(text[0].upper() + text[1:], phrasing)


def _mistyped(random: Random, template: str) -> str:
    """Swap two letters of a word that is no name."""
    found = list(_PLAIN_WORD.finditer(template))
    if not found:
        return template
    start, stop = random.choice(found).span()
    place = random.randrange(start + 1, stop - 2)
    return template[:place] + template[place + 1] + template[place] + template[place + 2 :]


def _when(at: int, told_at: int, style: float) -> str:
    ago = told_at // DAY - at // DAY
    if ago == 0:
        return "today" if style < 0.7 else "this morning" if at % DAY < DAY // 2 else "just now"
    if ago == 1:
        return "yesterday"
    if ago == -1:
        return "tomorrow"
    if 1 < ago < 7 and style < 0.6:
        return f"last {_weekday(at)}" if style < 0.3 else f"on {_weekday(at)}"
    return f"on {date_words(at, style)}"


def _since(at: int, told_at: int, style: float) -> str:
    ago = told_at // DAY - at // DAY
    if ago == 0:
        return "as of today" if style < 0.5 else "since today"
    if ago == 1:
        return "since yesterday"
    if 1 < ago < 7 and style < 0.6:
        return f"since last {_weekday(at)}" if style < 0.3 else f"since {_weekday(at)}"
    return f"{'from' if ago < 0 else 'since'} {date_words(at, style)}"


@lru_cache(maxsize=4096)
def _year_month_day(day: int) -> tuple[int, int, int]:
    year, month, number = day_text(day).split("-")
    return int(year), int(month), int(number)


def until(end: int, style: float) -> str:
    """Return the words for the last day before `end`."""
    last = end // DAY - 1 if end % DAY == 0 else end // DAY
    _, month, number = _year_month_day(last)
    if number >= 28 and _year_month_day(last + 1)[2] == 1:
        return f"until the end of {_MONTHS[month - 1]}"
    lead = "until" if style < 0.7 else "through" if style < 0.85 else "up to and including"
    return f"{lead} {date_words(last * DAY, style)}"


def date_words(at: int, style: float) -> str:
    """Return a date as people write it."""
    year, month, number = _year_month_day(at // DAY)
    if style > 0.9:
        return day_text(at // DAY)
    name = _MONTHS[month - 1]
    if style > 0.75:
        return f"{name} {number}{_ordinal(number)}, {year}"
    return f"{number} {name} {year}"


def _ordinal(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _weekday(at: int) -> str:
    return _WEEKDAYS[at // DAY % 7]
