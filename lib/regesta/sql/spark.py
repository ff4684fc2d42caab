"""The as-of tables in Spark SQL, over a warehouse as its last whole batch left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from regesta.errors import ConfigurationError
from regesta.query.layout import WAREHOUSE_NAMES
from regesta.query.times import show
from regesta.sql.functions import FUNCTIONS, PRESENT, TABLES, Kind
from regesta.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TYPES: dict[Kind, str] = {"time": "TIMESTAMP", "text": "STRING"}


def register(spark: SparkSession, warehouse: str = "warehouse") -> None:
    """Make temporary table functions and views of a warehouse: the names of `duck.connect`.

    They read the versions that belong to the last whole batch, whatever is written later; call it
    again for a newer one.

    Raises:
        ConfigurationError: there is no whole batch in the warehouse.
    """
    opened = Warehouse.open(spark, warehouse)
    last = (
        opened.current("batches")
        .orderBy(F.col("batch").desc())
        .select(F.unix_micros("known_at"), "table_versions")
        .first()
    )
    if last is None:
        raise ConfigurationError(f"{warehouse} holds no batch yet: run `regesta nightly` first.")
    for table, view in TABLES.items():
        name = WAREHOUSE_NAMES.get(table, table)
        opened.at(name, last[1].get(name)).createOrReplaceTempView(view)
    for function in FUNCTIONS:
        given = ", ".join(f"{name} {_TYPES[kind]}" for name, kind in function.parameters.items())
        query = function.written(lambda name, _: name)
        spark.sql(
            f"CREATE OR REPLACE TEMPORARY FUNCTION {function.name}({given}) "
            f"RETURNS TABLE RETURN {query}"
        )
    now = f"TIMESTAMP '{show(last[0], 'microsecond')}+00:00'"
    for view, selected in PRESENT.items():
        spark.sql(f"SELECT * FROM {selected.format(now=now)}").createOrReplaceTempView(view)
