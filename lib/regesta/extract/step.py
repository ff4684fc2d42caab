"""The extract step: the new episodes of a batch, through their sources' mappings, into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, as_rows
from regesta.context import StepContext
from regesta.extract.llm.reading import ModelReading
from regesta.extract.llm.step import is_read_by_model, read_by_model, words_of
from regesta.extract.mapping import RecordMapper
from regesta.extract.rows import Episode
from regesta.extract.staged import MENTION_COLUMNS, STAGED, STATEMENT_COLUMNS, StagedRows
from regesta.extract.text.step import read_by_rules, reads_words
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

EXTRACTOR = "mapping"


def extract(
    context: StepContext, sources: Sequence[Source], reading: ModelReading | None = None
) -> dict[str, Any]:
    """Extract what the batch's new episodes say into `mentions` and `statements`.

    Records go through their sources' mappings, words through the local extractor where their source
    asks for it; with `reading`, other words and records without a mapping go through a language
    model. An episode that can't be read goes to `rejected_episodes` with the reason, and so does
    each part of a model's answer that its episode does not bear out; one that names nothing is
    empty. Returns counts: read = out + empty + removed + failed, and `model`, what its requests
    came to.

    Raises:
        ModelError: the model's endpoint fails, or its budget is used up (`ledger.ask`).
    """
    episodes = context.new("episodes")
    readable = words_of(episodes.where(F.col("removed").isNull()))
    rows, counts = _read(context, sources, reading, readable)
    staged = context.stage("extract", "rows", rows)
    mentions = _append(context, staged, "mentions", MENTION_COLUMNS)
    statements = _append(context, staged, "statements", STATEMENT_COLUMNS)
    found = {
        row["row_kind"]: int(row["count"]) for row in staged.groupBy("row_kind").count().collect()
    }
    failed, empty, aside = (found.get(kind, 0) for kind in ("failed", "empty", "aside"))
    if failed or aside:
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
        **({"aside": aside} if reading else {}),
        **counts,
    }


def _read(
    context: StepContext,
    sources: Sequence[Source],
    reading: ModelReading | None,
    episodes: DataFrame,
) -> tuple[DataFrame, dict[str, Any]]:
    """Read each episode once: by rules where its source asks for it, by the model, by mapping."""
    by_rules = F.col("source").isin([one.source for one in sources if reads_words(one)])
    parts, counts = [], dict[str, Any]()
    if any(map(reads_words, sources)):
        parts.append(read_by_rules(context, sources, episodes.where(by_rules)))
        episodes = episodes.where(~by_rules)
    if reading is not None:
        by_model = is_read_by_model(sources)
        told, counts["model"] = read_by_model(context, reading, sources, episodes.where(by_model))
        parts.append(told)
        episodes = episodes.where(~by_model)
    parts.append(_mapped(context, sources, episodes))
    return reduce(DataFrame.unionByName, parts), counts


def _mapped(context: StepContext, sources: Sequence[Source], episodes: DataFrame) -> DataFrame:
    task = _task({s.source: s for s in sources}, context.ontology, context.salt)
    read = episodes.select(*Episode._fields)
    return read.mapInArrow(task, from_arrow_schema(STAGED))


def _append(context: StepContext, staged: DataFrame, table: str, columns: Sequence[str]) -> int:
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
        "extractor",
        F.lit(context.batch.number).alias("batch"),
    )
    return context.warehouse.append(table, rows, batch=context.batch.number)


def _reject(context: StepContext, staged: DataFrame) -> None:
    episodes = context.new("episodes").select("episode_id", "group_id", "source", "content")
    rows = (
        staged.where("row_kind IN ('failed', 'aside')")
        .select("episode_id", "reason", F.col("raw").alias("part"))
        .join(episodes, on="episode_id", how="inner")
        .select(
            *("episode_id", "group_id", "source"),
            F.coalesce("part", F.substring("content", 1, 10_000)).alias("raw"),
            "reason",
            F.lit(context.batch.number).alias("batch"),
        )
    )
    context.warehouse.append("rejected_episodes", rows, batch=context.batch.number)


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
    rows = StagedRows()
    for row in as_rows([batch]):
        episode = Episode._make(row)
        try:
            mentions, statements = mappers[episode.source].extract(episode)
        except ValueError as error:
            rows.fail(episode, str(error))
            continue
        rows.add(episode, mentions, statements)
    yield from rows.batches(EXTRACTOR)
