"""`regesta status`: what the warehouse holds and what its batches did."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.config import load_settings
from regesta.warehouse.warehouse import Warehouse


def status_of(conf: Path) -> dict[str, Any]:
    """Return the batches, newest last, the reasons of rejected rows and the rows per table."""
    settings = load_settings(conf)
    warehouse = Warehouse.open(settings.spark.session(), settings.warehouse, salt=settings.salt)
    batches = (
        warehouse.current("batches")
        .orderBy("batch")
        .select(
            "batch",
            F.date_format("known_at", "yyyy-MM-dd HH:mm:ss").alias("known_at"),
            "steps",
            "counts",
            "tokens",
            "cost",
            "code_version",
        )
    )
    reasons = ("batch", "source", "reason")
    rejected = (
        warehouse.current("rejected_rows")
        .select(*reasons)
        .unionByName(warehouse.current("rejected_episodes").select(*reasons))
        .groupBy(*reasons)
        .agg(F.count(F.lit(1)).alias("rows"))
        .orderBy("batch", F.desc("rows"), "source", "reason")
        .limit(20)
    )
    return {
        "warehouse": settings.warehouse,
        "generation": warehouse.generation,
        "batches": [
            {**row.asDict(), "steps": json.loads(row["steps"]), "counts": json.loads(row["counts"])}
            for row in batches.collect()
        ],
        "rejected": [row.asDict() for row in rejected.collect()],
        "tables": _rows_per_table(warehouse),
    }


def _rows_per_table(warehouse: Warehouse) -> dict[str, int]:
    """Return how many rows each table holds; one query, since every query has its price."""
    named = [warehouse.current(table).select(F.lit(table).alias("table")) for table in model.TABLES]
    counted = reduce(DataFrame.union, named).groupBy("table").count().collect()
    rows = {row["table"]: row["count"] for row in counted}
    return {table: rows.get(table, 0) for table in model.TABLES}
