"""Rows of several tables as integers that are equal where the rows are, and joins over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Array = npt.NDArray[Any]
_SMALL: Final = 1 << 31


def shared_codes(*tables: Sequence[Any]) -> list[Array]:
    """Return for each table the code of each of its rows: 0, 1, ..., equal where rows are equal.

    A table is a sequence of columns, Arrow texts (null equals null) or integers; all tables have
    as many.
    """
    sizes = [len(table[0]) for table in tables]
    codes = np.zeros(sum(sizes), np.int64)
    for column in zip(*tables, strict=True):
        values = _column_codes(column)
        pairs = codes * (int(values.max(initial=0)) + 1) + values
        codes = np.unique(pairs, return_inverse=True)[1]
    return np.split(codes, np.cumsum(sizes)[:-1])


def _column_codes(parts: Sequence[Any]) -> Array:
    if isinstance(parts[0], np.ndarray):
        return _small(np.concatenate(parts))
    chunks = [chunk for part in parts for chunk in _chunks(part)]
    encoded = pa.chunked_array(chunks, pa.string()).dictionary_encode().unify_dictionaries()
    indices = [pc.fill_null(chunk.indices, -1).to_numpy() for chunk in encoded.chunks]
    return np.concatenate([np.empty(0, np.int64), *indices]).astype(np.int64) + 1


def _small(values: Array) -> Array:
    """Return the values, or codes of them, such that a pair of them and a row number fits."""
    lowest = int(values.min(initial=0))
    if int(values.max(initial=0)) - lowest < _SMALL:
        return values - lowest
    return np.unique(values, return_inverse=True)[1]


def _chunks(part: Any) -> list[Any]:
    return list(part.chunks) if isinstance(part, pa.ChunkedArray) else [part]


class Links:
    """Pairs of codes, each once: what a code on the left stands for on the right."""

    def __init__(self, left: Array, right: Array) -> None:
        width = int(right.max(initial=0)) + 1
        self.left, self.right = np.divmod(np.unique(left * width + right), width)

    def expand(self, codes: Array) -> tuple[Array, Array]:
        """Return the place of a code and what it stands for, a row for each pair that it has."""
        first = np.searchsorted(self.left, codes, side="left")
        counts = np.searchsorted(self.left, codes, side="right") - first
        places = np.repeat(np.arange(len(codes)), counts)
        before = np.cumsum(counts) - counts
        within = np.arange(len(places)) - np.repeat(before, counts)
        return places, self.right[np.repeat(first, counts) + within]


def firsts(codes: Array, values: Array, size: int, absent: int = -1) -> Array:
    """Return for each code below `size` the value of the first row that has it, else `absent`."""
    found = np.full(size, absent, np.int64)
    found[codes[::-1]] = values[::-1]
    return found


def texts(column: Any) -> Array:
    """Return a column of texts, none of them null."""
    return np.asarray(column.to_numpy(), str)


def row_at(table: pa.Table, place: int) -> dict[str, Any]:
    """Return one row of a table by column."""
    return dict(table.slice(place, 1).to_pylist()[0])


def micros(column: Any, absent: int) -> Array:
    """Return a column of times as microseconds, `absent` for null."""
    return np.asarray(pc.fill_null(column.cast(pa.int64()), absent).to_numpy(), np.int64)
