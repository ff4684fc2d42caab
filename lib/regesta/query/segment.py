"""One segment, read lazily: arrays are mapped on first use, rows are decoded where needed."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from regesta.query.layout import (
    GROUPS,
    ROW_GROUP_ROWS,
    SEGMENTS,
    TABLES,
    array_name,
    group_columns,
    table_name,
)
from regesta.query.store import Store

Row = dict[str, Any]
Array = npt.NDArray[Any]
_LARGE = ("content",)
_KEPT_CHUNKS = 4096
_KEPT_COLUMNS = 256


class Segment:
    """The files of one segment; nothing is read before it is asked for."""

    def __init__(self, store: Store, segment_id: str) -> None:
        self._store = store
        self.id = segment_id
        self._arrays: dict[str, Array] = {}
        self._tables: dict[str, pq.ParquetFile] = {}
        self._column = lru_cache(maxsize=_KEPT_COLUMNS)(self._read_column)
        self._chunk = lru_cache(maxsize=_KEPT_CHUNKS)(self._read_chunk)

    @cached_property
    def groups(self) -> dict[str, dict[str, int]]:
        """Return group -> the starts and stops of its slices."""
        table = self._store.parquet(SEGMENTS, self.id, GROUPS).read()
        columns = [table[name].to_pylist() for name in group_columns()]
        names = table["group_id"].to_pylist()
        rows = zip(*columns, strict=True)
        return {
            name: dict(zip(group_columns(), row, strict=True))
            for name, row in zip(names, rows, strict=True)
        }

    def array(self, table: str, array: str) -> Array:
        """Return one of the arrays that `layout.array_name` lists, for the whole segment."""
        name = array_name(table, array)
        if name not in self._arrays:
            self._arrays[name] = self._store.array(SEGMENTS, self.id, name)
        return self._arrays[name]

    def cell(self, table: str, column: str, row: int) -> Any:
        """Return one value; times are microseconds."""
        number, offset = divmod(row, ROW_GROUP_ROWS)
        return self._chunk(table, number, column in _LARGE)[column][offset].as_py()

    def row(self, table: str, row: int) -> Row:
        """Return one row as a dictionary, without long text columns; times are microseconds."""
        number, offset = divmod(row, ROW_GROUP_ROWS)
        chunk = self._chunk(table, number, False)
        return {name: values[offset].as_py() for name, values in chunk.items()}

    def values(self, table: str, column: str, *, start: int, stop: int) -> pa.Array:
        """Return one column's values in a slice of rows as Arrow holds them."""
        first, last = start // ROW_GROUP_ROWS, -(-stop // ROW_GROUP_ROWS)
        before = first * ROW_GROUP_ROWS
        return self._column(table, column, first, last)[start - before : stop - before]

    def _parquet(self, table: str) -> pq.ParquetFile:
        if table not in self._tables:
            self._tables[table] = self._store.parquet(SEGMENTS, self.id, table_name(table))
        return self._tables[table]

    def _read_column(self, table: str, column: str, first: int, last: int) -> pa.Array:
        rows = self._parquet(table).read_row_groups(list(range(first, last)), columns=[column])
        return rows[column].combine_chunks()

    def _read_chunk(self, table: str, number: int, large: bool) -> dict[str, pa.Array]:  # noqa: FBT001
        names = [name for name in TABLES[table].names if (name in _LARGE) == large]
        rows = self._parquet(table).read_row_group(number, columns=names)
        return {name: _in_micros(rows[name].combine_chunks()) for name in names}


def _in_micros(values: pa.Array) -> pa.Array:
    return values.view(pa.int64()) if pa.types.is_timestamp(values.type) else values


def numbers(values: pa.Array, absent: int = -1) -> Array:
    """Return integers or times (microseconds) of 32 or 64 bits as int64, `absent` where null.

    It reads the buffers: pyarrow's own ways to numpy load pandas where that is installed.
    """
    if not len(values):
        return np.empty(0, np.int64)
    validity, data = values.buffers()
    place = slice(values.offset, values.offset + len(values))
    found = np.frombuffer(data, f"i{values.type.bit_width // 8}")[place].astype(np.int64)
    if values.null_count:
        bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")[place]
        found[bits == 0] = absent
    return found


def find_word(segment: Segment, table: str, term: str) -> int:
    """Return the number of `term` in the segment's sorted words, or -1."""
    words, ends = segment.array(table, "words"), segment.array(table, "word_ends")
    wanted, low, high = term.encode(), 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        word = words[(ends[middle - 1] if middle else 0) : ends[middle]].tobytes()
        if word == wanted:
            return middle
        low, high = (middle + 1, high) if word < wanted else (low, middle)
    return -1


def postings(segment: Segment, table: str, pairs: slice, word: int) -> tuple[Array, Array]:
    """Return rows and counts of a word in the group whose pairs are the slice `pairs`."""
    terms = segment.array(table, "pairs")[pairs]
    place = int(np.searchsorted(terms, word))
    if word < 0 or place == len(terms) or terms[place] != word:
        return np.empty(0, np.int32), np.empty(0, np.uint16)
    ends, pair = segment.array(table, "pair_ends"), pairs.start + place
    found = slice(int(ends[pair - 1]) if pair else 0, int(ends[pair]))
    return segment.array(table, "docs")[found], segment.array(table, "counts")[found]
