"""Vectors of a bucket's texts to arrays, group by group, each text once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from regesta.embed.encoder import Space, unit
from regesta.embed.step import STORED
from regesta.embed.texts import texts_in_arrow
from regesta.errors import SnapshotError
from regesta.query.codes import sign_codes

Array = npt.NDArray[Any]
VECTORS: Final = "vectors"
"""The name of the vectors' texts among the tables of a bucket."""
_SCHEMA: Final = pa.schema([("text", pa.string()), ("vector", pa.binary())])


class VectorWriter:
    """Takes a bucket's texts with their vectors (text, vector) and lays them out by table."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._pieces = [_SCHEMA.empty_table()]

    def add(self, rows: pa.Table) -> None:
        """Take the next texts with their vectors."""
        self._pieces.append(rows.cast(_SCHEMA))

    def arrays(
        self, table: str, rows: pa.Table, groups: Array, count: int
    ) -> tuple[dict[str, Array], Array]:
        """Return a table's arrays of `layout.array_name`, and where each group's vectors end.

        `groups` is int64 (rows,): the number of each row's group, below `count`. Raises
        SnapshotError where a text has no vector.
        """
        known = self._known
        texts = texts_in_arrow(table, rows)
        indices = pc.index_in(texts, value_set=known["text"].combine_chunks())
        self._check(table, texts.filter(pc.is_null(indices)))
        said = pc.is_valid(indices).to_numpy(zero_copy_only=False)
        numbers = pc.fill_null(indices, -1).to_numpy().astype(np.int64)
        pairs = groups[said] * max(len(known), 1) + numbers[said]
        distinct, places = np.unique(pairs, return_inverse=True)
        numbers[said] = places
        vectors = self._numbers(known["vector"].take(pa.array(distinct % max(len(known), 1))))
        ends = np.searchsorted(distinct // max(len(known), 1), np.arange(count), side="right")
        found = {
            "vectors": vectors,
            "codes": sign_codes(vectors),
            "vector": numbers.astype(np.int32),
        }
        return found, ends

    @cached_property
    def _known(self) -> pa.Table:
        return pa.concat_tables(self._pieces).combine_chunks()

    def _numbers(self, vectors: pa.ChunkedArray) -> Array:
        width = self._space.dimension * STORED.itemsize
        kept = vectors.combine_chunks().cast(pa.binary(width))
        flat = np.frombuffer(kept.buffers()[1], STORED, len(kept) * self._space.dimension)
        return unit(flat.reshape(len(kept), self._space.dimension))

    def _check(self, table: str, texts: pa.Array) -> None:
        lacking = texts.drop_null()
        if len(lacking):
            raise SnapshotError(
                f"The snapshot was not published: {len(lacking)} rows of {table} have no vector of "
                f"{self._space.name}, for one {lacking[0].as_py()[:80]!r}."
            )
