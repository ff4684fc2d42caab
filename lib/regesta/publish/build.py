"""Rows of the union to segments, on the executors: one task writes the buckets of its partition."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from regesta.audit.findings import AuditError, Finding
from regesta.embed.encoder import Space
from regesta.publish.files import place
from regesta.publish.rows import BUCKET, TABLE, VECTOR, slots
from regesta.publish.segment import SegmentWriter
from regesta.publish.vectors import VECTORS
from regesta.query.layout import SEGMENTS, TABLES
from regesta.query.manifest import File
from regesta.timeline.ontology import Ontology

_SCHEMA: Final = T.StructType(
    [
        T.StructField("bucket", T.IntegerType(), nullable=False),
        T.StructField("files", T.StringType()),  # JSON: name -> bytes, sha256, rows
        T.StructField("findings", T.StringType()),  # JSON: what the audits found
    ]
)
_ARROW: Final = pa.schema(
    [("bucket", pa.int32()), ("files", pa.string()), ("findings", pa.string())]
)
_NAMES: Final = [*TABLES, VECTORS]


def build_segments(
    rows: DataFrame, root: str, relations: Ontology, space: Space | None, known_at: int
) -> dict[int, dict[str, File]]:
    """Write a segment per bucket of `rows` (see `rows.union`) and return bucket -> its files.

    `space` is where the vectors among the rows belong, None where there are none; `known_at` is the
    snapshot's, in microseconds.

    Raises AuditError with what the audits found in all buckets.
    """

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for bucket, files, findings in _write_buckets(batches, root, relations, space, known_at):
            listing = json.dumps({name: asdict(file) for name, file in files.items()})
            values = {"bucket": bucket, "files": listing, "findings": json.dumps(findings)}
            yield pa.RecordBatch.from_pylist([values], _ARROW)

    built = rows.mapInArrow(write, _SCHEMA).collect()
    findings = [Finding(*each) for row in sorted(built) for each in json.loads(row["findings"])]
    if findings:
        raise AuditError(findings)
    return {
        row["bucket"]: {name: File(**each) for name, each in json.loads(row["files"]).items()}
        for row in built
    }


def _write_buckets(
    batches: Iterable[pa.RecordBatch],
    root: str,
    relations: Ontology,
    space: Space | None,
    known_at: int,
) -> Iterator[tuple[int, Mapping[str, File], Sequence[Finding]]]:
    current: _Bucket | None = None
    for bucket, table, rows in _runs(batches):
        if current and current.number != bucket:
            yield current.close(root)
            current = None
        current = current or _Bucket(bucket, relations, space, known_at)
        current.writer.add(table, rows)
    if current:
        yield current.close(root)


@dataclass
class _Bucket:
    number: int
    relations: Ontology
    space: Space | None
    known_at: int
    folder: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)

    def __post_init__(self) -> None:
        folder = Path(self.folder.name)
        self.writer = SegmentWriter(folder, self.relations, self.known_at, self.space)

    def close(self, root: str) -> tuple[int, Mapping[str, File], Sequence[Finding]]:
        """Write the segment and put it in place: bucket, its files, what the audits found."""
        with self.folder:
            try:
                files = self.writer.finish()
            except AuditError as error:
                return self.number, {}, error.findings
            task = TaskContext.get()
            attempt = task.taskAttemptId() if task else 0
            place(Path(self.folder.name), root, SEGMENTS, files, attempt=attempt)
            return self.number, files, ()


def _runs(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, str, pa.Table]]:
    """Yield each stretch of rows of one bucket and one table, in the table's own columns."""
    for batch in batches:
        marks = [batch.column(name).to_numpy() for name in (BUCKET, TABLE)]
        change = np.flatnonzero((np.diff(marks[0]) != 0) | (np.diff(marks[1]) != 0)) + 1
        ends = [0, *change.tolist(), len(batch)]
        for start, stop in pairwise(ends):
            if start < stop:
                table = _NAMES[marks[1][start]]
                yield (
                    int(marks[0][start]),
                    table,
                    _own_columns(batch.slice(start, stop - start), table),
                )


def _own_columns(batch: pa.RecordBatch, table: str) -> pa.Table:
    if table == VECTORS:
        return pa.table({"text": batch.column("text_0"), "vector": batch.column(VECTOR)})
    places, schema = slots(table), TABLES[table]
    columns = [_own_column(batch.column(places[field.name]), field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _own_column(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_nested(kind):
        return values.cast(kind)
    distinct = values.dictionary_encode()
    read = [json.loads(text) for text in distinct.dictionary.to_pylist()]
    entries = [list(each.items()) if isinstance(each, dict) else each for each in read]
    return pa.array(entries, kind).take(distinct.indices)
