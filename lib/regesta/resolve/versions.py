"""Versions of one entity over known time: a pure fold over the mentions that count.

At each known time a name, a label or an attribute comes from the counting mention of the highest
rank that has it. A name that is only the value of an identifier (a record that gives an id where
another gives the name) yields to any other. The fold keeps one heap per field and removes ended
mentions lazily, so that its cost grows with mentions times their fields, not with mentions times
versions.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from regesta.names import normalise_identifier

LONGEST_SUMMARY = 500
Rank = tuple[int, int, int, str]


@dataclass(frozen=True)
class CountedMention:
    """A mention of the entity and the known times, in microseconds, between which it counts.

    `rank` is authority, reference time, known time and mention id; the highest decides.
    """

    rank: Rank
    since: int
    until: int | None
    name: str
    label: str
    identifiers: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()


class Content(NamedTuple):
    """What a version says."""

    name: str
    aliases: tuple[str, ...]
    label: str
    identifiers: tuple[str, ...]
    summary: str
    attributes: tuple[tuple[str, str], ...]


class Version(NamedTuple):
    """Content believed from one known time on; None where nothing of the entity is left."""

    since: int
    content: Content | None


class _Field:
    """The highest ranked value among those that count."""

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, int, int], _Reversed, str]] = []
        self._ended: set[Rank] = set()

    def add(self, rank: Rank, value: str) -> None:
        self._ended.discard(rank)
        heapq.heappush(self._heap, ((-rank[0], -rank[1], -rank[2]), _Reversed(rank[3]), value))

    def end(self, rank: Rank) -> None:
        self._ended.add(rank)

    def top(self) -> str | None:
        """Return the value of the highest rank that has not ended."""
        while self._heap:
            (authority, reference, known), identifier, value = self._heap[0]
            rank = (-authority, -reference, -known, identifier.text)
            if rank not in self._ended:
                return value
            heapq.heappop(self._heap)
        return None


@dataclass(frozen=True)
class _Reversed:
    """A text that sorts the other way round."""

    text: str

    def __lt__(self, other: _Reversed) -> bool:
        return self.text > other.text


class _State:
    """The fields, names and identifiers of the mentions that count at one known time."""

    def __init__(self) -> None:
        self._name, self._id_as_name, self._label = _Field(), _Field(), _Field()
        self._attributes: dict[str, _Field] = {}
        self._names: Counter[str] = Counter()
        self._identifiers: Counter[str] = Counter()

    def _fields(self, mention: CountedMention) -> Iterator[tuple[_Field, str]]:
        if mention.name:
            yield self._id_as_name if _is_identifier(mention) else self._name, mention.name
        if mention.label:
            yield self._label, mention.label
        for key, value in mention.attributes:
            yield self._attributes.setdefault(key, _Field()), value

    def begin(self, mention: CountedMention) -> None:
        for field, value in self._fields(mention):
            field.add(mention.rank, value)
        self._count(mention, 1)

    def end(self, mention: CountedMention) -> None:
        for field, _ in self._fields(mention):
            field.end(mention.rank)
        self._count(mention, -1)

    def _count(self, mention: CountedMention, by: int) -> None:
        for counter, texts in (
            (self._names, (mention.name,)),
            (self._identifiers, mention.identifiers),
        ):
            for text in texts:
                counter[text] += by
                if not counter[text]:
                    del counter[text]

    def content(self) -> Content | None:
        """Return what the counting mentions say of the entity; None where none counts."""
        if not self._names:
            return None
        name = self._name.top() or self._id_as_name.top() or ""
        label = self._label.top() or ""
        tops = ((key, field.top()) for key, field in sorted(self._attributes.items()))
        attributes = tuple((key, value) for key, value in tops if value is not None)
        return Content(
            name=name,
            aliases=tuple(sorted(text for text in self._names if text not in {name, ""})),
            label=label,
            identifiers=tuple(sorted(self._identifiers)),
            summary=_summary(label, attributes),
            attributes=attributes,
        )


def _is_identifier(mention: CountedMention) -> bool:
    values = {identifier.partition(":")[2] for identifier in mention.identifiers}
    return normalise_identifier("", mention.name).removeprefix(":") in values


def _summary(label: str, attributes: Sequence[tuple[str, str]]) -> str:
    parts = ([label] if label else []) + [f"{key}: {value}" for key, value in attributes]
    return "; ".join(parts)[:LONGEST_SUMMARY]


def versions(mentions: Iterable[CountedMention], *, after: int | None) -> list[Version]:
    """Return what changes at known times later than `after`, in their order.

    What counted at `after` is taken as already written. None returns every version from the first
    mention on. A mention that ends when it begins never counts.
    """
    state = _State()
    content: Content | None = None
    found: list[Version] = []
    for time, events in groupby(_events(mentions, after), key=lambda event: event[0]):
        for _, begins, mention in events:
            (state.begin if begins else state.end)(mention)
        before, content = content, state.content()
        if content != before and (after is None or time > after):
            found.append(Version(time, content))
    return found


def _events(
    mentions: Iterable[CountedMention], after: int | None
) -> list[tuple[int, bool, CountedMention]]:
    events = []
    for mention in mentions:
        since = mention.since if after is None else max(mention.since, after)
        if mention.until is not None and mention.until <= since:
            continue
        events.append((since, True, mention))
        if mention.until is not None:
            events.append((mention.until, False, mention))
    return sorted(events, key=lambda event: (event[0], event[1]))
