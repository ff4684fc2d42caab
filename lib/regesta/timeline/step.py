"""The timeline step: what a batch's statements change in facts and their evidence."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.context import Changes, StepContext
from regesta.timeline.apply import (
    INPUT_COLUMNS,
    OUTPUT,
    timeline_task,
)
from regesta.timeline.resolved import open_before, resolved_changes


def timeline(context: StepContext) -> dict[str, int]:
    """Bring `resolved_statements`, `facts` and `fact_evidence` up to the batch's known time.

    Only conflict keys that the batch's statements touch are computed, at the known times at which
    they change. Returns how many rows were opened and closed.
    """
    relations = context.ontology.for_timeline()
    changes = resolved_changes(context, relations)
    rows = _input(context, changes).repartition("conflict_key").sortWithinPartitions("conflict_key")
    task = timeline_task(relations, context.salt)
    staged = context.stage("timeline", "facts", rows.mapInArrow(task, from_arrow_schema(OUTPUT)))
    breaks = F.array_contains("flags", model.BREAKS_SIGNATURE)
    breaking = staged.where((F.col("row_kind") == "open_fact") & breaks)
    written = context.write(
        {
            "resolved_statements": changes,
            "facts": _staged(staged, "fact"),
            "fact_evidence": _staged(staged, "evidence"),
        }
    )
    return {**written, "facts_breaking_signature": breaking.count()}


def _staged(rows: DataFrame, kind: str) -> Changes:
    return Changes(
        rows.where(f"row_kind = 'close_{kind}'"), rows.where(f"row_kind = 'open_{kind}'")
    )


def _input(context: StepContext, changes: Changes) -> DataFrame:
    opened = changes.opening.withColumn("changed_at", F.col("created_at"))
    if "resolved_statements" not in context.warehouse.pinned:
        return _shaped(opened, "statement")
    closes = changes.closing
    touched = opened.select("conflict_key").unionByName(closes.select("conflict_key")).distinct()
    touched = context.stage("timeline", "touched_keys", touched)
    ends = closes.select("row_id", F.col("expired_at").alias("changed_at"))
    standing = (
        _of(touched, open_before(context, "resolved_statements"))
        .drop("expired_at")
        .join(ends, on="row_id", how="left")
        .withColumn("expired_at", F.col("changed_at"))
    )
    facts = _of(touched, open_before(context, "facts")).withColumn(
        "is_disputed", F.array_contains("flags", model.DISPUTED)
    )
    triples = facts.select("fact_id", "subject_id", "relation", "object_id", "value").distinct()
    evidence = _of(touched, open_before(context, "fact_evidence")).join(
        triples, on="fact_id", how="inner"
    )
    parts = (
        _shaped(opened, "statement"),
        _shaped(standing, "statement"),
        _shaped(facts, "fact"),
        _shaped(evidence, "evidence"),
    )
    return reduce(DataFrame.unionByName, parts)


def _of(touched: DataFrame, rows: DataFrame) -> DataFrame:
    return rows.join(touched, on="conflict_key", how="left_semi")


def _shaped(rows: DataFrame, kind: str) -> DataFrame:
    """Give rows the columns of the timeline task's input; absent ones are null."""
    types = {**_types(), "row_kind": "string", "changed_at": "timestamp", "is_disputed": "boolean"}
    tagged = rows.withColumn("row_kind", F.lit(kind))
    return tagged.select(
        *(
            F.col(name) if name in tagged.columns else F.lit(None).cast(types[name]).alias(name)
            for name in INPUT_COLUMNS
        )
    )


def _types() -> dict[str, str]:
    schemas = (model.RESOLVED_STATEMENTS, model.FACTS, model.FACT_EVIDENCE)
    return {
        field.name: field.dataType.simpleString()
        for schema in schemas
        for field in from_arrow_schema(schema).fields
    }
