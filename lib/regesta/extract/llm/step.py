"""Episodes of words through a language model: requests, answers, and what these state, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, as_batch, as_rows
from regesta.context import StepContext
from regesta.extract.isolation import Failure, Isolated
from regesta.extract.llm.grounding import Grounded, Grounding
from regesta.extract.llm.prompts import Vocabulary
from regesta.extract.llm.reading import (
    EARLIER_MESSAGES,
    STATE,
    STATE_COLUMNS,
    WORDS_COLUMNS,
    Asking,
    ModelReading,
    State,
    as_state,
    step_of,
    vocabulary_of,
)
from regesta.extract.llm.waves import Wave
from regesta.extract.staged import STAGED, StagedRows
from regesta.extract.text.step import SECONDS_PER_EPISODE, check_installed
from regesta.llm.ledger import REQUESTS, ask
from regesta.llm.requests import ANSWERED
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

_OF_ANSWER = ("request_key", "status", "response", "reason")


def is_read_by_model(sources: Sequence[Source]) -> Column:
    """Return the condition on episodes: words, and records for which no mapping is declared.

    Not words that the local extractor reads.
    """
    unmapped = [source.source for source in sources if not source.entities and not source.for_each]
    locally = [source.source for source in sources if source.extractor is not None]
    named = F.col("source")
    return ((F.col("kind") != "json") | named.isin(unmapped)) & ~named.isin(locally)


def words_of(episodes: DataFrame) -> DataFrame:
    """Return episodes as extractors read them (WORDS_COLUMNS), times in microseconds."""
    made = {"spans": F.col("attributes")["spans"]}
    made |= {name: F.unix_micros(name) for name in ("reference_time", "known_at")}
    return episodes.select(*(made.get(name, F.col(name)).alias(name) for name in WORDS_COLUMNS))


def unread(context: StepContext, reading: ModelReading, words: DataFrame) -> DataFrame:
    """Return episodes (WORDS_COLUMNS) as STATE_COLUMNS, of which nothing is read yet.

    Messages have those before them in their thread, as known now, where the profile shows them.
    """
    shows_earlier = any("$earlier" in text for text in _prompts_used(reading))
    earlier = F.lit(None).cast("string").alias("earlier")
    rows = _with_earlier(context, words) if shows_earlier else words.select("*", earlier)
    nothing = (F.lit(None).cast("string").alias(name) for name in ("told", "why"))
    return rows.select(*WORDS_COLUMNS, "earlier", *nothing)


def _prompts_used(reading: ModelReading) -> list[str]:
    names = {wave.name for wave in reading.waves}
    return [text for name, text in reading.prompts.items() if name.split("/")[0] in names]


def _with_earlier(context: StepContext, words: DataFrame) -> DataFrame:
    thread = ["group_id", "source", "thread_id"]
    replaced = context.warehouse.current("supersessions").select("episode_id")
    messages = (
        context.warehouse.current("episodes")
        .where("kind = 'message' AND removed IS NULL AND thread_id IS NOT NULL")
        .join(replaced, on="episode_id", how="left_anti")
        .join(words.select(*thread).distinct(), on=thread, how="left_semi")
    )
    before = (
        Window.partitionBy(*thread)
        .orderBy("reference_time", "position", "episode_id")
        .rowsBetween(-EARLIER_MESSAGES, -1)
    )
    shown = F.struct("author", "content", F.col("attributes")["spans"].alias("spans"))
    earlier = F.to_json(F.collect_list(shown).over(before)).alias("earlier")
    return words.join(messages.select("episode_id", earlier), on="episode_id", how="left")


def requests_of(
    reading: ModelReading, wave: Wave, vocabulary: Vocabulary, salt: str, states: DataFrame
) -> DataFrame:
    """Return the requests (`REQUESTS`) that a wave makes of episodes (STATE_COLUMNS)."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        asking = Asking(reading, wave, vocabulary, salt)
        for batch in batches:
            made = (asking.request(as_state(row)) for row in as_rows([batch]))
            yield as_batch([request for request in made if request is not None], REQUESTS)

    return states.select(*STATE_COLUMNS).mapInArrow(run, from_arrow_schema(REQUESTS))


