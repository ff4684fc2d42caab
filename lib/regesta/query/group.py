"""One group of a segment, and what of it an as-of lets through."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from regesta.query.layout import DISPUTED, FOREVER, OF_A_DAY, ORDER
from regesta.query.segment import Array, Row, Segment, find_word, numbers, postings

if TYPE_CHECKING:
    from regesta.query.vectors import QueryEncoder

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Group:
    """The slices of one group; row numbers are the segment's own.

    `encoder` turns questions into vectors; it is absent where the snapshot has none.
    """

    name: str
    segment: Segment
    bounds: dict[str, int]
    encoder: QueryEncoder | None = None

    def slice(self, table: str) -> slice:
        """Return the group's rows of a table."""
        return slice(self.bounds[f"{table}_start"], self.bounds[f"{table}_stop"])

    def array(self, table: str, array: str) -> Array:
        """Return the group's part of an array whose last axis is the table's rows."""
        part: Array = self.segment.array(table, array)[..., self.slice(table)]
        return part

    def column(self, table: str, column: str) -> list[Any]:
        """Return the group's values of a column; it is for none that holds times."""
        values: list[Any] = self.values(table, column).to_pylist()
        return values

    def values(self, table: str, column: str) -> pa.Array:
        """Return the group's values of a column as Arrow holds them."""
        rows = self.slice(table)
        return self.segment.values(table, column, start=rows.start, stop=rows.stop)

    def run(
        self, table: str, column: str, value: str, *, start: int | None = None
    ) -> Iterator[int]:
        """Yield the rows whose `column`, by which the table is sorted, has the value."""
        rows, cell = self.slice(table), self.segment.cell
        span = range(rows.start, rows.stop)
        row = (
            span.start + bisect_left(span, value, key=lambda each: cell(table, column, each))
            if start is None
            else start
        )
        while row < rows.stop and cell(table, column, row) == value:
            yield row
            row += 1

    def rows(self, table: str, key: str | None = None) -> Iterator[Row]:
        """Yield the group's rows of a table, without long texts.

        With `key` only those that have it in the column by which the table is sorted.
        """
        rows = self.slice(table)
        found: Iterable[int] = range(rows.start, rows.stop)
        if key is not None:
            found = self.run(table, ORDER[table][0], key)
        return (self.segment.row(table, row) for row in found)

    @cached_property
    def authors(self) -> tuple[list[str], Array]:
        """Return the names of episodes' authors, and each episode's place among them, else -1."""
        names = self.values("episodes", "author").dictionary_encode()
        return names.dictionary.to_pylist(), numbers(names.indices)

    def postings(self, table: str, terms: Sequence[str]) -> dict[str, tuple[Array, Array]]:
        """Return term -> rows (from the group's first) and counts."""
        start, pairs = self.slice(table).start, self.slice(f"{table}_pairs")
        found = {}
        for term in set(terms):
            rows, counts = postings(
                self.segment, table, pairs, find_word(self.segment, table, term)
            )
            found[term] = (rows - start, counts)
        return found


