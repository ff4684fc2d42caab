"""Pairs of facts that a person or a model may be asked about: do they contradict each other?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from regesta.query.answers import Fact
from regesta.query.group import View
from regesta.query.layout import EVENT
from regesta.query.read import read_fact

PER_ENTITY: Final = 64
"""Of an entity's facts the ones begun last are paired: a hub has too many pairs to be asked of."""


class Told(NamedTuple):
    """What of a believed state decides whether it is paired, and with what."""

    row: int
    fact_id: str
    subject: int
    relation: str
    object: int  # negative: a literal
    start: int
    end: int


@dataclass(frozen=True)
class Candidates:
    """The first pairs, how many there are, and how many facts of hubs were left out of pairing.

    Of facts with several periods the two that come first.
    """

    pairs: tuple[tuple[Fact, Fact], ...]
    found: int
    facts_left_out: int


def candidates(view: View, limit: int) -> Candidates:
    """Return the pairs of believed states that share an entity, overlap, and were not judged yet.

    Facts about one subject in one relation come first, then about the same two entities, then
    about one subject; among these what began last, then by fact id.
    """
    told = _told(view)
    judged = _judged(view)
    near, left_out = neighbours(told)
    asked: dict[frozenset[str], tuple[Told, Told]] = {}
    for pair in near:
        names = frozenset(one.fact_id for one in pair)
        if names not in judged:
            asked[names] = min(pair, asked.get(names, pair), key=_rank)
    first = nsmallest(limit, asked.values(), key=_rank)
    facts = tuple((read_fact(view, one.row), read_fact(view, other.row)) for one, other in first)
    return Candidates(facts, len(asked), left_out)


def neighbours(told: Sequence[Told]) -> tuple[set[tuple[Told, Told]], int]:
    """Return pairs of facts that share an entity and an instant; how many facts were left out.

    A pair is in the order of its fact ids. Of an entity's facts PER_ENTITY are paired.
    """
    about: dict[int, list[Told]] = defaultdict(list)
    for one in told:
        for entity in {one.subject, one.object} - {-1}:
            about[entity].append(one)
    pairs: set[tuple[Told, Told]] = set()
    left_out = 0
    for found in about.values():
        found.sort(key=lambda one: (-one.start, one.fact_id, one.row))
        left_out += max(0, len(found) - PER_ENTITY)
        pairs.update(_overlapping(found[:PER_ENTITY]))
    return pairs, left_out


def _overlapping(found: Sequence[Told]) -> Iterator[tuple[Told, Told]]:
    for one, other in combinations(found, 2):
        apart = one.fact_id != other.fact_id
        if apart and max(one.start, other.start) < min(one.end, other.end):
            yield (one, other) if one.fact_id < other.fact_id else (other, one)


def _rank(pair: tuple[Told, Told]) -> tuple[object, ...]:
    one, other = pair
    same_subject = one.subject == other.subject
    nearness = (
        0
        if same_subject and one.relation == other.relation
        else 1
        if {one.subject, one.object} == {other.subject, other.object}
        else 2
        if same_subject
        else 3
    )
    return (nearness, -max(one.start, other.start), one.fact_id, other.fact_id, one.row, other.row)


def _told(view: View) -> list[Told]:
    group = view.group
    states = group.array("facts", "flags") & EVENT == 0
    rows = np.flatnonzero(view.known_facts & ~view.disputed & states)
    start, end, *_ = group.array("facts", "times")[:, rows].tolist()
    subjects, objects = group.array("facts", "entities")[:, rows].tolist()
    ids, relations = (group.column("facts", name) for name in ("fact_id", "relation"))
    first = group.slice("facts").start
    return [
        Told(first + row, ids[row], subject, relations[row], target, begun, ended)
        for row, subject, target, begun, ended in zip(
            rows.tolist(), subjects, objects, start, end, strict=True
        )
    ]


def _judged(view: View) -> set[frozenset[str]]:
    rows = view.standing("verdicts")
    return {frozenset((row["left_fact"], row["right_fact"])) for row in rows}
