"""Two generations of the derived tables, compared row by row: what differs by key and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from regesta import model
from regesta.parallel import together
from regesta.warehouse import damage
from regesta.warehouse.warehouse import Warehouse

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "rejected_episodes": ("episode_id",),
    "mentions": ("mention_id",),
    "statements": ("statement_id",),
    "match_profiles": ("profile_id", "declaration"),
    "match_decisions": ("group_id", "left", "right", "batch"),
}
"""What names a row of a table, where that is not its row_id."""

MOST_EXAMPLES: Final = 10
CHANGED, ONLY_BEFORE, ONLY_AFTER = "changed", "only before", "only after"
UNREADABLE: Final = "unreadable before"


@dataclass(frozen=True)
class Difference:
    """One column of one row that differs; for a row on one side only `column` is absent."""

    table: str
    key: str
    kind: str
    column: str | None
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Compared:
    """A table: its rows on both sides, how many keys differ, and the first differences by key.

    `counts` maps a kind of difference, for changed rows with the column's name, to how often it is.
    """

    table: str
    rows_before: int
    rows_after: int
    counts: Mapping[str, int]
    examples: Sequence[Difference]


def compare(before: Warehouse, after: Warehouse, *, folder: str, tolerant: bool) -> list[Compared]:
    """Compare the derived tables of two generations, as multisets of whole rows.

    Both are read at their pinned versions. All differences are kept under `folder`, a table of
    Parquet per table: key, kind, column, before, after. Where it is `tolerant`, a damaged table of
    the generation before is a difference like any other.
    """
    compared = _compared_or_damaged if tolerant else _compared
    calls = (partial(compared, before, after, table, folder) for table in model.DERIVED)
    return together(*calls)


def _compared_or_damaged(before: Warehouse, after: Warehouse, table: str, folder: str) -> Compared:
    try:
        return _compared(before, after, table, folder)
    except Exception as error:
        damaged = damage.told(error)
        if damaged is None or after.place(table) in str(damaged):
            raise
        lost = Difference(table, "", UNREADABLE, None, str(damaged), None)
        return Compared(table, 0, after.before(table).count(), {UNREADABLE: 1}, [lost])


def _compared(before: Warehouse, after: Warehouse, table: str, folder: str) -> Compared:
    sides = (before.before(table), after.before(table))
    counted = Observation()
    place = f"{folder}/{table}"
    found = differences(*sides, key=KEYS.get(table, ("row_id",)), counted=counted)
    found.write.mode("overwrite").parquet(place)
    staged = before.spark.read.schema(found.schema).parquet(place)
    counts, examples = _told(table, staged)
    rows = counted.get
    return Compared(table, rows["before"] or 0, rows["after"] or 0, counts, examples)


def differences(
    before: DataFrame, after: DataFrame, *, key: Sequence[str], counted: Observation
) -> DataFrame:
    """Return key, kind, column, before, after of what differs between two tables of one schema.

    `counted` observes the rows of both, as `before` and `after`.
    """
    both = _side(before, key, 1, 0).unionByName(_side(after, key, 0, 1))
    watched = both.observe(counted, F.sum("old").alias("before"), F.sum("new").alias("after"))
    uneven = (
        watched.groupBy("key", "row")
        .agg((F.sum("old") - F.sum("new")).alias("surplus"))
        .where("surplus <> 0")
        .groupBy("key")
        .agg(
            F.sort_array(F.collect_list(F.when(F.col("surplus") > 0, F.col("row")))).alias("old"),
            F.sort_array(F.collect_list(F.when(F.col("surplus") < 0, F.col("row")))).alias("new"),
        )
    )
    told = uneven.withColumn("told", F.explode(_by_column(before.schema)))
    return told.select("key", "told.*")


def _side(rows: DataFrame, key: Sequence[str], old: int, new: int) -> DataFrame:
    return rows.select(
        F.concat_ws(" ", *(F.col(name).cast("string") for name in key)).alias("key"),
        F.struct(*(_comparable(field) for field in rows.schema.fields)).alias("row"),
        F.lit(old).alias("old"),
        F.lit(new).alias("new"),
    )


def _comparable(field: T.StructField) -> Column:
    """Maps can't be compared; their entries can, in their order."""
    is_map = isinstance(field.dataType, T.MapType)
    return (F.map_entries(field.name) if is_map else F.col(field.name)).alias(field.name)


def _by_column(schema: T.StructType) -> Column:
    old, new = (F.element_at(F.col(side), 1) for side in ("old", "new"))
    changed = [
        F.struct(
            F.lit(CHANGED).alias("kind"),
            F.lit(name).alias("column"),
            old[name].cast("string").alias("before"),
            new[name].cast("string").alias("after"),
            (~old[name].eqNullSafe(new[name])).alias("differs"),
        )
        for name in schema.fieldNames()
    ]
    one_sided = F.when(F.size("new") == 0, ONLY_BEFORE).otherwise(ONLY_AFTER)
    nothing = F.lit(None).cast("string")
    whole = F.struct(
        one_sided.alias("kind"),
        nothing.alias("column"),
        nothing.alias("before"),
        nothing.alias("after"),
        F.lit(True).alias("differs"),
    )
    is_changed = (F.size("old") > 0) & (F.size("new") > 0)
    listed = F.when(is_changed, F.array(*changed)).otherwise(F.array(whole))
    kept = F.filter(listed, lambda one: one["differs"])
    return F.transform(kept, lambda one: one.dropFields("differs"))


def _told(table: str, staged: DataFrame) -> tuple[dict[str, int], list[Difference]]:
    if staged.isEmpty():
        return {}, []
    name = F.concat_ws(" ", "kind", "column").alias("what")
    counted = staged.groupBy(name).count().orderBy("what").collect()
    first = staged.orderBy("key", F.col("column").asc_nulls_first()).limit(MOST_EXAMPLES)
    examples = [Difference(table, *row) for row in first.collect()]
    return {row["what"]: row["count"] for row in counted}, examples