@dataclass(frozen=True)
class View:
    """A group as known at `known` about `valid`; masks count from the group's first row."""

    group: Group
    valid: int
    known: int

    @cached_property
    def told(self) -> Mask:
        """Fact rows that the graph had written by then, believed or given up."""
        return np.asarray(self.group.array("facts", "times")[2] <= self.known)

    @cached_property
    def known_facts(self) -> Mask:
        """Fact rows believed then, about any time, disputed ones among them."""
        return np.asarray(self.told & (self.known < self.group.array("facts", "times")[3]))

    @cached_property
    def disputed(self) -> Mask:
        """Fact rows that are flagged as disputed."""
        return np.asarray(self.group.array("facts", "flags") & DISPUTED != 0)

    @cached_property
    def facts(self) -> Mask:
        """Fact rows believed then, that hold at `valid` or, events, have happened by it."""
        return self.holding & ~self.disputed

    @cached_property
    def holding(self) -> Mask:
        """The same, disputed ones among them."""
        return self._hold(self.group.array("facts", "times"))

    def among(self, about: Mask, *, disputed: bool) -> Mask:
        """Return what of a mask of fact rows is in `facts`, or in `holding` with disputed ones.

        It looks at no other rows: a subject has few of a large group's.
        """
        rows = np.flatnonzero(about)
        holds = self._hold(self.group.array("facts", "times")[:, rows])
        if not disputed:
            holds &= self.group.array("facts", "flags")[rows] & DISPUTED == 0
        found = np.zeros_like(about)
        found[rows[holds]] = True
        return found

    @cached_property
    def at_valid(self) -> Mask:
        """Fact rows whose valid time holds the asked one, or whose event has happened by it."""
        start, end, _, _ = self.group.array("facts", "times")
        return np.asarray((start <= self.valid) & (self.valid < end))

    def _hold(self, times: Array) -> Mask:
        start, end, created, expired = times
        known = (created <= self.known) & (self.known < expired)
        return np.asarray(known & (start <= self.valid) & (self.valid < end))

    @cached_property
    def ends(self) -> Array:
        """Return for each fact of the group the entities that it joins, -1 for a literal: (2, n).

        An entity is the first row of its versions, counted from the group's first.
        """
        found = self.group.array("facts", "entities").astype(np.int64)
        return np.where(found < 0, -1, found - self.group.slice("entities").start)

    @cached_property
    def citations(self) -> Array:
        """Return which facts of `holding` cite which episodes then, see `cited_by`."""
        return self.cited_by(self.holding)

    def cited_by(self, facts: Mask) -> Array:
        """Return which of the facts cite which episodes, as evidence then stood: (2, n).

        Of a belief given up by then it is the evidence to its end. Facts and episodes are rows
        counted from the group's first.
        """
        rows = np.flatnonzero(facts)
        owners, places = laid_out(*self.group.array("facts", "evidence")[:, rows])
        rows = rows[owners]
        start, created, expired = self.group.segment.array("evidence", "times")[:, places]
        period, _, _, given_up = self.group.array("facts", "times")[:, rows]
        moment = np.minimum(self.known, given_up - 1)
        stands = (start == period) & (created <= moment) & (moment < expired)
        cited = self.group.segment.array("evidence", "episode")[places].astype(np.int64)
        return np.stack([rows, cited - self.group.slice("episodes").start])[:, stands]

    @cached_property
    def members(self) -> Array:
        """Return which entities were in which communities then, on every level: (2, n).

        Rows are numbered as in `ends`, and come level by level, the lowest first.
        """
        group, table = self.group, "community_members"
        stands = self._known_rows(table)
        entities, communities = (
            group.array(table, other)[stands].astype(np.int64) - group.slice(other).start
            for other in ("entities", "communities")
        )
        levels = [np.stack([entities, communities])]
        while (raised := self._raised(levels[-1])).size:
            levels.append(raised)
        return np.concatenate(levels, axis=1)

    def _raised(self, members: Array) -> Array:
        above = self.parents[members[1]]
        return np.stack([members[0], above])[:, above >= 0]

    @cached_property
    def parents(self) -> Array:
        """Return the node of what was above each community node then, -1 where nothing was."""
        nodes, stands = self.community_nodes, self._known_rows("communities")
        ids = self.group.column("communities", "community_id")
        above = self.group.column("communities", "parent")
        node_of = dict(zip(ids, nodes.tolist(), strict=True))
        found = np.full(len(nodes), -1, np.int64)
        for row in np.flatnonzero(stands):
            if above[row] is not None:
                found[nodes[row]] = node_of[above[row]]
        return found

    @cached_property
    def entity_nodes(self) -> Array:
        """Return for each entity row of the group the first row of its entity's versions."""
        return self._firsts("entities", "entity_id")

    @cached_property
    def community_nodes(self) -> Array:
        """Return for each community row of the group the first row of its versions."""
        return self._firsts("communities", "community_id")

    def _firsts(self, table: str, column: str) -> Array:
        codes = numbers(self.group.values(table, column).dictionary_encode().indices)
        return np.asarray(np.searchsorted(codes, codes))  # versions are neighbours, so codes ascend

    @cached_property
    def threads(self) -> tuple[Array, Array]:
        """Return the episodes visible then in the order of their threads, and each one's thread.

        Episodes are rows counted from the group's first; one without a thread has -1.
        """
        order, threads = self.group.array("episodes", "threads")
        rows = order - self.group.slice("episodes").start
        shown = self.mask("episodes")[rows]
        return rows[shown], threads[shown]

    @cached_property
    def entities(self) -> Mask:
        """Entity rows believed then."""
        return self._known_rows("entities")

    @cached_property
    def community_day(self) -> int:
        """The valid time of which communities are seen: the asked one, where those were found.

        Otherwise it is the present, FOREVER.
        """
        created, _, days = self.group.array("communities", "times")
        found = np.any((days == self.valid) & (created <= self.known))
        return self.valid if found else FOREVER

    def _known_rows(self, table: str) -> Mask:
        """Rows known then; of episodes the messages and texts, in the version that counted then.

        Of communities and their members those of `community_day`.
        """
        times = self.group.array(table, "times")
        known = np.asarray((times[0] <= self.known) & (self.known < times[1]))
        return known & (times[2] == self.community_day) if table in OF_A_DAY else known

    def mask(self, scope: str) -> Mask:
        """Return the mask of a searched table."""
        return self.facts if scope == "facts" else self._known_rows(scope)

    def stands(self, row: Row) -> bool:
        """Tell whether a row of another table was believed then."""
        ends = row["expired_at"]
        known = row["created_at"] <= self.known and (ends is None or self.known < ends)
        return bool(known and ("valid_on" not in row or self._is_of_day(row["valid_on"])))

    def _is_of_day(self, valid_on: int | None) -> bool:
        return (FOREVER if valid_on is None else valid_on) == self.community_day

    def standing(self, table: str, key: str | None = None) -> Iterator[Row]:
        """Yield the rows of another table that were believed then, in its order.

        `key` is that of `Group.rows`.
        """
        return filter(self.stands, self.group.rows(table, key))

    def version(self, first: int) -> int:
        """Return the entity row that stood then among the versions that begin at `first`.

        Where none stands (merged away since), it is the latest that had been written.
        """
        start = self.group.slice("entities").start
        if self.entities[first - start]:
            return first
        entity_id = self.group.segment.cell("entities", "entity_id", first)
        rows = list(self.group.run("entities", "entity_id", entity_id, start=first))
        times = self.group.segment.array("entities", "times")
        return max(rows, key=lambda row: _standing(times[:, row], self.known))


def _standing(stamps: Array, known: int) -> tuple[bool, bool, int]:
    created, expired = int(stamps[0]), int(stamps[1])
    return created <= known < expired, created <= known, created


def laid_out(starts: Array, stops: Array) -> tuple[Array, Array]:
    """Return the numbers of all ranges, one after another, and before them each one's range."""
    starts, lengths = starts.astype(np.int64), (stops - starts).astype(np.int64)
    before = np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners, np.arange(len(owners)) + (starts - before)[owners]
