"""One version of a Delta table as a DataFrame; a small one's files are looked up once."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, SparkSession

FEW_FILES: Final = 32
"""Files up to which Spark lists them without a job, and skipping some of them saves nothing."""
_GLOB: Final = frozenset("*?[]{}")
_MARKED_ROWS: Final = "delta.feature.deletionVectors"


def version_frame(spark: SparkSession, path: str, version: int) -> DataFrame:
    """Return the Delta table at `path` as of `version`.

    Delta runs a query over its log for every scan in every query, to find the files: a quarter of
    the time that a night of a few rows takes. A table of few files, in which no rows are marked as
    deleted, is what its Parquet files hold, and is read as these.
    """
    frame = spark.read.format("delta").option("versionAsOf", version).load(path)
    if not _GLOB.isdisjoint(path) or _may_mark_rows(spark, path):
        return frame
    files = frame.inputFiles()
    if not 0 < len(files) <= FEW_FILES:
        return frame
    return spark.read.schema(frame.schema).parquet(*files)


def _may_mark_rows(spark: SparkSession, path: str) -> bool:
    """Return whether files of the table, of whichever version, may hold rows marked as deleted."""
    quoted = path.replace("`", "``")
    properties = spark.sql(f"SHOW TBLPROPERTIES delta.`{quoted}`").collect()
    return any(row["key"] == _MARKED_ROWS for row in properties)
