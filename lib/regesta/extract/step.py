"""The extract step: the new episodes of a batch, through their sources' mappings, into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches
from regesta.context import StepContext
from regesta.extract.mapping import RecordMapper
from regesta.extract.rows import Episode, Mention, Statement
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

EXTRACTOR = "mapping"
EPISODE_COLUMNS = Episode._fields
MENTION_COLUMNS = Mention._fields
STATEMENT_COLUMNS = Statement._fields
_TIMES = ("reference_time", "known_at")


def _staged_schema() -> pa.Schema:
    """Mentions, statements, and episodes that are empty or fail: `row_kind` tells them apart."""
    columns: dict[str, pa.DataType] = {"row_kind": model.TEXT, "reason": model.TEXT}
    for schema, names in (
        (model.MENTIONS, MENTION_COLUMNS),
        (model.STATEMENTS, STATEMENT_COLUMNS),
    ):
        columns.update({name: schema.field(name).type for name in names})
    return pa.schema(list(columns.items()))


STAGED = _staged_schema()


def extract(context: StepContext, sources: Sequence[Source]) -> dict[str, int]:
    """Extract what the batch's new episodes say into `mentions` and `statements`.

    An episode whose mapping fails goes to `rejected_rows` with the reason, one that names nothing
    is empty. Returns counts: read = out + empty + removed + failed.
    """
    episodes = context.new("episodes")
    readable = episodes.where(F.col("removed").isNull()).select(
        *(
            F.unix_micros(name).alias(name) if name in _TIMES else F.col(name)
            for name in EPISODE_COLUMNS
        )
    )
    task = _task({s.source: s for s in sources}, context.ontology, context.salt)
    staged = context.stage("extract", "rows", readable.mapInArrow(task, from_arrow_schema(STAGED)))
    mentions = _append(context, staged, "mentions", MENTION_COLUMNS)
    statements = _append(context, staged, "statements", STATEMENT_COLUMNS)
    told = staged.groupBy("row_kind").count().collect()
    found = {row["row_kind"]: int(row["count"]) for row in told}
    failed, empty = found.get("failed", 0), found.get("empty", 0)
    if failed:
        _reject(context, staged)
    read, removed = episodes.count(), episodes.where(F.col("removed").isNotNull()).count()
    return {
        "read": read,
        "out": read - removed - empty - failed,
        "empty": empty,
        "removed": removed,
        "failed": failed,
        "mentions": mentions,
        "statements": statements,
    }


def _append(context: StepContext, staged: Any, table: str, columns: Sequence[str]) -> int:
    kind = {"mentions": "mention", "statements": "statement"}[table]
    given = {*columns, "extractor", "batch"}
    absent = [
        F.lit(None).cast("string").alias(name)
        for name in model.TABLES[table].names
        if name not in given
    ]
    rows = staged.where(F.col("row_kind") == kind).select(
        *columns,
        *absent,
        F.lit(EXTRACTOR).alias("extractor"),
        F.lit(context.batch.number).alias("batch"),
    )
    return context.warehouse.append(table, rows, batch=context.batch.number)


def _reject(context: StepContext, staged: Any) -> None:
    episodes = context.new("episodes").select("episode_id", "source", "content", "attributes")
    rows = (
        staged.where("row_kind = 'failed'")
        .join(episodes, on="episode_id", how="inner")
        .select(
            F.lit(context.batch.number).alias("batch"),
            "source",
            F.col("attributes")["path"].alias("path"),
            F.col("attributes")["row"].cast("long").alias("row_number"),
            F.substring("content", 1, 10_000).alias("raw"),
            "reason",
        )
    )
    context.warehouse.append("rejected_rows", rows, batch=context.batch.number, purpose="extract")


def _task(
    sources: Mapping[str, Source], ontology: Ontology, salt: str
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        mappers = {name: RecordMapper(source, ontology, salt) for name, source in sources.items()}
        for batch in batches:
            yield from _extracted(batch, mappers)

    return run


def _extracted(
    batch: pa.RecordBatch, mappers: Mapping[str, RecordMapper]
) -> Iterator[pa.RecordBatch]:
    mentions: list[Mention] = []
    statements: list[Statement] = []
    failures: list[tuple[str, str, str]] = []
    empty: list[tuple[str]] = []
    for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
        episode = Episode._make(row)
        try:
            named, made = mappers[episode.source].extract(episode)
        except ValueError as error:
            failures.append((episode.episode_id, episode.group_id, str(error)))
            continue
        if not named and not made:
            empty.append((episode.episode_id,))
        mentions.extend(named)
        statements.extend(made)
    yield _as_batch("mention", MENTION_COLUMNS, mentions)
    yield _as_batch("statement", STATEMENT_COLUMNS, statements)
    yield _as_batch("empty", ("episode_id",), empty)
    yield _as_batch("failed", ("episode_id", "group_id", "reason"), failures)


def _as_batch(kind: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    columns["row_kind"] = (kind,) * len(rows)
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(len(rows), field.type)
        for field in STAGED
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=STAGED)
