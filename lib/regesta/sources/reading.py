"""Files become staged rows: one pass in Spark that parses, maps and checks every record.

JSON lines and Parquet are read in splits, files of other formats and compressed JSON lines one per
task, so what is parallel there is the files. Rows are staged once as Parquet; what follows reads
them from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Row, as_batch, as_batches
from regesta.ids import digest_column
from regesta.sources.compressed import whole_lines
from regesta.sources.declaration import WHOLE_FORMATS, Source
from regesta.sources.files import with_file
from regesta.sources.formats import file_rows, line_parser
from regesta.sources.listing import SourceFile
from regesta.sources.parsed import LONGEST_RAW, BrokenTextError, ParsedRow, lenient_text
from regesta.sources.records import EpisodeFields, RejectedRecordError, episode_mapper

ROWS: Final = pa.schema(
    [
        ("file", pa.int32()),  # SourceFile.number
        ("block_start", pa.int64()),
        ("line", pa.int64()),  # within the block, from 1
        ("reason", pa.string()),  # null: the row can become an episode
        ("raw", pa.string()),  # of rejected rows
        ("group_id", pa.string()),
        ("source_id", pa.string()),
        ("version", pa.string()),
        ("place", pa.string()),
        ("removed", pa.string()),
        ("thread_id", pa.string()),
        ("position", pa.int64()),
        ("author", pa.string()),
        ("content", pa.string()),
        ("compared", pa.string()),  # what tells whether the content changed; null: the content
        ("reference_time", pa.int64()),  # microseconds
        ("own_known_at", pa.int64()),  # microseconds, null: the run's
        ("spans", pa.string()),  # of messages: see regesta.spans
    ]
)
"""What the parsing pass gives; a blank line is kept, with the reason BLANK, so that lines count."""

BLANK: Final = "blank"

LARGEST_GZIP: Final = 256_000_000
"""Bytes of a compressed file of JSON lines that a task reads itself; Spark reads larger ones, and
can't go on where one is damaged."""

_SCHEMA: Final = from_arrow_schema(ROWS)
_ROWS_PER_BATCH: Final = 5_000
_WITHOUT_FIELDS: Final = (None,) * len(EpisodeFields._fields)
_GLOB_CHARACTERS: Final = "{}[]*?\\"

_EMPTY_HOST: Final = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):///")


def stage_rows(
    spark: SparkSession,
    sources: Sequence[Source],
    files: Sequence[SourceFile],
    *,
    run_known_at: int,
    salt: str,
    folder: str,
) -> None:
    """Parse `files` and write the rows to `folder` as Parquet, for `read_staged`."""
    by_name = {source.source: source for source in sources}
    parts = []
    for name in sorted({file.source for file in files}):
        own = [file for file in files if file.source == name]
        parsed = _parsed(spark, by_name[name], own, run_known_at=run_known_at)
        parts.append(_with_ids(parsed, by_name[name], salt=salt))
    reduce(DataFrame.unionByName, parts).write.mode("overwrite").parquet(folder)


def read_staged(spark: SparkSession, folder: str) -> DataFrame:
    """Return the staged rows of a batch.

    Columns: those of ROWS without block_start, and source, series_id, item_id, content_hash,
    row_number (from 1 in its file). Blank lines are gone.
    """
    return _numbered(spark.read.parquet(folder))


def _parsed(
    spark: SparkSession, source: Source, files: Sequence[SourceFile], *, run_known_at: int
) -> DataFrame:
    numbers = {file.path: file.number for file in files}
    by_task = [file.path for file in files if _is_read_whole(source, file)]
    in_splits = [file.path for file in files if not _is_read_whole(source, file)]
    parts = []
    if by_task:
        make = _gzip_pass if source.format == "jsonl" else _file_pass
        whole = _whole_files(spark, by_task)
        parts.append(whole.mapInArrow(make(source, numbers, run_known_at), _SCHEMA))
    if in_splits:
        read = _parquet_lines if source.format == "parquet" else _lines
        lines = read(spark, [_literal_path(path) for path in in_splits])
        parts.append(lines.mapInArrow(_line_pass(source, numbers, run_known_at), _SCHEMA))
    return reduce(DataFrame.unionByName, parts)


