"""What in a name tells two of a kind apart: numbers, years, versions, ordinals. Pure rules.

"Report 2023" and "Report 2024" are two reports however alike their names are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

Markers = frozenset[tuple[str, int]]
_NUMBER = re.compile(r"[a-z]{0,2}[0-9]+|[0-9]+[a-z]{1,2}[0-9]*")
"""Longer words with a digit in them are words with a typing error."""
_ORDINAL = re.compile(r"([0-9]+)(?:st|nd|rd|th)")
_ROMAN: Final[Mapping[str, str]] = {
    "ii": "2",
    "iii": "3",
    "iv": "4",
    "vi": "6",
    "vii": "7",
    "viii": "8",
    "ix": "9",
    "xi": "11",
    "xii": "12",
    "xiii": "13",
    "xiv": "14",
    "xvi": "16",
}
"""Roman numbers that are no word and no initial."""
_WORDS: Final[Mapping[str, str]] = {
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "sixth": "6",
    "seventh": "7",
    "eighth": "8",
    "ninth": "9",
    "tenth": "10",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "jr": "junior",
    "junior": "junior",
    "sr": "senior",
    "senior": "senior",
}


@lru_cache(maxsize=1 << 16)
def markers(words: str) -> Markers:
    """Return the markers in a compared form (`forms.form`) of a name, each number in one way.

    The second of two equal ones is another marker: 2.1 and 2.2 are two versions.
    """
    seen: Counter[str] = Counter()
    found = []
    for marker in filter(None, map(_marker, words.split())):
        found.append((marker, seen[marker]))
        seen[marker] += 1
    return frozenset(found)


def apart(left: Markers, right: Markers) -> bool:
    """Return whether two names' markers tell them apart; a name without any contradicts nothing."""
    return bool(left and right) and not (left <= right or right <= left)


@lru_cache(maxsize=1 << 16)
def unmarked(words: str) -> tuple[str, ...]:
    """Return the other words of a form, in order."""
    return tuple(word for word in words.split() if not _marker(word))


def _marker(word: str) -> str | None:
    if ordinal := _ORDINAL.fullmatch(word):
        return ordinal[1].lstrip("0") or "0"
    if _NUMBER.fullmatch(word):
        return word.lstrip("0") or "0"
    return _WORDS.get(word) or _ROMAN.get(word)
