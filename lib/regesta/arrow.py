"""Arrow batches as rows of Python values, and back, for the pure rules inside Spark tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]
Batches = Iterable[pa.RecordBatch]


def as_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """Give the rows of batches, one after the other; times as microseconds."""
    for batch in batches:
        columns = [_plain(column).to_pylist() for column in batch.columns]
        yield from zip(*columns, strict=True)


def _plain(column: pa.Array) -> pa.Array:
    return column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column


def groups(batches: Iterable[pa.RecordBatch], key: Callable[[Row], Any]) -> Iterator[list[Row]]:
    """Give the rows of each key together; the input must be sorted by it."""
    for _, rows in groupby(as_rows(batches), key):
        yield list(rows)


def as_batches(rows: Iterable[Row], schema: pa.Schema, size: int = 10_000) -> Iterator[Any]:
    """Give rows, in the order of the schema's columns, as batches of about `size` rows."""
    kept: list[Row] = []
    for row in rows:
        kept.append(row)
        if len(kept) >= size:
            yield as_batch(kept, schema)
            kept = []
    yield as_batch(kept, schema)


def as_frame(spark: SparkSession, rows: Sequence[Row], schema: pa.Schema) -> DataFrame:
    """Return rows of the driver as a DataFrame whose plan holds them: no job makes or reads it."""
    return spark.createDataFrame(pa.Table.from_batches([as_batch(rows, schema)]))


def as_batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows as one batch."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.RecordBatch.from_arrays(
        [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)],
        schema=schema,
    )