def read_by_model(
    context: StepContext, reading: ModelReading, sources: Sequence[Source], words: DataFrame
) -> tuple[DataFrame, dict[str, Any]]:
    """Return what episodes (WORDS_COLUMNS) state according to the model (STAGED), and the counts.

    Each wave of the profile asks all episodes before the next one does. Counts are by wave.

    Raises:
        ModelError: see `ledger.ask`.
        SetupError: what checks the model's dates is not installed.
    """
    check_installed("What checks a language model's dates")
    vocabulary = vocabulary_of(context.ontology, sources)
    counts: dict[str, Any] = {}
    states = unread(context, reading, words)
    for wave in reading.waves:
        if counts:
            states = context.stage("llm", f"before-{wave.name}", states)
        made = requests_of(reading, wave, vocabulary, context.salt, states)
        requests = context.stage("llm", f"{wave.name}-requests", made)
        asked = ask(context, reading.language_model, step_of(wave, vocabulary), requests)
        counts[wave.name] = asked.counts
        states = (
            states.join(
                requests.select(F.col("about").alias("episode_id"), "request_key"),
                "episode_id",
                "left",
            )
            .join(asked.answers.select(*_OF_ANSWER), "request_key", "left")
            .select(*STATE_COLUMNS, *_OF_ANSWER)
            .mapInArrow(_merging(wave), from_arrow_schema(STATE))
        )
    make = partial(_grounder, context.ontology, context.salt)
    task = partial(_ground, extractor=reading.extractor, make=make)
    return states.mapInArrow(task, from_arrow_schema(STAGED)), counts


def _merging(wave: Wave) -> Callable[[Batches], Batches]:
    size = len(_OF_ANSWER)

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [merged_row(wave, row[:-size], row[-size:]) for row in as_rows([batch])]
            yield as_batch(rows, STATE)

    return run


def merged_row(wave: Wave, row: tuple[Any, ...], answer: Sequence[str | None]) -> tuple[Any, ...]:
    """Return a row of STATE_COLUMNS with what was answered, or with why nothing was.

    `answer` is key, status, response and reason; without a key nothing was asked.
    """
    key, status, response, reason = answer
    if key is None:
        return row
    if status != ANSWERED or response is None:
        assert status is not None, f"the ledger has lost the request {key}"
        return (*row[:-1], f"{wave.name}: {status}: {reason}")
    told = wave.merged(as_state(row).told, wave.check(response))
    return (*row[:-2], told.model_dump_json(), None)


def _ground(
    batches: Batches, extractor: str, make: Callable[[], Callable[[State], Grounded]]
) -> Iterator[pa.RecordBatch]:
    # Dates are read by a native library: what kills or hangs it costs one episode.
    grounding: Isolated[State, Grounded] = Isolated(make, seconds=SECONDS_PER_EPISODE)
    try:
        for batch in batches:
            states = [as_state(row) for row in as_rows([batch])]
            yield from _grounded(states, grounding).batches(extractor)
    finally:
        grounding.close()


def _grounder(ontology: Ontology, salt: str) -> Callable[[State], Grounded]:
    grounding = Grounding(ontology, salt)
    return lambda state: grounding.ground(state.words, state.told)


def _grounded(states: Sequence[State], grounding: Isolated[State, Grounded]) -> StagedRows:
    rows = StagedRows()
    answered = [state for state in states if state.why is None]
    for state in states:
        if state.why is not None:
            rows.fail(state.words.episode, f"language model: {state.why}")
    for state, found in zip(answered, grounding.each(answered), strict=True):
        if isinstance(found, Failure):
            rows.fail(state.words.episode, found.reason)
        else:
            _add(rows, state, found)
    return rows


def _add(rows: StagedRows, state: State, found: Grounded) -> None:
    """Add what an episode bears out, and what it does not."""
    episode = state.words.episode
    rows.add(episode, found.mentions, found.statements)
    for aside in found.aside:
        rows.put_aside(episode, f"language model: {aside.reason}", aside.raw)
