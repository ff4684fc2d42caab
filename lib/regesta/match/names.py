"""Two names compared: how much of them is shared, and how much contradicts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA, JaroWinkler

from regesta.match.forms import tokens
from regesta.match.nicknames import stand_for_one
from regesta.match.rarity import CEILING

SHARED: Final = (2.0, 5.0, 8.0, 11.0, 14.0, 17.0, 20.0, 24.0)
"""Bits shared where a level ends."""
LEFT_OVER: Final = (0.1, 5.0, 10.0, 15.0, 20.0)
"""Bits that both names have and do not share, where a level ends: none, few, some, many."""
LEVELS: Final = (len(SHARED) + 1) * (len(LEFT_OVER) + 1)
_TYPO, _SIMILAR, _SHORT_FORM, _INITIAL = 0.8, 0.6, 0.5, 0.3
_SIMILAR_FROM = 0.9
_MOST_BITS_OF_A_BEGINNING = 6.0


def level(left: str, right: str, words: Mapping[str, float]) -> int:
    """Return 1 to LEVELS for two forms of names: a level of shared bits and one of left-over bits.

    The words are paired off, equal ones first, then the most alike ones (typing errors, similar
    sounding, nicknames, short forms, initials). Rare words count more (`words`: bits of the common
    ones). What only one name has left over contradicts nothing: it may stand in the other's full
    name.
    """
    shared, lost = _pair_off(tokens(left), tokens(right), words)
    place = bisect_right(SHARED, shared) * (len(LEFT_OVER) + 1)
    return 1 + place + bisect_right(LEFT_OVER, lost)


def same_words(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether every word has one of its own on the other side that is equal or alike."""
    rest = [word for word in right if word not in left]
    for word in left:
        if word not in right:
            near = [
                (likeness, one) for one in rest if (likeness := _likeness(*sorted((word, one))))
            ]
            if not near:
                return False
            rest.remove(max(near)[1])
    return not rest


def meaning(code: int) -> str:
    """Return what a level says, in words."""
    shared, lost = divmod(code - 1, len(LEFT_OVER) + 1)
    bounds = (0.0, *SHARED)
    more = ("nothing", "little", "something", "more", "much", "most")[lost]
    return f"{bounds[shared]:g} bits or more shared, {more} contradicts"


def _pair_off(
    left: Sequence[str], right: Sequence[str], words: Mapping[str, float]
) -> tuple[float, float]:
    """Return the shared bits and the bits that are left over on both sides."""
    equal = set(left) & set(right)
    shared = sum(words.get(word, CEILING) for word in sorted(equal))
    lefts = {word: words.get(word, CEILING) for word in left if word not in equal}
    rights = {word: words.get(word, CEILING) for word in right if word not in equal}
    if lefts and rights:
        shared += _pair_alike(lefts, rights)
    return shared, min(sum(sorted(lefts.values())), sum(sorted(rights.values())))


def _pair_alike(lefts: dict[str, float], rights: dict[str, float]) -> float:
    """Take pairs of words that are alike out of both sides; return the bits that they share."""
    alike = [
        (likeness, min(lefts[one], rights[other]), min(one, other), max(one, other), one, other)
        for one in lefts
        for other in rights
        if (likeness := _likeness(min(one, other), max(one, other))) > 0
    ]
    shared = 0.0
    for likeness, bits, _, _, one, other in sorted(alike, reverse=True):
        if one in lefts and other in rights:
            del lefts[one], rights[other]
            most = bits if likeness >= _SIMILAR else min(bits, _MOST_BITS_OF_A_BEGINNING)
            shared += likeness * most
    return shared


@lru_cache(maxsize=1 << 18)
def _likeness(one: str, other: str) -> float:
    """Return how alike two different words are; 0 where they are not. Digits are never alike."""
    if one.isdigit() or other.isdigit():
        return 0.0
    if stand_for_one(one, other):
        return _SIMILAR
    if other.startswith(one) or one.startswith(other):
        return _SHORT_FORM if min(len(one), len(other)) > 1 else _INITIAL
    if min(len(one), len(other)) < 3:
        return 0.0
    is_long = one[0] == other[0] or min(len(one), len(other)) > 3
    if is_long and OSA.distance(one, other, score_cutoff=1) <= 1:
        return _TYPO
    return _SIMILAR if JaroWinkler.similarity(one, other) >= _SIMILAR_FROM else 0.0
