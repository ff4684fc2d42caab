"""Statements split into parts that can't touch each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from regesta.timeline.ontology import Ontology, TripleName
from regesta.timeline.statement import Statement

_Name = TypeVar("_Name")


def linked(pairs: Iterable[tuple[_Name, _Name]]) -> list[list[_Name]]:
    """Return what pairs link, directly or over others, group by group."""
    parents: dict[object, object] = {}
    names: dict[_Name, None] = {}
    for one, other in pairs:
        names |= {one: None, other: None}
        _link(parents, one, [other])
    groups: dict[object, list[_Name]] = defaultdict(list)
    for name in names:
        groups[_root(parents, name)].append(name)
    return list(groups.values())


def components(statements: Sequence[Statement], ontology: Ontology) -> list[list[Statement]]:
    """Independent parts: triples belong together if they share slots, directly or over others.

    A statement without an object is part of every component with a triple that it may end or take
    back, and of none if there is no such triple. Order within a part is that of the input,
    with statements without an object at the end.
    """
    parents: dict[object, object] = {}
    objectless: dict[tuple[str, str], list[Statement]] = {}
    by_triple: dict[TripleName, list[Statement]] = {}
    for statement in statements:
        _, subject, relation, target, *_ = statement
        if target is None:
            objectless.setdefault((subject, relation), []).append(statement)
            continue
        key = (subject, relation, target)
        if key not in by_triple:
            by_triple[key] = []
            _link(parents, key, [slot for slot, _ in ontology.slots(*key)])
        by_triple[key].append(statement)
    return _parts(parents, by_triple, objectless, ontology)


def _parts(
    parents: dict[object, object],
    by_triple: dict[TripleName, list[Statement]],
    objectless: dict[tuple[str, str], list[Statement]],
    ontology: Ontology,
) -> list[list[Statement]]:
    parts: dict[object, list[Statement]] = {}
    named: dict[object, dict[tuple[str, str], None]] = {}
    for key, statements in by_triple.items():
        root = _root(parents, key)
        parts.setdefault(root, []).extend(statements)
        if objectless:
            subject, relation, target = key
            pairs = ontology.ends_of(subject, relation, target)
            named.setdefault(root, {}).update(dict.fromkeys(pairs))
    if objectless:
        for root, part in parts.items():
            for pair in named[root]:
                part.extend(objectless.get(pair, ()))
    return list(parts.values())


def _link(parents: dict[object, object], key: object, others: Iterable[object]) -> None:
    root = _root(parents, key)
    for other in others:
        parents[_root(parents, other)] = root


def _root(parents: dict[object, object], key: object) -> object:
    """The representative of a key, halving the path to it on the way (Tarjan and van Leeuwen)."""
    parent = parents.setdefault(key, key)
    while parent != key:
        parents[key] = grand = parents[parent]
        key, parent = grand, parents[grand]
    return key
