"""Text to terms: the same for indexing and for asking."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

import Stemmer

STOP_WORDS: Final = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its just me more most my no nor not
    of off on once only or other our ours out over same she should so some such than that the
    their theirs them then there these they this those through to too under until up very was we
    were what when where which while who whom whose why will with would you your yours
    """.split()  # noqa: SIM905
)

_CJK: Final = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Thai, Lao, Myanmar and Khmer: letters and their marks, without digits and signs.
_UNSPACED: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
# Letters of Indic scripts carry their vowels as marks, which \w leaves out.
_INDIC: Final = "\u0900-\u0963\u0966-\u0df3"
_WORD: Final = rf"[\w{_INDIC}{_UNSPACED}]"
_CHUNK: Final = re.compile(rf"{_WORD}+(?:[.@_/+'\u2019-]+{_WORD}+)*")
_PART: Final = re.compile(rf"[{_CJK}]+|[{_UNSPACED}]+|(?:(?![_{_CJK}{_UNSPACED}]){_WORD})+")
_RUN: Final = re.compile(rf"(?:(?!\d|_){_WORD})+|\d+")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_CJK_ONLY: Final = re.compile(rf"[{_CJK}]+")
_UNSPACED_ONLY: Final = re.compile(rf"[{_UNSPACED}]+")
# Of Latin, Greek, Cyrillic; of Hebrew and Arabic the points, which are mostly not written.
_ACCENTS: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+"
)
_LETTERS: Final = str.maketrans(
    {"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u00e6": "ae", "\u0153": "oe", "\u0131": "i"}
)
_PORTER: Final = Stemmer.Stemmer("porter", 0)  # unlike "english" the same in every release
_IDENTIFIER_MARKS: Final = re.compile(r"[\d@_]")


def fold(text: str) -> str:
    """Return `text` in NFKC, case-folded and without accents."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def chunks(text: str) -> list[str]:
    """Return the folded words of `text`, what inner punctuation joins in one piece."""
    return _CHUNK.findall(fold(text))


def terms(text: str) -> list[str]:
    """Return the terms of `text`, in order, repetitions included.

    Stop words are dropped and English endings cut; identifiers (INC0001234, P1, e-mail addresses)
    stay whole and also give their parts. Scripts without spaces between words give n-grams: CJK its
    characters and pairs of them, Thai, Lao, Myanmar and Khmer three characters each.
    """
    return [term for chunk in chunks(text) for term in chunk_terms(chunk)]


@lru_cache(maxsize=65536)
def chunk_terms(chunk: str) -> tuple[str, ...]:
    """Return the terms of one of the `chunks`."""
    chunk = _POSSESSIVE.sub("", chunk) if "'" in chunk or "\u2019" in chunk else chunk
    parts = _PART.findall(chunk)
    if len(parts) == 1 and parts[0] == chunk:
        return tuple(_part_terms(chunk))
    whole = [chunk] if _IDENTIFIER_MARKS.search(chunk) else []
    return (*whole, *(term for part in parts for term in _part_terms(part)))


def _part_terms(part: str) -> list[str]:
    if _CJK_ONLY.match(part):
        return [*part, *_grams(part, 2)] if len(part) > 1 else [part]
    if _UNSPACED_ONLY.match(part):
        return _grams(part, 3)
    if part.isdigit():
        return [part]
    runs = _RUN.findall(part)
    if len(runs) > 1:
        return [part, *(run for run in runs if len(run) > 1)]
    return [] if part in STOP_WORDS else [stem(part)]


def _grams(text: str, length: int) -> list[str]:
    return [text[i : i + length] for i in range(max(1, len(text) - length + 1))]


def stem(word: str) -> str:
    """Cut the endings of an English word (Porter, "An algorithm for suffix stripping", 1980).

    Words of one or two letters, or with others than a to z, stay as they are.
    """
    return str(_PORTER.stemWord(word)) if word.isascii() and len(word) > 2 else word