def _is_read_whole(source: Source, file: SourceFile) -> bool:
    """Compressed lines can't be split; read by a task of their own, damage stops only the file."""
    if source.format == "jsonl":
        return file.path.endswith(".gz") and file.size <= LARGEST_GZIP
    return source.format in WHOLE_FORMATS


def _whole_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.load([_literal_path(path) for path in paths]).select("path", "content")


def _literal_path(path: str) -> str:
    """Return a path in which no character is a pattern."""
    return "".join(f"\\{char}" if char in _GLOB_CHARACTERS else char for char in path)


def _lines(spark: SparkSession, paths: list[str]) -> DataFrame:
    reader = spark.read.option("recursiveFileLookup", "true").option("lineSep", "\n")
    return reader.text(paths).select(
        F.col("value").cast("binary").alias("value"),
        F.col("_metadata.file_path").alias("path"),
        F.col("_metadata.file_block_start").alias("block_start"),
    )


def _parquet_lines(spark: SparkSession, paths: list[str]) -> DataFrame:
    """Return the rows of Parquet files as JSON, with their index in the file as block_start."""
    options = {
        "ignoreNullFields": "false",
        "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
        "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
        "timeZone": "UTC",
    }
    rows = spark.read.option("recursiveFileLookup", "true").option("mergeSchema", "true")
    loaded = rows.parquet(*paths)
    record = F.struct(*[F.col(f"`{name.replace('`', '``')}`") for name in loaded.columns])
    return loaded.select(
        F.to_json(record, options).cast("binary").alias("value"),
        F.col("_metadata.file_path").alias("path"),
        F.col("_metadata.row_index").alias("block_start"),
    )


