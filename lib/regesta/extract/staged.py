"""The rows that extractors make of episodes, as one table whose `row_kind` tells them apart.

`mention` and `statement` rows go into the tables of these names; `empty` and `failed` ones name an
episode that says nothing or could not be read (`reason`); an `aside` is a part of what an extractor
made (`raw`) that the episode does not bear out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from regesta import model
from regesta.extract.rows import Episode, Mention, Statement

MENTION_COLUMNS: Final = Mention._fields
STATEMENT_COLUMNS: Final = Statement._fields
_EMPTY_COLUMNS: Final = ("episode_id",)
_FAILED_COLUMNS: Final = ("episode_id", "group_id", "reason")
_ASIDE_COLUMNS: Final = (*_FAILED_COLUMNS, "raw")


def _schema() -> pa.Schema:
    columns = dict.fromkeys(("row_kind", "extractor", "reason", "raw"), model.TEXT)
    for schema, names in (
        (model.MENTIONS, MENTION_COLUMNS),
        (model.STATEMENTS, STATEMENT_COLUMNS),
    ):
        columns.update({name: schema.field(name).type for name in names})
    return pa.schema(list(columns.items()))


STAGED: Final = _schema()


class StagedRows:
    """What one extractor makes of the episodes of a batch."""

    def __init__(self) -> None:
        self._mentions: list[Mention] = []
        self._statements: list[Statement] = []
        self._empty: list[tuple[str]] = []
        self._failed: list[tuple[str, str, str]] = []
        self._aside: list[tuple[str, str, str, str]] = []

    def add(
        self, episode: Episode, mentions: Sequence[Mention], statements: Sequence[Statement]
    ) -> None:
        """Add what an episode says, if it says anything."""
        if not (mentions or statements):
            self._empty.append((episode.episode_id,))
        self._mentions.extend(mentions)
        self._statements.extend(statements)

    def fail(self, episode: Episode, reason: str) -> None:
        """Add why an episode could not be read."""
        self._failed.append((episode.episode_id, episode.group_id, reason))

    def put_aside(self, episode: Episode, reason: str, raw: str) -> None:
        """Add a part that the episode does not bear out."""
        self._aside.append((episode.episode_id, episode.group_id, reason, raw))

    def batches(self, extractor: str) -> Iterator[pa.RecordBatch]:
        """Yield a batch of STAGED for each kind."""
        yield _batch("mention", MENTION_COLUMNS, self._mentions, extractor)
        yield _batch("statement", STATEMENT_COLUMNS, self._statements, extractor)
        yield _batch("empty", _EMPTY_COLUMNS, self._empty, extractor)
        yield _batch("failed", _FAILED_COLUMNS, self._failed, extractor)
        yield _batch("aside", _ASIDE_COLUMNS, self._aside, extractor)


def _batch(
    kind: str, names: Sequence[str], rows: Sequence[Sequence[Any]], extractor: str
) -> pa.RecordBatch:
    """Return rows of one kind, whose values are in the order of `names`, as a batch of STAGED."""
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    columns |= {"row_kind": (kind,) * len(rows), "extractor": (extractor,) * len(rows)}
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(len(rows), field.type)
        for field in STAGED
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=STAGED)
