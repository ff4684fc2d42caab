"""A refresh of all communities and a night's extension, beside GraphFrames' own algorithms.

    python tests/bench/bench_refresh.py --entities 100000 --facts 500000

Entities stand in circles of fifty; nine of ten facts join two of one circle. Measured are the whole
step (`communities`) as a refresh and as the extension of a night that brings a hundredth more
facts, and on the same edges label propagation, per round, beside GraphFrames' labelPropagation and
connectedComponents.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, Final

from graphframes import GraphFrame
from measured import Peak
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from regesta import model
from regesta.cli.tables import print_table
from regesta.communities.day import Day
from regesta.communities.graph import edges, valid_facts
from regesta.communities.propagation import propagate
from regesta.communities.step import Refresh, Way, communities
from regesta.context import Batch, StepContext
from regesta.ontology import Ontology
from regesta.session import start_session
from regesta.warehouse.warehouse import Warehouse, table_schema

CIRCLE: Final = 50
DAY: Final = 86_400_000_000
GIBIBYTE: Final = 2**30


def main() -> None:
    """Print seconds of each part, and how they compare."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entities", type=int, default=100_000)
    options.add_argument("--facts", type=int, default=500_000)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    spark = start_session({"spark.driver.memory": "8g"}, name="bench refresh")
    peak = Peak()
    with tempfile.TemporaryDirectory() as root:
        found = measured(spark, root, given.entities, given.facts)
    found["peak_gib"] = round(peak.stop() / GIBIBYTE, 1)
    if given.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return
    print_table(
        f"{given.entities:,} entities, {given.facts:,} facts",
        ("what", "value"),
        [(name.replace("_", " "), str(value)) for name, value in found.items()],
    )


def measured(spark: SparkSession, root: str, entities: int, facts: int) -> dict[str, Any]:
    """Return the figures of one size."""
    warehouse = Warehouse.open(spark, root, salt="bench")
    named = F.concat(F.lit("e"), F.col("id").cast("string"))
    people = spark.range(entities).select(
        *(named.alias(each) for each in ("row_id", "entity_id", "name"))
    )
    _write(warehouse, "entities", people.withColumn("group_id", F.lit("g")), 1)
    _write(warehouse, "facts", _facts(spark, entities, 0, facts), 1)
    first = StepContext(warehouse, Batch(1, 2 * DAY), Ontology(), _say)
    told, refresh = _timed(lambda: communities(first, Refresh(True, True), Way(365)))
    warehouse.pinned = warehouse.versions()
    _write(warehouse, "facts", _facts(spark, entities, facts, facts // 100), 2)
    second = StepContext(warehouse, Batch(2, 3 * DAY, 2 * DAY), Ontology(), _say)
    _, extension = _timed(lambda: communities(second, Refresh(False, False), Way(365)))
    pairs = second.stage("bench", "pairs", edges(valid_facts(Day(second), 365)))
    partition, own = _timed(lambda: propagate(second, pairs, step="bench"))
    others = _by_graphframes(pairs, partition.rounds)
    return {
        "communities_opened": told["communities_opened"],
        "modularity_per_mille": told["modularity_per_mille"],
        "refresh_seconds": refresh,
        "extension_seconds": extension,
        "extension_of_refresh": round(extension / refresh, 3),
        "edges": pairs.count(),
        "rounds": partition.rounds,
        "seconds_per_round": round(own / partition.rounds, 2),
        **others,
    }


def _by_graphframes(pairs: DataFrame, rounds: int) -> dict[str, float]:
    vertices = pairs.select(F.col("low").alias("id")).union(pairs.select("high")).distinct()
    graph = GraphFrame(
        vertices, pairs.select(F.col("low").alias("src"), F.col("high").alias("dst"))
    )
    _, labelled = _timed(lambda: graph.labelPropagation(maxIter=rounds).count())
    _, connected = _timed(lambda: graph.connectedComponents(algorithm="graphx").count())
    return {
        "graphframes_label_propagation_seconds_per_round": round(labelled / rounds, 2),
        "graphframes_connected_components_seconds": connected,
    }


def _facts(spark: SparkSession, entities: int, first: int, count: int) -> DataFrame:
    """Return facts by number: the same number always gives the same fact."""
    rows = spark.range(first, first + count)
    subject = _chance("subject", entities)
    circle = F.floor(subject / CIRCLE) * CIRCLE
    inside = F.least(circle + _chance("inside", CIRCLE), F.lit(entities - 1))
    target = F.when(_chance("way", 10) < 9, inside).otherwise(_chance("anywhere", entities))
    ends = rows.select("id", _name(subject).alias("subject_id"), _name(target).alias("object_id"))
    named = F.concat(F.lit("f"), F.col("id").cast("string"))
    day = F.timestamp_micros(F.lit(DAY))
    return ends.where("subject_id <> object_id").select(
        *(named.alias(each) for each in ("row_id", "fact_id")),
        *("subject_id", "object_id", F.lit("g").alias("group_id"), F.lit("state").alias("kind")),
        F.lit("KNOWS").alias("relation"),
        F.concat_ws(" ", "subject_id", F.lit("knows"), "object_id").alias("text"),
        day.alias("valid_at"),
        F.when(F.lit(first == 0), day)
        .otherwise(F.timestamp_micros(F.lit(3 * DAY)))
        .alias("created_at"),
    )


def _chance(what: str, below: int) -> Column:
    return F.pmod(F.xxhash64(F.lit(what), "id"), F.lit(below))


def _name(number: Column) -> Column:
    return F.concat(F.lit("e"), number.cast("long").cast("string"))


def _write(warehouse: Warehouse, table: str, rows: DataFrame, batch: int) -> None:
    if "created_at" not in rows.columns:
        rows = rows.withColumn("created_at", F.timestamp_micros(F.lit(DAY)))
    absent = {
        field.name: F.lit(None).cast(field.dataType)
        for field in table_schema(table).fields
        if field.name not in rows.columns
    }
    assert set(rows.columns) <= set(model.TABLES[table].names)
    warehouse.append(table, rows.withColumns(absent), batch=batch)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    found = work()
    return found, round(time.perf_counter() - begun, 1)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    main()
