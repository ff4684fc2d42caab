"""Given names that stand for each other: full ones, short ones and those of other languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources


def full_names(word: str) -> frozenset[str]:
    """Return the full names that a word may stand for, itself among them where it is one."""
    return _full_names().get(word, frozenset())


def stand_for_one(one: str, other: str) -> bool:
    """Return whether two words may stand for one given name."""
    return not full_names(one).isdisjoint(full_names(other))


@cache
def _full_names() -> Mapping[str, frozenset[str]]:
    text = (resources.files("regesta.match") / "nicknames.txt").read_text("utf-8")
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    found: dict[str, set[str]] = {}
    for full, *others in lines:
        for word in (full, *others):
            found.setdefault(word, set()).add(full)
    return {word: frozenset(names) for word, names in found.items()}
