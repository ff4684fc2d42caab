"""Episodes of words through a language model: requests, answers, and what these state, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, as_batch, as_rows
from regesta.context import StepContext
from regesta.extract.llm.answers import read, schema
from regesta.extract.llm.grounding import Aside, Grounding, Words
from regesta.extract.llm.prompts import Shown, Vocabulary, compiled, form_of, rendered
from regesta.extract.rows import Episode
from regesta.extract.staged import (
    ASIDE_COLUMNS,
    EMPTY_COLUMNS,
    FAILED_COLUMNS,
    MENTION_COLUMNS,
    STAGED,
    STATEMENT_COLUMNS,
    staged_batch,
)
from regesta.llm.ledger import REQUESTS, ask
from regesta.llm.prices import LanguageModel
from regesta.llm.requests import ANSWERED, Message, Request, messages_text, request_key
from regesta.llm.sending import Step
from regesta.llm.tokens import counter
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

WORDS_COLUMNS: Final = (*Episode._fields, "kind", "author", "spans")
COMBINED: Final = "combined"


@dataclass(frozen=True)
class ModelReading:
    """A language model and the prompts, by name, that episodes are read with."""

    language_model: LanguageModel
    prompts: Mapping[str, str]

    @property
    def extractor(self) -> str:
        """The name under which rows say who made them."""
        settings = self.language_model.settings
        return f"model/{settings.profile}/{settings.name}"


def is_read_by_model(sources: Sequence[Source]) -> Any:
    """Return the condition on episodes: words, and records for which no mapping is declared."""
    unmapped = [source.source for source in sources if not source.entities and not source.for_each]
    return (F.col("kind") != "json") | F.col("source").isin(unmapped)


def as_words(row: Sequence[Any]) -> Words:
    """Return the episode in a row of WORDS_COLUMNS."""
    size = len(Episode._fields)
    return Words(Episode._make(row[:size]), *row[size:])


class Asking:
    """Makes the requests of `combined`: a pure function of an episode, for tasks and commands."""

    def __init__(self, reading: ModelReading, vocabulary: Vocabulary, salt: str) -> None:
        self._settings = reading.language_model.settings
        self._vocabulary = vocabulary
        self._salt = salt
        self._prompts = {name: compiled(text) for name, text in reading.prompts.items()}
        self._count = counter()

    def messages(self, words: Words) -> list[Message]:
        """Return what is sent about an episode."""
        episode = words.episode
        shown = Shown(words.shown, words.author, episode.reference_time)
        return rendered(self._prompts[f"{COMBINED}/{words.kind}"], self._vocabulary, shown)

    def request(self, words: Words) -> Request | None:
        """Return the request about an episode; one without words of its own needs none."""
        if not words.shown.strip():
            return None
        messages = self.messages(words)
        version = self._prompts[f"{COMBINED}/{words.kind}"].version
        return Request(
            request_key=request_key(self._salt, COMBINED, version, messages, self._settings),
            episode_id=words.episode.episode_id,
            group_id=words.episode.group_id,
            prompt_version=version,
            messages=messages_text(messages),
            tokens=sum(self._count(message["content"]) for message in messages),
        )


def vocabulary_of(ontology: Ontology, sources: Sequence[Source]) -> Vocabulary:
    """Return the words that prompts offer: the ontology's and those of the sources' mappings."""
    declared = [source.entities for source in sources]
    declared += [part.entities for source in sources for part in source.for_each]
    return Vocabulary.of(ontology, [one.label for each in declared for one in each.values()])


def requests_of(
    context: StepContext, reading: ModelReading, sources: Sequence[Source], words: DataFrame
) -> DataFrame:
    """Return the requests (`REQUESTS`) that episodes (WORDS_COLUMNS) make."""
    vocabulary, salt = vocabulary_of(context.ontology, sources), context.salt

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        asking = Asking(reading, vocabulary, salt)
        for batch in batches:
            made = (asking.request(as_words(row)) for row in as_rows([batch]))
            yield as_batch([request for request in made if request is not None], REQUESTS)

    return words.select(*WORDS_COLUMNS).mapInArrow(run, from_arrow_schema(REQUESTS))


def read_by_model(
    context: StepContext, reading: ModelReading, sources: Sequence[Source], words: DataFrame
) -> tuple[DataFrame, dict[str, Any]]:
    """Return what episodes (WORDS_COLUMNS) state according to the model (STAGED), and the counts.

    Raises:
        ModelError: see `ledger.ask`.
    """
    labels = vocabulary_of(context.ontology, sources).labels
    form = schema(labels)
    step = Step(COMBINED, form, form_of(form), read)
    requests = context.stage("llm", "requests", requests_of(context, reading, sources, words))
    asked = ask(context, reading.language_model, step, requests)
    answers = asked.answers.select(
        "request_key", "status", "response", F.col("reason").alias("why")
    )
    told = (
        words.select(*WORDS_COLUMNS)
        .join(requests.select("episode_id", "request_key"), on="episode_id", how="left")
        .join(answers, on="request_key", how="left")
        .select(*WORDS_COLUMNS, "status", "response", "why")
    )
    task = _grounding_task(reading.extractor, context.ontology, context.salt)
    return told.mapInArrow(task, from_arrow_schema(STAGED)), asked.counts


def _grounding_task(extractor: str, ontology: Ontology, salt: str) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        grounding = Grounding(ontology, salt)
        for batch in batches:
            rows = _Rows()
            for row in as_rows([batch]):
                _read_answer(grounding, as_words(row[:-3]), row[-3:], rows)
            yield from rows.batches(extractor)

    return run


class _Rows:
    """The rows of a batch by their kind."""

    def __init__(self) -> None:
        self.mentions: list[Sequence[Any]] = []
        self.statements: list[Sequence[Any]] = []
        self.empty: list[Sequence[Any]] = []
        self.failed: list[Sequence[Any]] = []
        self.aside: list[Sequence[Any]] = []

    def batches(self, extractor: str) -> Iterator[pa.RecordBatch]:
        yield staged_batch("mention", MENTION_COLUMNS, self.mentions, extractor)
        yield staged_batch("statement", STATEMENT_COLUMNS, self.statements, extractor)
        yield staged_batch("empty", EMPTY_COLUMNS, self.empty, extractor)
        yield staged_batch("failed", FAILED_COLUMNS, self.failed, extractor)
        yield staged_batch("aside", ASIDE_COLUMNS, self.aside, extractor)


def _read_answer(
    grounding: Grounding, words: Words, answer: Sequence[str | None], rows: _Rows
) -> None:
    status, response, why = answer
    episode = words.episode
    if status is not None and status != ANSWERED:
        reason = f"language model: {status}: {why}"
        rows.failed.append((episode.episode_id, episode.group_id, reason))
        return
    found = grounding.ground(words, read(response)) if response is not None else None
    if found is None or not (found.mentions or found.statements):
        rows.empty.append((episode.episode_id,))
    if found is not None:
        rows.mentions.extend(found.mentions)
        rows.statements.extend(found.statements)
        rows.aside.extend(_aside_row(episode, each) for each in found.aside)


def _aside_row(episode: Episode, aside: Aside) -> Sequence[Any]:
    return episode.episode_id, episode.group_id, f"language model: {aside.reason}", aside.raw
