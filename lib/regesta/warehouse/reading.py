"""One version of a Delta table as a DataFrame; a small one's files are known without a query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from regesta.warehouse.files import Files

FEW_FILES: Final = 32
"""Paths up to which Spark looks files up without a job, and skipping some of them saves nothing."""
PLAIN_READER: Final = 1
"""The protocol of tables whose files hold their rows as they are: none marked, no mapped names."""


def version_frame(spark: SparkSession, path: str, version: int) -> DataFrame:
    """Return the Delta table at `path` as of `version`.

    Delta runs a query over its log for every scan in every query, to find the files: a quarter of
    the time that a night of a few rows takes. What it writes beside each version, the version
    checksum of its protocol, names the files of a small table: these are read. Where it is missing
    or does not add up, Delta looks.
    """
    checksum = version_checksum(spark, path, version)
    if not _is_plain(checksum):
        return spark.read.format("delta").option("versionAsOf", version).load(path)
    schema = StructType.fromJson(json.loads(checksum["metadata"]["schemaString"]))
    files = [f"{path}/{unquote(each['path'])}" for each in checksum["allFiles"]]
    return spark.read.schema(schema).parquet(*files)


def version_checksum(spark: SparkSession, path: str, version: int) -> Mapping[str, Any]:
    """Return what Delta tells of a version beside it; empty where it left nothing readable.

    Among it are tableSizeBytes, numFiles, protocol, metadata and, of a small table, allFiles.
    """
    files, name = Files(spark, path), f"_delta_log/{version:020}.crc"
    if not files.exists(name):
        return {}
    try:
        read = json.loads(files.read(name))
    except ValueError:
        return {}  # cut short by a crash; the log itself is whole
    return read if isinstance(read, dict) else {}


def _is_plain(checksum: Mapping[str, Any]) -> bool:
    """Return whether a few files, all of them named, hold a table's rows as they are."""
    named = checksum.get("allFiles") or ()
    return (
        0 < len(named) <= FEW_FILES
        and len(named) == checksum["numFiles"]
        and sum(each["size"] for each in named) == checksum["tableSizeBytes"]
        and checksum["protocol"]["minReaderVersion"] == PLAIN_READER
        and not checksum["metadata"]["partitionColumns"]
        and not any(each["path"].startswith("/") or ":" in each["path"] for each in named)
    )
