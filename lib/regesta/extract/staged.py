"""The rows that extractors make of episodes, as one table whose `row_kind` tells them apart.

`mention` and `statement` rows go into the tables of these names; `empty` and `failed` ones name an
episode that says nothing or could not be read (`reason`); an `aside` is a part of what an extractor
made (`raw`) that the episode does not bear out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from regesta import model
from regesta.extract.rows import Mention, Statement

MENTION_COLUMNS: Final = Mention._fields
STATEMENT_COLUMNS: Final = Statement._fields
EMPTY_COLUMNS: Final = ("episode_id",)
FAILED_COLUMNS: Final = ("episode_id", "group_id", "reason")
ASIDE_COLUMNS: Final = (*FAILED_COLUMNS, "raw")


def _schema() -> pa.Schema:
    columns = dict.fromkeys(("row_kind", "extractor", "reason", "raw"), model.TEXT)
    for schema, names in (
        (model.MENTIONS, MENTION_COLUMNS),
        (model.STATEMENTS, STATEMENT_COLUMNS),
    ):
        columns.update({name: schema.field(name).type for name in names})
    return pa.schema(list(columns.items()))


STAGED: Final = _schema()


def staged_batch(
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