def _line_pass(
    source: Source, numbers: dict[str, int], run_known_at: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the pass over lines of JSON: (value, path, block_start) to ROWS."""

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse lines, counted from 1 in each block of a file."""
        to_row = _line_function(source, run_known_at)
        counted: dict[tuple[int, int], int] = {}
        for batch in batches:
            paths = batch.column("path").dictionary_encode()
            files = [_plain_path(path) for path in paths.dictionary.to_pylist()]
            rows = []
            for line, index, block in zip(
                batch.column("value").to_pylist(),
                paths.indices.to_pylist(),
                batch.column("block_start").to_pylist(),
                strict=True,
            ):
                path = files[index]
                key = (numbers[path], block)
                number = counted[key] = counted.get(key, 0) + 1
                rows.append((*key, number, *to_row(line, path)))
            yield as_batch(rows, ROWS)

    def parse_numbered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse rows of Parquet, whose index in the file is known."""
        to_row = _line_function(source, run_known_at)
        for batch in batches:
            columns = [batch.column(name).to_pylist() for name in ("value", "path", "block_start")]
            rows = []
            for line, uri, index in zip(*columns, strict=True):
                path = _plain_path(uri)
                rows.append((numbers[path], 0, index + 1, *to_row(line, path)))
            yield as_batch(rows, ROWS)

    return parse_numbered if source.format == "parquet" else parse


def _plain_path(uri: str) -> str:
    """Return a path as a listing of files writes it."""
    return _EMPTY_HOST.sub(r"\1:/", unquote(uri))


def _line_function(source: Source, run_known_at: int) -> Callable[[bytes, str], Row]:
    """Return the function from a line and its file to the columns of ROWS from `reason` on."""
    parse = line_parser(source.encoding)
    to_fields = episode_mapper(source, run_known_at=run_known_at)
    seen = with_file(source)
    encoding = source.encoding

    def to_row(line: bytes, path: str) -> Row:
        """Return the columns of ROWS from `reason` on; what can't be read has a reason."""
        try:
            return (None, None, *to_fields(seen(parse(line), path)))
        except RejectedRecordError as error:
            return (str(error), lenient_text(line, encoding), *(error.known or _WITHOUT_FIELDS))
        except BrokenTextError as error:
            if not line.strip():
                return (BLANK, None, *_WITHOUT_FIELDS)
            return (str(error), lenient_text(line, encoding), *_WITHOUT_FIELDS)

    return to_row


def _file_pass(
    source: Source, numbers: dict[str, int], run_known_at: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the pass over files of WHOLE_FORMATS: (path, content) to ROWS."""

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse whole files, one after the other."""
        map_record = episode_mapper(source, run_known_at=run_known_at)
        seen = with_file(source)
        for batch in batches:
            for path, content in zip(
                batch.column("path").to_pylist(), batch.column("content"), strict=True
            ):

                def to_fields(record: Any, path: str = path) -> EpisodeFields:
                    return map_record(seen(record, path))

                rows = file_rows(content.as_py(), source, path)
                yield from as_batches(
                    _file_rows(numbers[path], rows, to_fields), ROWS, _ROWS_PER_BATCH
                )

    return parse


def _file_rows(
    file: int, rows: Iterable[ParsedRow], to_fields: Callable[[Any], EpisodeFields]
) -> Iterator[Row]:
    for row in rows:
        raw = row.raw[:LONGEST_RAW]
        if row.reason is not None:
            yield (file, 0, row.number, row.reason, raw, *_WITHOUT_FIELDS)
            continue
        try:
            yield (file, 0, row.number, None, None, *to_fields(row.record))
        except RejectedRecordError as error:
            yield (file, 0, row.number, str(error), raw, *(error.known or _WITHOUT_FIELDS))


def _gzip_pass(
    source: Source, numbers: dict[str, int], run_known_at: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the pass over compressed files of JSON lines: (path, content) to ROWS."""

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse the lines of compressed files as far as they can be read."""
        to_row = _line_function(source, run_known_at)
        for batch in batches:
            for path, content in zip(
                batch.column("path").to_pylist(), batch.column("content"), strict=True
            ):
                problems: list[str] = []
                lines = whole_lines(content.as_py(), problems, whole=source.complete)
                read = _gzip_rows(numbers[path], path, lines, problems, to_row)
                yield from as_batches(read, ROWS, _ROWS_PER_BATCH)

    return parse


def _gzip_rows(
    file: int,
    path: str,
    lines: Iterator[bytes],
    problems: list[str],
    to_row: Callable[[bytes, str], Row],
) -> Iterator[Row]:
    number = 0
    for number, line in enumerate(lines, start=1):
        yield (file, 0, number, *to_row(line, path))
    for problem in problems:
        yield (file, 0, number + 1, problem, "", *_WITHOUT_FIELDS)


def _with_ids(rows: DataFrame, source: Source, *, salt: str) -> DataFrame:
    name, identity = source.source, F.col("source_id")
    moment = F.col("reference_time")
    parts = (identity, moment) if source.mode == "snapshot" else (identity,)
    known = F.col("source_id").isNotNull()
    return rows.select(
        *(column for column in rows.columns if column != "compared"),
        F.lit(name).alias("source"),
        F.when(known, digest_column(salt, "series", name, identity)).alias("series_id"),
        F.when(known, digest_column(salt, "item", name, *parts)).alias("item_id"),
        digest_column(salt, "content", F.coalesce("compared", "content")).alias("content_hash"),
    )


def _numbered(staged: DataFrame) -> DataFrame:
    """Add the lines of a file's earlier blocks to the number of a line in its own."""
    earlier = (
        Window.partitionBy("file").orderBy("block_start").rowsBetween(Window.unboundedPreceding, -1)
    )
    blocks = staged.groupBy("file", "block_start").agg(F.max("line").alias("lines"))
    offsets = blocks.select(
        "file",
        "block_start",
        F.coalesce(F.sum("lines").over(earlier), F.lit(0)).alias("offset"),
    )
    numbered = staged.join(F.broadcast(offsets), on=["file", "block_start"], how="inner")
    return (
        numbered.withColumn("row_number", F.col("offset") + F.col("line"))
        .drop("block_start", "line", "offset")
        .where(~F.col("reason").eqNullSafe(BLANK))
    )
