"""Snapshot series: statements where a value changes, an end where it vanishes.

A record's snapshots, in order of reference time, are one series. A snapshot states what the one
before it lacked, and the end of what that one had and it lacks. Which one stands before it depends
on what is known: a late snapshot changes itself and the one after it, at its own known time.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    """One delivery of a record: what it lists, from and until when (known time) it counts.

    `episode` is what it can be quoted from. `listed` maps what is the same from night to night
    (subject, relation, object, ...) to the statement that says so. A removed record lists nothing.
    """

    item: str
    episode: str
    reference_time: int
    known_from: int
    known_until: int | None
    listed: Mapping[Any, Any]


@dataclass(frozen=True)
class Testimony:
    """A statement that counts from `known_from` until `known_until`; `ends` tells its sort."""

    snapshot: Snapshot
    key: Hashable
    statement: Any
    ends: bool
    known_from: int
    known_until: int | None


def testimonies(snapshots: Sequence[Snapshot]) -> list[Testimony]:
    """Return what a series says, each statement with the span of known time in which it counts.

    Snapshots of one reference time never count at once: they are versions of one item.
    """
    made: list[Testimony] = []
    since: dict[tuple[str, Hashable, bool], tuple[Snapshot, Any, int]] = {}
    standing: list[tuple[int, str]] = []
    by_item: dict[str, Snapshot] = {}
    for moment, leaving, arriving in _moments(snapshots):
        touched = {snapshot.item for snapshot in (*leaving, *arriving)}
        for snapshot in leaving:
            touched |= _after(standing, snapshot)
            standing.remove((snapshot.reference_time, snapshot.item))
            if by_item.get(snapshot.item) is snapshot:
                del by_item[snapshot.item]
        for snapshot in arriving:
            insort(standing, (snapshot.reference_time, snapshot.item))
            by_item[snapshot.item] = snapshot
        for snapshot in arriving:
            touched |= _after(standing, snapshot)
        for item in sorted(touched):
            made.extend(_restate(item, moment, standing, by_item, since))
    made.extend(
        Testimony(snapshot, key, statement, ends, begun, None)
        for (_, key, ends), (snapshot, statement, begun) in since.items()
    )
    return made


def _moments(
    snapshots: Sequence[Snapshot],
) -> Iterator[tuple[int, list[Snapshot], list[Snapshot]]]:
    counted = [s for s in snapshots if s.known_until is None or s.known_until > s.known_from]
    leaving: dict[int, list[Snapshot]] = {}
    arriving: dict[int, list[Snapshot]] = {}
    for snapshot in counted:
        arriving.setdefault(snapshot.known_from, []).append(snapshot)
        if snapshot.known_until is not None:
            leaving.setdefault(snapshot.known_until, []).append(snapshot)
    for moment in sorted({*leaving, *arriving}):
        yield moment, leaving.get(moment, []), arriving.get(moment, [])


def _after(standing: Sequence[tuple[int, str]], snapshot: Snapshot) -> set[str]:
    place = bisect_left(standing, (snapshot.reference_time, snapshot.item)) + 1
    return {standing[place][1]} if place < len(standing) else set()


def _restate(
    item: str,
    moment: int,
    standing: Sequence[tuple[int, str]],
    by_item: Mapping[str, Snapshot],
    since: dict[tuple[str, Hashable, bool], tuple[Snapshot, Any, int]],
) -> Iterator[Testimony]:
    """Bring what one item says up to the moment; give the spans that end there."""
    says = _says(item, standing, by_item)
    told = [entry for entry in since if entry[0] == item]
    for entry in told:
        snapshot, statement, begun = since[entry]
        if says.get(entry) != (snapshot, statement):
            del since[entry]
            if begun < moment:
                yield Testimony(snapshot, entry[1], statement, entry[2], begun, moment)
    for entry, (snapshot, statement) in says.items():
        since.setdefault(entry, (snapshot, statement, moment))


def _says(
    item: str, standing: Sequence[tuple[int, str]], by_item: Mapping[str, Snapshot]
) -> dict[tuple[str, Hashable, bool], tuple[Snapshot, Any]]:
    snapshot = by_item.get(item)
    if snapshot is None:
        return {}
    place = bisect_left(standing, (snapshot.reference_time, item))
    before = by_item[standing[place - 1][1]].listed if place else {}
    begun = {
        (item, key, False): (snapshot, statement)
        for key, statement in snapshot.listed.items()
        if key not in before
    }
    vanished = {
        (item, key, True): (snapshot, statement)
        for key, statement in before.items()
        if key not in snapshot.listed
    }
    return {**begun, **vanished}
