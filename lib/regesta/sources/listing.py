"""The files of a source that were not read before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from regesta.errors import InputError
from regesta.sources.declaration import WHOLE_FORMATS, Source

LARGEST_WHOLE_FILE: Final = 2_000_000_000
"""Bytes of a file of WHOLE_FORMATS, which one task holds in memory."""

_NOT_READ: Final = frozenset(
    {"path", "entities", "statements", "for_each", "max_rejected_share", "largest_drop"}
)


class SourceFile(NamedTuple):
    """One file; `number` is its place among the files of a batch, by source and path."""

    number: int
    source: str
    path: str
    size: int
    modified_at: int
    declaration_hash: str


def declaration_hash(source: Source) -> str:
    """Return a digest of the keys of a declaration that decide what a file's episodes are."""
    keys = source.model_dump(mode="json", exclude=set(_NOT_READ))
    return hashlib.sha256(json.dumps(keys, sort_keys=True).encode()).hexdigest()[:32]


def new_files(
    spark: SparkSession, sources: Sequence[Source], deliveries: DataFrame
) -> list[SourceFile]:
    """Return the files of `sources` that `deliveries` doesn't name, by source and path.

    A file counts as read when its path, size, time of modification and declaration are the same.
    Folders are read with all that lies below; names that begin with `_` or `.` are left out.

    Raises InputError for a path that leads nowhere and for files too large to be read whole.
    """
    same = ["source", "path", "size", "modified_at", "declaration_hash"]
    listed = reduce(DataFrame.unionByName, (_listed(spark, source) for source in sources))
    new = listed.join(deliveries.select(*same), on=same, how="left_anti")
    micros = new.select(*same).withColumn("modified_at", F.unix_micros("modified_at"))
    found = sorted(tuple(row) for row in micros.collect())
    files = [SourceFile(number, *row) for number, row in enumerate(found)]
    _check_sizes(files, {source.source: source for source in sources})
    return files


def _listed(spark: SparkSession, source: Source) -> DataFrame:
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        files = reader.load([*source.path])
    except AnalysisException as error:
        raise InputError(
            f"source {source.source!r}: {_why_unlisted(source, error)}\n"
            "Correct `path` or put the files there."
        ) from error
    return files.select(
        F.lit(source.source).alias("source"),
        "path",
        F.col("length").alias("size"),
        F.col("modificationTime").alias("modified_at"),
        F.lit(declaration_hash(source)).alias("declaration_hash"),
    ).distinct()  # globs of one source may overlap


def _why_unlisted(source: Source, error: AnalysisException) -> str:
    if error.getCondition() == "PATH_NOT_FOUND":
        nowhere = (error.getMessageParameters() or {}).get("path")
        return f"can't list {nowhere}: no file is there."
    return f"can't list {', '.join(source.path)}: {str(error).splitlines()[0]}"


def _check_sizes(files: Sequence[SourceFile], sources: dict[str, Source]) -> None:
    for file in files:
        form = sources[file.source].format
        if form in WHOLE_FORMATS and file.size > LARGEST_WHOLE_FILE:
            raise InputError(
                f"source {file.source!r}: {file.path} has {file.size:,} bytes; files of format "
                f"{form} are read whole, up to {LARGEST_WHOLE_FILE:,}.\n"
                "Split it, or deliver JSON lines or Parquet."
            )
