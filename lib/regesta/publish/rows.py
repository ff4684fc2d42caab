"""All tables as one stream of rows, so that one sort brings each bucket's rows together.

The columns of every table are mapped to shared slots (the first text, the second text, ...), which
keeps a row of the union as narrow as the widest table. Lists and maps travel as JSON: a column of
absent lists costs Spark's way to Arrow ten times what a column of absent texts does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.embed.texts import texts_in_spark
from regesta.query.layout import ORDER, SEARCHED, TABLES, WAREHOUSE_NAMES

BUCKET: Final = "bucket"
TABLE: Final = "table"
VECTOR: Final = "vector"
FINE_BUCKETS: Final = 4096
"""Numbers of buckets are powers of two up to this, so that counts of fine ones add up to any."""
MOST_PARTITIONS: Final = 256

_NAMES: Final = list(TABLES)
_SORT: Final = (BUCKET, TABLE, "text_0", "text_1", "text_2")


def slots(table: str) -> dict[str, str]:
    """Return column -> slot for a table: its type and its number among the columns of that type.

    The group has the first text slot, the columns that rows are sorted by have the next.
    """
    schema = TABLES[table]
    seen: Counter[str] = Counter()
    found = {}
    for name in dict.fromkeys(("group_id", *ORDER[table], *schema.names)):
        kind = _kind(schema.field(name).type)
        found[name] = f"{kind}_{seen[kind]}"
        seen[kind] += 1
    return found


def _kind(kind: pa.DataType) -> str:
    return "number" if pa.types.is_int64(kind) or pa.types.is_timestamp(kind) else "text"


def bucket(buckets: int) -> Column:
    """Return the bucket of a row, as `layout.bucket_of`."""
    return (F.crc32(F.col("group_id").cast("binary")) % buckets).cast("int")


def fine_counts(tables: Mapping[str, DataFrame]) -> Counter[tuple[str, int]]:
    """Return (table, fine bucket) -> rows."""
    counted = [
        _table(tables, name).select(F.lit(name).alias(TABLE), bucket(FINE_BUCKETS).alias(BUCKET))
        for name in _NAMES
    ]
    rows = reduce(DataFrame.union, counted).groupBy(TABLE, BUCKET).count().collect()
    return Counter({(row[TABLE], row[BUCKET]): row["count"] for row in rows})


def union(
    tables: Mapping[str, DataFrame],
    vectors: DataFrame | None,
    *,
    buckets: int,
    chosen: Collection[int],
) -> DataFrame:
    """Return the rows of the chosen buckets, sorted by bucket, table, group and the table's order.

    Columns: bucket, table (its number in the layout) and the slots, times as microseconds, lists
    and maps as JSON. Each partition holds whole buckets. `vectors` (bucket, text, vector) come
    after the tables of their bucket, as if they were one more.
    """
    parts = [_slotted(tables, name, buckets, chosen) for name in _NAMES]
    if vectors is not None:
        number = F.lit(len(_NAMES)).alias(TABLE)
        parts.append(vectors.select(BUCKET, number, F.col("text").alias("text_0"), VECTOR))
    rows = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), parts)
    partitions = min(buckets, MOST_PARTITIONS)
    placed = rows.repartitionById(partitions, F.col(BUCKET) % partitions)
    return placed.sortWithinPartitions(*_SORT)


def _table(tables: Mapping[str, DataFrame], name: str) -> DataFrame:
    return tables[WAREHOUSE_NAMES.get(name, name)]


def embedded_texts(
    tables: Mapping[str, DataFrame], *, buckets: int, chosen: Collection[int]
) -> DataFrame:
    """Return bucket and text of all that is embedded in the chosen buckets, with repetitions."""
    parts = [
        texts_in_spark(name, _of_buckets(tables, name, buckets, chosen)).select(BUCKET, "text")
        for name in SEARCHED
    ]
    return reduce(DataFrame.union, parts)


def _of_buckets(
    tables: Mapping[str, DataFrame], name: str, buckets: int, chosen: Collection[int]
) -> DataFrame:
    frame = _table(tables, name).withColumn(BUCKET, bucket(buckets))
    return frame.where(F.col(BUCKET).isin(*chosen))


def _slotted(
    tables: Mapping[str, DataFrame], name: str, buckets: int, chosen: Collection[int]
) -> DataFrame:
    frame = _of_buckets(tables, name, buckets, chosen)
    if name == "episodes":
        frame = _as_published(frame, tables["supersessions"])
    values = [
        _slot_value(TABLES[name].field(column)).alias(slot) for column, slot in slots(name).items()
    ]
    number = F.lit(_NAMES.index(name)).alias(TABLE)
    return frame.select(BUCKET, number, *values)


def _as_published(episodes: DataFrame, supersessions: DataFrame) -> DataFrame:
    """Add to episodes the parts of messages, and when they stopped counting."""
    ends = supersessions.select("episode_id", "superseded_at")
    return episodes.withColumn("spans", F.col("attributes")["spans"]).join(
        ends, on="episode_id", how="left"
    )


def _slot_value(field: pa.Field) -> Column:
    column = F.col(field.name)
    if pa.types.is_timestamp(field.type):
        return F.unix_micros(column)
    if pa.types.is_nested(field.type):
        return F.to_json(column, {"ignoreNullFields": "false"})
    return column.cast("long") if pa.types.is_int64(field.type) else column
