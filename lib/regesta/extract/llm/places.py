"""Where words that a model copied stand in a text: as they are, spelled otherwise, nearly so."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

Place = tuple[int, int]
"""Start and end in characters of the text."""

_NEAR: Final = 90.0
"""Alikeness from 0 to 100 from which a copy counts as one with slips."""
_SHORTEST_NEAR: Final = 6
_LONGEST: Final = 1000
_SAME: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})  # noqa: RUF001
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w")


def place_of(words: str, text: str) -> Place | None:
    """Return where `words` first stand in `text`, as whole words; None where they don't.

    Case, spaces, quotation marks and dashes may differ; of longer words so may a few letters, but
    no digit.
    """
    wanted = " ".join(words.split())[:_LONGEST]
    if not wanted:
        return None
    found = _pattern(wanted).search(text.translate(_SAME))
    return found.span() if found else _near(wanted, text)


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    body = r"\s+".join(re.escape(word) for word in words.translate(_SAME).split())
    begin = r"(?<!\w)" if _WORD.match(words[0]) else ""
    end = r"(?!\w)" if _WORD.match(words[-1]) else ""
    return re.compile(begin + body + end, re.IGNORECASE)


def _near(words: str, text: str) -> Place | None:
    if len(words) < _SHORTEST_NEAR or len(words) > len(text):
        return None
    found = fuzz.partial_ratio_alignment(words.casefold(), _folded(text), score_cutoff=_NEAR)
    if found is None:
        return None
    start, end = _to_words(text, found.dest_start, found.dest_end)
    stands = text[start:end]
    same_numbers = _NUMBER.findall(stands) == _NUMBER.findall(words)
    if not same_numbers or fuzz.ratio(words.casefold(), stands.casefold()) < _NEAR:
        return None
    return start, end


def _folded(text: str) -> str:
    """Fold case character by character, so that places stay what they are."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _to_words(text: str, start: int, end: int) -> Place:
    while start > 0 and _WORD.match(text[start - 1]) and _WORD.match(text[start]):
        start -= 1
    while end < len(text) and end > start and _WORD.match(text[end - 1]) and _WORD.match(text[end]):
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
