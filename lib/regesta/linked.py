"""What pairs link, directly or over others: a union-find over names of any kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

_Name = TypeVar("_Name")
Parents = dict[object, object]


def linked(pairs: Iterable[tuple[_Name, _Name]]) -> list[list[_Name]]:
    """Return what pairs link, directly or over others, group by group."""
    parents: Parents = {}
    names: dict[_Name, None] = {}
    for one, other in pairs:
        names |= {one: None, other: None}
        link(parents, one, [other])
    groups: dict[object, list[_Name]] = defaultdict(list)
    for name in names:
        groups[root(parents, name)].append(name)
    return list(groups.values())


def link(parents: Parents, key: object, others: Iterable[object]) -> None:
    """Put others into the group of a key."""
    own = root(parents, key)
    for other in others:
        parents[root(parents, other)] = own


def root(parents: Parents, key: object) -> object:
    """The representative of a key, halving the path to it on the way (Tarjan and van Leeuwen)."""
    parent = parents.setdefault(key, key)
    while parent != key:
        parents[key] = grand = parents[parent]
        key, parent = grand, parents[grand]
    return key
