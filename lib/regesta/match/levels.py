"""Two profiles compared: a level of agreement for every attribute. Pure rules.

Level 0 says that a value is missing; what the others mean depends on the kind alone. Comparisons
are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA, JaroWinkler

from regesta.match import names
from regesta.match.declaration import Compared, Kind
from regesta.match.forms import tokens
from regesta.match.linkage import ACCEPTED, MOST
from regesta.match.markers import apart, markers, unmarked
from regesta.match.rarity import CLASSES, Rarity

MISSING: Final = 0
_SIMILAR_FROM = 0.9
_YEAR = 4
Near = Callable[[str, str], int]


def compare(
    left: Sequence[str], right: Sequence[str], compared: Compared, rarity: Rarity
) -> tuple[int, ...]:
    """Return the levels of two profiles' forms, in the order of the attributes."""
    return tuple(
        level(name, kind, one, other, rarity) if one and other else MISSING
        for (name, kind), one, other in zip(compared.attributes.items(), left, right, strict=True)
    )


def upper_bound(
    left: Sequence[str], right: Sequence[str], levels: Sequence[int], compared: Compared
) -> float | None:
    """Return the log-odds that a pair has at most, whatever its weights say; None: no bound.

    Names with different numbers, years, versions or units are of two things. A person decides
    where such a marker is all that one name has more; where nothing besides names agrees; and where
    dates are of two lives, unless two things agree besides.
    """
    sides = {name: (left[place], right[place]) for place, name in enumerate(compared.names)}
    named = [sides[name] for name in compared.of_kind("name") if all(sides[name])]
    if any(apart(markers(one), markers(other)) for one, other in named):
        return -MOST
    told = dict(zip(compared.names, levels, strict=True))
    agreeing = sum(
        any(_agrees(compared.attributes[name], told[name], sides[name]) for name in factor)
        for factor in compared.factors
    )
    differ = any(told[name] == count("date") for name in compared.of_kind("date"))
    needed = 2 if differ else 1
    if agreeing < needed or any(_differ_by_marker_alone(one, other) for one, other in named):
        return ACCEPTED
    return None


def _agrees(kind: Kind, level: int, sides: tuple[str, str]) -> bool:
    """Return whether two values speak for one thing; names and what many share don't count here.

    Addresses of e-mail that begin alike may only be made of the same name.
    """
    to = _AGREES_TO.get(kind, MISSING)
    if kind == "code" and any("@" in side for side in sides):
        to = CLASSES + 1
    return MISSING < level <= to


def _differ_by_marker_alone(left: str, right: str) -> bool:
    if markers(left) == markers(right):
        return False
    return names.same_words(*sorted((unmarked(left), unmarked(right))))


def level(attribute: str, kind: Kind, left: str, right: str, rarity: Rarity) -> int:
    """Return the level of two forms, neither of them empty.

    A name's level: see `names.level`. Of other kinds, equal values come first, the most common ones
    at level 1 and rare ones at CLASSES; then what is near, then what differs.
    """
    if kind == "name":
        return names.level(left, right, rarity.words[attribute])
    if left == right:
        return 1 + rarity.rank(attribute, left)
    return 1 + CLASSES + _NEAR[kind](*sorted((left, right)))


def count(kind: Kind) -> int:
    """Return how many levels a kind has, without MISSING."""
    return names.LEVELS if kind == "name" else CLASSES + len(_MEANINGS[kind])


def meaning(kind: Kind, code: int) -> str:
    """Return what a level says, in words."""
    if code == MISSING:
        return "missing"
    if kind == "name":
        return names.meaning(code)
    if code <= CLASSES:
        return f"equal, rarity {code} of {CLASSES}"
    return _MEANINGS[kind][code - CLASSES - 1]


@lru_cache(maxsize=1 << 18)
def _dates(left: str, right: str) -> int:
    same_year = left[:_YEAR] == right[:_YEAR]
    if right.startswith(left):
        return 0
    edits = OSA.distance(left, right, score_cutoff=2)
    if edits <= 1:
        return 1 if same_year else 2
    if same_year:
        return 3
    return 4 if edits == 2 else 5


@lru_cache(maxsize=1 << 18)
def _codes(left: str, right: str) -> int:
    if OSA.distance(left, right, score_cutoff=1) <= 1:
        return 0
    length = min(len(left), len(right))
    alike = next((at for at in range(length) if left[at] != right[at]), length)
    if 2 * alike >= length:
        return 1
    return 2 if alike > 1 else 3


@lru_cache(maxsize=1 << 18)
def _texts(left: str, right: str) -> int:
    one, other = set(tokens(left)), set(tokens(right))
    if one <= other or other <= one:
        return 0
    if JaroWinkler.similarity(left, right) >= _SIMILAR_FROM:
        return 1
    return 2 if one & other else 3


def _categories(left: str, right: str) -> int:  # noqa: ARG001
    return 0


_NEAR: Final[Mapping[Kind, Near]] = {
    "date": _dates,
    "code": _codes,
    "text": _texts,
    "category": _categories,
}
_AGREES_TO: Final[Mapping[Kind, int]] = {
    "date": CLASSES + 5,  # all but what differs wholly
    "code": CLASSES + 2,  # the first half
    "text": CLASSES + 3,  # a word in common
}
"""By kind, the last level that speaks for one thing."""
_MEANINGS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "date": (
        "one less exact",
        "one edit in the same year",
        "one edit, another year",
        "same year",
        "two edits",
        "differ",
    ),
    "code": ("one edit", "first half equal", "beginning equal", "differ"),
    "text": ("words of one in the other", "similar", "a word in common", "differ"),
    "category": ("differ",),
}
