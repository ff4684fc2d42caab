"""The yardstick: a plain Spark job that reads the same file and writes as many rows to Delta.

It writes each table of `regesta.model` with its schema and about its number of rows, filled by
cheap expressions from the row read, under the same settings of Spark and the tables. So it pays for
parsing, digests, columns and commits, and decides nothing.

    python tests/bench/plain_job.py CONF FILE FOLDER '{"episodes": 10000, ...}'
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from regesta import model
from regesta.config import load_settings
from regesta.warehouse.warehouse import table_schema

ROW = T.StructType(
    [
        T.StructField(name, T.StringType())
        for name in ("change", "tenant", "ticket", "changed_at", "status", "priority")
    ]
    + [T.StructField("sequence", T.LongType())]
)
MOSTLY_EMPTY = frozenset(
    (
        *("author", "expired_at", "expiry_reason", "hyperedge_id", "parent", "removal", "removed"),
        *("retracts", "expired_by", "expired_by_fact", "expired_by_episode"),
    )
)


def main(conf: Path, file: Path, folder: Path, rows_by_table: dict[str, int]) -> None:
    """Read the file once for each table and write the table."""
    spark = load_settings(conf).spark.session()
    read = rows_read(spark, file)
    total = read.count()
    for table, rows in rows_by_table.items():
        write(table, multiplied(read, rows / total, total), folder)
    spark.stop()


def rows_read(spark: SparkSession, file: Path) -> DataFrame:
    """Return the rows of the file: the line as `content` beside its fields."""
    lines = spark.read.text(str(file))
    parsed = lines.select(F.col("value").alias("content"), F.from_json("value", ROW).alias("row"))
    return parsed.select("content", "row.*", F.to_timestamp("row.changed_at").alias("time"))


def multiplied(read: DataFrame, factor: float, total: int) -> DataFrame:
    """Return about `factor` rows for each row read, each with its number as `copy`."""
    copies = max(1, math.ceil(factor))
    chance = F.pmod(F.xxhash64("change", "copy"), F.lit(total))
    return read.withColumn("copy", F.explode(F.sequence(F.lit(1), F.lit(copies)))).where(
        chance < F.lit(round(total * factor / copies))
    )


def write(table: str, rows: DataFrame, folder: Path) -> None:
    """Write one table, filled from the rows read."""
    columns = [filled(field).alias(field.name) for field in table_schema(table)]
    write_table(table, rows.select(*columns), folder)


def write_table(table: str, rows: DataFrame, folder: Path) -> None:
    """Append rows to a table of the folder, under the settings of the warehouse's."""
    writer = rows.write.format("delta").mode("append")
    writer.options(
        **{
            "delta.enableDeletionVectors": "true",
            "delta.dataSkippingStatsColumns": ",".join(model.STATISTICS_COLUMNS[table]),
        }
    ).save(str(folder / table))


def filled(field: T.StructField) -> Column:
    """Return an expression of the column's type, as wide as what Regesta writes there."""
    if field.name in MOSTLY_EMPTY:
        return F.lit(None).cast(field.dataType)
    by_type = {
        T.StringType(): text(field.name),
        T.TimestampType(): F.col("time"),
        T.LongType(): F.col("sequence"),
        T.BooleanType(): F.lit(False),
        T.ArrayType(T.StringType()): F.array("ticket"),
    }
    return by_type.get(field.dataType, F.lit(None)).cast(field.dataType)


def text(name: str) -> Column:
    """Return a digest for ids, the line for content, a few words else."""
    if name == "group_id":
        return F.col("tenant")
    if name == "content":
        return F.col("content")
    ids = ("subject", "object", "end_by", "end_by_fact", "end_by_episode")
    if name.endswith(("_id", "_key", "_hash")) or name in ids:
        return F.md5(F.concat_ws("/", F.lit(name), "change", F.col("copy").cast("string")))
    if name in ("text", "name", "normalised_name", "summary"):
        return F.concat_ws(" ", "ticket", F.lit("has the"), "status", "priority")
    return F.col("ticket")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), json.loads(sys.argv[4]))
