"""What two states of belief, or of the world, differ in.

Pure: facts in, changes out. A fact is known by what it says (subject, relation, object or value):
one whose entity was merged into another is the same fact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, get_args

from regesta.query.answers import Fact

ChangeKind = Literal["merged", "split", "corrected", "retracted", "disputed", "ended", "begun"]
_ORDER = {kind: place for place, kind in enumerate(get_args(ChangeKind))}


@dataclass(frozen=True)
class Change:
    """One difference: `before` and `after` are periods of one fact; one of the two may be absent.

    begun: told anew. ended: a period that was open has an end now. corrected: its dates are others.
    retracted: no longer believed. disputed: told still, believed no more. merged, split: two
    entities turned out to be one, or two after all; there are no facts, `text` says which.
    """

    kind: ChangeKind
    text: str
    before: Fact | None
    after: Fact | None


def changed_beliefs(
    before: Iterable[Fact], after: Iterable[Fact], current: Mapping[str, str]
) -> list[Change]:
    """Return what is believed in `after` otherwise than in `before`, by fact and start.

    Periods of both, about any valid time, disputed ones among them; those that stand in both may be
    left out. `current` leads from an entity's id of the time of `before` to its present one.
    """

    def key(fact: Fact) -> tuple[str, ...]:
        ends = (fact.subject_id, fact.object_id or "")
        subject, target = (current.get(each, each) for each in ends)
        return subject, fact.relation, target, fact.value or ""

    found: list[Change] = []
    old, new = _by(key, before), _by(key, after)
    for each in {*old, *new}:
        found += _of_one_fact(old.get(each, []), new.get(each, []))
    return sorted(found, key=_place)


def changed_world(before: Iterable[Fact], after: Iterable[Fact]) -> list[Change]:
    """Return what holds in `after` and not in `before` as begun, the reverse as ended."""
    old = {fact.row_id: fact for fact in before}
    new = {fact.row_id: fact for fact in after}
    begun = [Change("begun", fact.text, None, fact) for row, fact in new.items() if row not in old]
    ended = [Change("ended", fact.text, fact, None) for row, fact in old.items() if row not in new]
    return sorted([*begun, *ended], key=_place)


def named_in(*facts: Iterable[Fact]) -> set[str]:
    """Return the ids of all entities that facts are about."""
    ends = {end for some in facts for fact in some for end in (fact.subject_id, fact.object_id)}
    return {end for end in ends if end is not None}


def _by(
    key: Callable[[Fact], tuple[str, ...]], facts: Iterable[Fact]
) -> dict[tuple[str, ...], list[Fact]]:
    found: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        found[key(fact)].append(fact)
    return found


def _of_one_fact(before: list[Fact], after: list[Fact]) -> Iterator[Change]:
    """Pair the periods of one fact: those equal, those of one start, those that overlap."""
    old, new = sorted(before, key=attrgetter("start")), sorted(after, key=attrgetter("start"))
    for same in (_is_equal, _starts_with, _overlaps):
        for was in [*old]:
            now = next((fact for fact in new if same(was, fact)), None)
            if now is None:
                continue
            old.remove(was)
            new.remove(now)
            if same is not _is_equal:
                yield _changed(was, now)
    yield from (Change("retracted", fact.text, fact, None) for fact in old if not fact.disputed)
    for fact in new:
        yield Change("disputed" if fact.disputed else "begun", fact.text, None, fact)


def _changed(was: Fact, now: Fact) -> Change:
    if now.disputed or was.disputed:
        return Change("disputed" if now.disputed else "begun", now.text, was, now)
    ends = _starts_with(was, now) and was.invalid_at is None and now.invalid_at is not None
    return Change("ended" if ends else "corrected", now.text, was, now)


def _is_equal(was: Fact, now: Fact) -> bool:
    return _starts_with(was, now) and was.invalid_at == now.invalid_at


def _starts_with(was: Fact, now: Fact) -> bool:
    return was.start == now.start and was.disputed == now.disputed


def _overlaps(was: Fact, now: Fact) -> bool:
    first, second = sorted((was, now), key=attrgetter("start"))
    return first.invalid_at is None or second.start < first.invalid_at


def _place(change: Change) -> tuple[int, str, int, str]:
    """Sort by kind, then by subject, start and row."""
    fact = change.after or change.before
    if fact is None:
        return _ORDER[change.kind], change.text, 0, ""
    return _ORDER[change.kind], fact.subject, fact.start, fact.row_id
