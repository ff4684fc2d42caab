"""One group of a segment, and what of it an as-of lets through."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regesta.query.layout import DISPUTED
from regesta.query.segment import Array, Row, Segment, find_word, postings

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Group:
    """The slices of one group; row numbers are the segment's own."""

    name: str
    segment: Segment
    bounds: dict[str, int]

    def slice(self, table: str) -> slice:
        """Return the group's rows of a table."""
        return slice(self.bounds[f"{table}_start"], self.bounds[f"{table}_stop"])

    def array(self, table: str, array: str) -> Array:
        """Return the group's part of an array whose last axis is the table's rows."""
        part: Array = self.segment.array(table, array)[..., self.slice(table)]
        return part

    def column(self, table: str, column: str) -> list[Any]:
        """Return the group's values of a column."""
        rows = self.slice(table)
        return self.segment.column(table, column, start=rows.start, stop=rows.stop)

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

    def _hold(self, times: Array) -> Mask:
        start, end, created, expired = times
        known = (created <= self.known) & (self.known < expired)
        return np.asarray(known & (start <= self.valid) & (self.valid < end))

    @cached_property
    def entities(self) -> Mask:
        """Entity rows believed then."""
        return self._known_rows("entities")

    def _known_rows(self, table: str) -> Mask:
        """Rows known then; of episodes the messages and texts, in the version that counted then."""
        times = self.group.array(table, "times")
        return np.asarray((times[0] <= self.known) & (self.known < times[1]))

    def mask(self, scope: str) -> Mask:
        """Return the mask of a searched table."""
        return self.facts if scope == "facts" else self._known_rows(scope)

    def stands(self, row: Row) -> bool:
        """Tell whether a row of another table was believed then."""
        ends = row["expired_at"]
        return bool(row["created_at"] <= self.known and (ends is None or self.known < ends))

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
