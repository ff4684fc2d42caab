"""Episodes of words through the local extractor, in Spark: one reader for each worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, as_rows
from regesta.context import StepContext
from regesta.errors import SetupError
from regesta.extract.isolation import Failure, Isolated
from regesta.extract.rows import Episode, Mention, Statement
from regesta.extract.staged import STAGED, StagedRows
from regesta.model import LOCAL
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

COLUMNS: Final = (*Episode._fields, "author", "spans")
SECONDS_PER_EPISODE: Final = 30.0

Words = tuple[Episode, str | None, str | None]
Said = tuple[list[Mention], list[Statement]]


class _Recipe(NamedTuple):
    """What makes the readers of all sources, in whatever process."""

    sources: tuple[Source, ...]
    ontology: Ontology
    salt: str

    def make(self) -> Callable[[Words], Said]:
        """Return what reads the words of all sources; loads what that takes."""
        from regesta.extract.text.extractor import TextExtractor  # noqa: PLC0415
        from regesta.extract.text.phrasebook import phrasebook  # noqa: PLC0415

        book = phrasebook(self.ontology)
        readers = {
            one.source: TextExtractor(one, self.ontology, book, self.salt) for one in self.sources
        }
        return lambda words: readers[words[0].source].extract(*words)


_readers: dict[str, Isolated[Words, Said]] = {}
"""Of this worker, which tasks share: what it takes a second to load, it loads once."""


def reads_words(source: Source) -> bool:
    """Return whether the local extractor reads a source's episodes."""
    return source.extractor == LOCAL


def read_by_rules(
    context: StepContext, sources: Sequence[Source], episodes: DataFrame
) -> DataFrame:
    """Return what episodes (COLUMNS) state as rows of STAGED; all are of sources it reads.

    Raises:
        ConfigurationError: phrasings of the ontology that can't be read.
        SetupError: what reads dates in texts is not installed.
    """
    from regesta.extract.text.phrasebook import phrasebook  # noqa: PLC0415

    check_installed("A source that asks for `extractor: local`")
    phrasebook(context.ontology)
    recipe = _Recipe(tuple(filter(reads_words, sources)), context.ontology, context.salt)
    task = _task(recipe)
    return episodes.select(*COLUMNS).mapInArrow(task, from_arrow_schema(STAGED))


def check_installed(what: str) -> None:
    """Raise SetupError, with the remedy, where the extra `text` is not installed for something."""
    from importlib.util import find_spec  # noqa: PLC0415

    if find_spec("duckling") is None:
        raise SetupError(
            f"{what} needs Duckling to read dates, and that is not installed: "
            "pip install 'regesta[text]'."
        )


def _task(recipe: _Recipe) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        reader = _reader_of_worker(recipe)
        for batch in batches:
            yield from _read(batch, reader)

    return run


def _reader_of_worker(recipe: _Recipe) -> Isolated[Words, Said]:
    name = repr(recipe)
    if name not in _readers:
        for former in _readers.values():
            former.close()
        _readers.clear()
        _readers[name] = Isolated(recipe.make, seconds=SECONDS_PER_EPISODE)
    return _readers[name]


def _read(batch: pa.RecordBatch, reader: Isolated[Words, Said]) -> Iterator[pa.RecordBatch]:
    words = [_words(row) for row in as_rows([batch])]
    rows = StagedRows()
    for (episode, _, _), said in zip(words, reader.each(words), strict=True):
        if isinstance(said, Failure):
            rows.fail(episode, said.reason)
        else:
            rows.add(episode, *said)
    yield from rows.batches(LOCAL)


def _words(row: Sequence[Any]) -> Words:
    size = len(Episode._fields)
    return Episode._make(row[:size]), row[size], row[size + 1]
