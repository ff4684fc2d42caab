"""Audits of what a snapshot does not hold: batches, memberships, statements; one Spark query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.audit.counts import COUNTED, AuditedBatch, counts, known_times
from regesta.audit.findings import COUNTS, MOST_EXAMPLES, RESOLVES, STANDS, Finding
from regesta.context import StepContext
from regesta.resolve.membership import nowhere

_BATCH, _ROWS = "batch", "rows"


def audit(
    context: StepContext,
    steps: Mapping[str, Any] | None,
    *,
    since: int | None = None,
    known_since: int | None = None,
) -> list[Finding]:
    """Return what is wrong with the tables as they stand.

    Looked at is what batches after `since` brought and changed, after the known time `known_since`
    (microseconds); everything without them. `steps` tells the counts of the context's batch while
    its row in `batches` is not written.
    """
    touched = _touched(known_since)
    parts = [
        _batches(context, since),
        *(_counted(context, table, since) for table in COUNTED),
        _members_of_none(context, touched),
        _members_unmentioned(context, touched),
        _evidence_unstated(context, touched),
    ]
    rows = reduce(DataFrame.unionByName, parts).collect()
    batches = _audited(rows, context, steps)
    numbers = {str(batch.number) for batch in batches}
    found = [Finding(*row[:4]) for row in rows if row["audit"] not in (_BATCH, _ROWS)]
    found += [
        Finding(COUNTS, row["table"], f"batch {row['key']}", "has rows, but never was whole")
        for row in rows
        if row["audit"] == _ROWS and row["key"] not in numbers
    ]
    judged = (batch for batch in batches if batch.steps)
    return [
        *sorted(found),
        *(each for batch in judged for each in counts(batch)),
        *known_times(batches),
    ]


def _row(audit: str, table: str, key: Column, told: Column) -> list[Column]:
    """Columns of a finding; of batches and counts the figures that these are judged by."""
    return [
        F.lit(audit).alias("audit"),
        F.lit(table).alias("table"),
        key.cast("string").alias("key"),
        told.alias("told"),
    ]


def _batches(context: StepContext, since: int | None) -> DataFrame:
    """Return all batches with their known times, and the steps of those to judge."""
    judged = F.when(F.col("batch") > (since or 0), F.col("steps"))
    told = F.to_json(F.struct(F.unix_micros("known_at").alias("known_at"), judged.alias("steps")))
    batches = context.warehouse.current("batches")
    return batches.select(*_row(_BATCH, "batches", F.col("batch"), told))


def _counted(context: StepContext, table: str, since: int | None) -> DataFrame:
    rows = context.warehouse.current(table).where(F.col("batch") > (since or 0))
    has_time = "known_at" in rows.columns
    latest = F.max(F.unix_micros("known_at")) if has_time else F.lit(None).cast("long")
    grouped = rows.groupBy("batch").agg(F.count(F.lit(1)).alias("rows"), latest.alias("latest"))
    told = F.to_json(F.struct("rows", "latest"))
    return grouped.select(*_row(_ROWS, table, F.col("batch"), told))


def _touched(known_since: int | None) -> Column:
    """Whether a row began or ended after a known time."""
    if known_since is None:
        return F.lit(True)
    instant = F.timestamp_micros(F.lit(known_since))
    return (F.col("created_at") > instant) | F.coalesce(F.col("expired_at") > instant, F.lit(False))


def _members_of_none(context: StepContext, touched: Column) -> DataFrame:
    """Open memberships of entities without an open version, among the entities touched."""
    members, entities = (context.warehouse.current(n) for n in ("entity_members", "entities"))
    looked_at = members.where(touched).select("entity_id")
    looked_at = looked_at.union(entities.where(touched).select("entity_id")).distinct()
    is_open = F.col("expired_at").isNull()
    lost = (
        members.where(is_open & (F.col("entity_id") != nowhere(context.salt)))
        .join(looked_at, on="entity_id", how="left_semi")
        .join(entities.where(is_open), on="entity_id", how="left_anti")
    )
    told = F.format_string("is open, but entity %s has no open version", "entity_id")
    return _examples(lost, STANDS, "entity_members", told)


def _members_unmentioned(context: StepContext, touched: Column) -> DataFrame:
    named = ("entity_members", "profile_id")
    return _unresolved(context, touched, *named, other="mentions", noun="mention")


def _evidence_unstated(context: StepContext, touched: Column) -> DataFrame:
    named = ("fact_evidence", "statement_id")
    return _unresolved(context, touched, *named, other="resolved_statements", noun="statement")


def _unresolved(
    context: StepContext, touched: Column, table: str, column: str, *, other: str, noun: str
) -> DataFrame:
    """Return rows touched whose `column` no row of the other table has; each there is a `noun`."""
    others = context.warehouse.current(other)
    lost = context.warehouse.current(table).where(touched).join(others, on=column, how="left_anti")
    told = F.format_string(f"has {column} %s, but no {noun} has it", column)
    return _examples(lost, RESOLVES, table, told)


def _examples(rows: DataFrame, audit: str, table: str, told: Column) -> DataFrame:
    key = F.format_string("row '%s'", "row_id")
    return rows.select(*_row(audit, table, key, told)).limit(MOST_EXAMPLES)


def _audited(
    rows: list[Any], context: StepContext, steps: Mapping[str, Any] | None
) -> list[AuditedBatch]:
    """Return the batches, oldest first, with what was found of each."""
    told = {int(row["key"]): json.loads(row["told"]) for row in rows if row["audit"] == _BATCH}
    steps_of = {number: json.loads(each.get("steps", "{}")) for number, each in told.items()}
    known_at = {number: int(each["known_at"]) for number, each in told.items()}
    if steps is not None:
        steps_of[context.batch.number] = dict(steps)
        known_at[context.batch.number] = context.batch.known_at
    held: dict[int, dict[str, Any]] = {number: {} for number in known_at}
    for row in rows:
        if row["audit"] == _ROWS and int(row["key"]) in held:
            held[int(row["key"])][row["table"]] = json.loads(row["told"])
    return [
        AuditedBatch(
            number,
            known_at[number],
            steps_of[number],
            {table: each["rows"] for table, each in held[number].items()},
            {table: each["latest"] for table, each in held[number].items() if "latest" in each},
        )
        for number in sorted(known_at)
    ]
