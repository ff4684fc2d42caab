"""Statements split into parts that can't touch each other."""

from __future__ import annotations

from collections.abc import Sequence

from regesta.linked import link, root
from regesta.timeline.ontology import Ontology, TripleName
from regesta.timeline.statement import Statement


def components(statements: Sequence[Statement], ontology: Ontology) -> list[list[Statement]]:
    """Independent parts: triples belong together if they share slots, directly or over others, or
    are legs of one fact.

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
            link(parents, key, [slot for slot, _ in ontology.slots(*key)])
        by_triple[key].append(statement)
        if statement.hyperedge is not None:
            link(parents, key, [("legs", statement.hyperedge)])
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
        group = root(parents, key)
        parts.setdefault(group, []).extend(statements)
        if objectless:
            subject, relation, target = key
            pairs = ontology.ends_of(subject, relation, target)
            named.setdefault(group, {}).update(dict.fromkeys(pairs))
    if objectless:
        for group, part in parts.items():
            for pair in named[group]:
                part.extend(objectless.get(pair, ()))
    return list(parts.values())
