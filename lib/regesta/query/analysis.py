"""Text to terms: the same for indexing and for asking."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

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

_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CHUNK: Final = re.compile(r"\w+(?:[.@_/+'\u2019-]+\w+)*")
_PART: Final = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_RUN: Final = re.compile(r"[^\W\d_]+|\d+")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_CJK_ONLY: Final = re.compile(rf"[{_CJK}]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_LETTERS: Final = str.maketrans(
    {"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u00e6": "ae", "\u0153": "oe", "\u0131": "i"}
)
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

    Stop words are dropped and plurals cut; identifiers (INC0001234, P1, e-mail addresses) stay
    whole and also give their parts; runs of CJK characters give their bigrams.
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
        return [part[i : i + 2] for i in range(max(1, len(part) - 1))]
    if part.isdigit():
        return [part]
    runs = _RUN.findall(part)
    if len(runs) > 1:
        return [part, *(run for run in runs if len(run) > 1)]
    return [] if part in STOP_WORDS else [singular(part)]


def singular(word: str) -> str:
    """Cut an English plural: the S-stemmer (Harman, "How effective is suffixing?", 1991)."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-2] if word.endswith("sses") else word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
