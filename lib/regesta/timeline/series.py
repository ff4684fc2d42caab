"""Snapshot series: statements where a value changes, an end where it vanishes.

A record's snapshots, in order of reference time, are one series. A snapshot states what the one
before it lacked, and the end of what that one had and it lacks; where it says that it does not
know, what held before it holds on. Which one stands before it depends on what is known: a late
snapshot changes itself and those after it, at its own known time.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Key = tuple[Hashable, Hashable]
"""What a statement is about (subject and relation), and what it says of it."""

Listing = Mapping[Key, Any]


@dataclass(frozen=True)
class Snapshot:
    """One delivery of a record: what it lists, from and until when (known time) it counts.

    `episode` is what it can be quoted from. `listed` maps what is the same from night to night to
    the statement that says so; `unknown` holds what the record says nothing about. A removed record
    lists nothing.
    """

    item: str
    episode: str
    reference_time: int
    known_from: int
    known_until: int | None
    listed: Listing
    unknown: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class Testimony:
    """A statement that counts from `known_from` until `known_until`; `ends` tells its sort.

    `lapsed_by` is the episode that made it no longer count, by coming or by ceasing to count.
    """

    snapshot: Snapshot
    key: Key
    statement: Any
    ends: bool
    known_from: int
    known_until: int | None
    lapsed_by: str | None = None


def testimonies(snapshots: Sequence[Snapshot]) -> list[Testimony]:
    """Return what a series says, each statement with the span of known time in which it counts.

    Snapshots of one reference time never count at once: they are versions of one item.
    """
    series = _Series()
    for moment, leaving, arriving in _moments(snapshots):
        series.advance(moment, leaving, arriving)
    return series.told()


class _Series:
    """The snapshots that count at a moment of known time, and what each says then."""

    def __init__(self) -> None:
        self._made: list[Testimony] = []
        self._since: dict[tuple[str, Key, bool], tuple[Snapshot, Any, int]] = {}
        self._standing: list[tuple[int, str]] = []
        self._snapshots: dict[str, Snapshot] = {}
        self._holding: dict[str, Listing] = {}

    def advance(
        self, moment: int, leaving: Sequence[Snapshot], arriving: Sequence[Snapshot]
    ) -> None:
        """Let snapshots cease and begin to count; only what stands after them is said again."""
        touched: set[tuple[int, str]] = set()
        news = sorted((s.reference_time, s.item, s.episode) for s in arriving or leaving)
        for snapshot in leaving:
            place = (snapshot.reference_time, snapshot.item)
            touched |= {place, *self._after(place)}
            self._standing.remove(place)
            del self._snapshots[snapshot.item]
        for snapshot in arriving:
            insort(self._standing, (snapshot.reference_time, snapshot.item))
            self._snapshots[snapshot.item] = snapshot
        for snapshot in arriving:
            place = (snapshot.reference_time, snapshot.item)
            touched |= {place, *self._after(place)}
        while touched:
            place = min(touched)
            touched.remove(place)
            if self._restate(place, moment, news):
                touched |= self._after(place)

    def told(self) -> list[Testimony]:
        """Return all that was said; what is said still has no end."""
        still = [
            Testimony(snapshot, key, statement, ends, begun, None)
            for (_, key, ends), (snapshot, statement, begun) in self._since.items()
        ]
        return self._made + still

    def _after(self, place: tuple[int, str]) -> set[tuple[int, str]]:
        index = bisect_left(self._standing, place)
        index += index < len(self._standing) and self._standing[index] == place
        return {self._standing[index]} if index < len(self._standing) else set()

    def _restate(
        self, place: tuple[int, str], moment: int, news: Sequence[tuple[int, str, str]]
    ) -> bool:
        """Bring what one item says up to the moment; tell whether what holds at it changed.

        Of the snapshots that are news the last one up to the item is why.
        """
        item = place[1]
        held = self._holding.pop(item, None)
        says = self._says(place)
        for entry in [entry for entry in self._since if entry[0] == item]:
            snapshot, statement, begun = self._since[entry]
            if says.get(entry) != (snapshot, statement):
                del self._since[entry]
                if begun < moment:
                    span = (begun, moment, _last_before(news, place))
                    self._made.append(Testimony(snapshot, entry[1], statement, entry[2], *span))
        for entry, (snapshot, statement) in says.items():
            self._since.setdefault(entry, (snapshot, statement, moment))
        return held != self._holding.get(item)

    def _says(self, place: tuple[int, str]) -> dict[tuple[str, Key, bool], tuple[Snapshot, Any]]:
        item = place[1]
        snapshot = self._snapshots.get(item)
        if snapshot is None:
            return {}
        index = bisect_left(self._standing, place)
        before = self._holding[self._standing[index - 1][1]] if index else {}
        kept = {key: told for key, told in before.items() if key[0] in snapshot.unknown}
        holding = self._holding[item] = {**kept, **snapshot.listed}
        begun = {
            (item, key, False): (snapshot, statement)
            for key, statement in snapshot.listed.items()
            if key not in before
        }
        vanished = {
            (item, key, True): (snapshot, statement)
            for key, statement in before.items()
            if key not in holding
        }
        return {**begun, **vanished}


def _last_before(news: Sequence[tuple[int, str, str]], place: tuple[int, str]) -> str:
    earlier = [one for one in news if one[:2] <= place]
    return (earlier[-1] if earlier else news[0])[2]


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
