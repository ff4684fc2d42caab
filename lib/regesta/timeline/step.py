"""The timeline step: what a batch's statements change in facts and their evidence."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.context import Changes, StepContext
from regesta.timeline.apply import (
    INPUT_COLUMNS,
    OUTPUT,
    timeline_task,
)
from regesta.timeline.resolved import resolved_changes
from regesta.timeline.series_step import LAPSE
from regesta.timeline.verdict_step import Judged, judged


def timeline(context: StepContext, *, most_judged: int) -> dict[str, int]:
    """Bring `resolved_statements`, `facts` and `fact_evidence` up to the batch's known time.

    Only conflict keys that the batch's statements or verdicts touch are computed, at the known
    times at which they change. `most_judged` is how many facts verdicts may link before they are
    set aside. Returns how many rows were opened and closed, and verdicts set aside.
    """
    relations = context.ontology.for_timeline()
    changes = resolved_changes(context, relations)
    verdicts = judged(context, relations, most=most_judged)
    rows = (
        _input(context, changes, verdicts)
        .repartition("conflict_key")
        .sortWithinPartitions("conflict_key")
    )
    task = timeline_task(relations, context.salt)
    staged = context.stage("timeline", "facts", rows.mapInArrow(task, from_arrow_schema(OUTPUT)))
    breaks = F.array_contains("flags", model.BREAKS_SIGNATURE)
    breaking = staged.where((F.col("row_kind") == "open_fact") & breaks)
    tables = {
        "resolved_statements": changes,
        "facts": _staged(staged, "fact"),
        "fact_evidence": _staged(staged, "evidence"),
    }
    counts = {"facts_breaking_signature": breaking.count()}
    if verdicts is not None:
        tables["resolved_verdicts"] = verdicts.changes
        counts["verdicts_set_aside"] = verdicts.set_aside.count()
    return {**context.write(tables), **counts}


def _staged(rows: DataFrame, kind: str) -> Changes:
    return Changes(
        rows.where(f"row_kind = 'close_{kind}'"), rows.where(f"row_kind = 'open_{kind}'")
    )


def _input(context: StepContext, changes: Changes, verdicts: Judged | None) -> DataFrame:
    opened = changes.opening.withColumn("changed_at", F.col("created_at"))
    if "resolved_statements" not in context.warehouse.pinned:
        return _shaped(opened, "statement")
    closes = changes.closing
    touched = opened.select("conflict_key").unionByName(closes.select("conflict_key")).distinct()
    if verdicts is not None:
        touched = _joined(touched, verdicts, context)
    touched = context.stage("timeline", "touched_keys", touched)
    ends = closes.select("row_id", F.col("expired_at").alias("changed_at"), *LAPSE)
    standing = (
        _of(touched, context.warehouse.open_before("resolved_statements"))
        .drop("expired_at", *LAPSE)
        .join(ends, on="row_id", how="left")
        .withColumn("expired_at", F.col("changed_at"))
    )
    facts = _of(touched, context.warehouse.open_before("facts")).withColumn(
        "is_disputed", F.array_contains("flags", model.DISPUTED)
    )
    triples = facts.select("fact_id", "subject_id", "relation", "object_id", "value").distinct()
    evidence = _of(touched, context.warehouse.open_before("fact_evidence")).join(
        triples, on="fact_id", how="inner"
    )
    parts = (
        _shaped(opened, "statement"),
        _shaped(standing, "statement"),
        _shaped(facts, "fact"),
        _shaped(evidence, "evidence"),
    )
    rows = reduce(DataFrame.unionByName, parts)
    return rows if verdicts is None else _in_parts(rows, touched, verdicts, context)


def _changed_at(context: StepContext) -> Column:
    """When rivals begin or end in this batch, null where they only go on."""
    previous = context.batch.previous_known_at or 0
    begun = F.col("created_at") > F.timestamp_micros(F.lit(previous))
    return F.when(begun, F.col("created_at")).otherwise(F.col("expired_at"))


def _joined(touched: DataFrame, verdicts: Judged, context: StepContext) -> DataFrame:
    """The keys to compute: those touched, those of new or ended rivals, and all of their parts."""
    changed = verdicts.counting.where(_changed_at(context).isNotNull())
    every = touched
    for side in ("left_key", "right_key"):
        every = every.unionByName(changed.select(F.col(side).alias("conflict_key")))
    reached = verdicts.parts.join(every, on="conflict_key", how="left_semi").select("part_key")
    whole = verdicts.parts.join(reached.distinct(), on="part_key", how="left_semi")
    return every.unionByName(whole.select("conflict_key")).distinct()


def _in_parts(
    rows: DataFrame, touched: DataFrame, verdicts: Judged, context: StepContext
) -> DataFrame:
    """Let rows of keys that verdicts join share a key; add the rivals, triples as JSON."""
    placed = rows.join(verdicts.parts, on="conflict_key", how="left").withColumn(
        "conflict_key", F.coalesce("part_key", "conflict_key")
    )
    keyed = verdicts.counting.withColumn("conflict_key", F.col("left_key"))
    rivals = _of(touched, keyed).select(
        F.col("part_key").alias("conflict_key"),
        "group_id",
        F.col("verdict_id").alias("statement_id"),
        F.to_json("left_triple").alias("subject_id"),
        F.to_json("right_triple").alias("object_id"),
        "created_at",
        "expired_at",
        _changed_at(context).alias("changed_at"),
    )
    return placed.select(*INPUT_COLUMNS).unionByName(_shaped(rivals, "rivals"))


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
