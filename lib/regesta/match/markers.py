"""What in a name tells two of a kind apart: numbers, years, versions, units. Pure rules.

"Report 2023" and "Report 2024" are two reports however alike their names are, "Acme France" and
"Acme Germany" two companies of one group, "Orion Pro" and "Orion Lite" two products.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
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

_LEGAL: Final[Mapping[str, str]] = {
    "limited": "ltd",
    "incorporated": "inc",
    "corporation": "corp",
    "company": "co",
    "aktiengesellschaft": "ag",
}
"""Legal forms in full and in short."""
_LEGAL_SHORT: Final = frozenset(
    (
        *("ltd", "inc", "corp", "co", "ag", "gmbh", "kg", "ug", "sa", "sas", "sarl", "llc", "llp"),
        *("plc", "bv", "nv", "spa", "srl", "oy", "ab", "aps", "pty", "kk"),
    )
)
"""Legal forms tell nothing apart: one company is named with and without."""
_UNITS: Final = frozenset(
    word
    for line in resources.files("regesta.match").joinpath("units.txt").read_text().splitlines()
    if not line.startswith("#")
    for word in line.split()
)
"""Words that name one of several things of one name."""


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
    """Return the other words of a form but legal forms, in order."""
    every = words.split()
    return tuple(word for word in every if word not in _LEGAL_SHORT and not _marker(word))


def canonical(word: str) -> str:
    """Return a word of a name as all ways of writing it: a number, a generation, a legal form."""
    return _number(word) or _LEGAL.get(word, word)


def _marker(word: str) -> str | None:
    return _number(word) or (word if word in _UNITS else None)


def _number(word: str) -> str | None:
    if ordinal := _ORDINAL.fullmatch(word):
        return ordinal[1].lstrip("0") or "0"
    if _NUMBER.fullmatch(word):
        return word.lstrip("0") or "0"
    return _WORDS.get(word) or _ROMAN.get(word)
