"""The truth of a simulated archive, as far as a snapshot could know it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regesta.errors import InputError
from regesta.evaluate.coding import shared_codes
from regesta.model import TIME
from regesta.simulate.truth import TABLES

_NEEDED: Final = ("entities", "facts", "questions")


@dataclass(frozen=True)
class Truth:
    """Tables of the truth; see `regesta.simulate.truth` for their columns."""

    entities: pa.Table
    records: pa.Table  # a row for each record of an entity: group_id, record, row (of the entity)
    facts: pa.Table
    questions: pa.Table


def read_truth(folder: Path) -> Truth:
    """Read the truth that `regesta simulate` wrote into a folder.

    Raises InputError where the folder, or a table of its truth, is missing or damaged.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; name one that `regesta simulate` wrote.")
    entities, facts, questions = (_read(folder, name) for name in _NEEDED)
    return Truth(entities, _records(entities), facts, questions)


def _read(folder: Path, name: str) -> pa.Table:
    path = folder / "truth" / f"{name}.parquet"
    if not path.exists():
        raise InputError(
            f"{path} is missing: {folder} holds no truth to compare with; name a folder that "
            "`regesta simulate` wrote."
        )
    try:
        return pq.read_table(path, columns=TABLES[name].names).cast(TABLES[name]).combine_chunks()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read ({error}); simulate the archive again.") from error


def known_by(truth: Truth, moment: int) -> Truth:
    """Return what of the truth was told by a known time (microseconds).

    Later beliefs and questions are left out, later ends of beliefs are not known yet, and records
    that only later beliefs name are left out too.
    """
    at = pa.scalar(moment, pa.int64()).cast(TIME)
    facts = truth.facts.filter(pc.less_equal(truth.facts["created_at"], at))
    later = pc.fill_null(pc.greater(facts["expired_at"], at), False)
    expired = pc.if_else(later, pa.scalar(None, TIME), facts["expired_at"])
    place = facts.schema.get_field_index("expired_at")
    records, ever, told = shared_codes(
        *(_keys(table) for table in (truth.records, _named(truth.facts), _named(facts)))
    )
    return Truth(
        entities=truth.entities,
        records=truth.records.filter(pa.array(np.isin(records, told) | ~np.isin(records, ever))),
        facts=facts.set_column(place, facts.schema.field(place), expired),
        questions=truth.questions.filter(pc.less_equal(truth.questions["known"], at)),
    )


def _records(entities: pa.Table) -> pa.Table:
    lists = entities["records"].combine_chunks()
    rows = pc.list_parent_indices(lists)
    groups = entities["group_id"].take(rows)
    return pa.table({"group_id": groups, "record": pc.list_flatten(lists), "row": rows})


def _named(facts: pa.Table) -> pa.Table:
    """Return the records that facts name, at either end."""
    ends = [
        pa.table({"group_id": facts["group_id"], "record": facts[end]})
        for end in ("subject", "object")
    ]
    found = pa.concat_tables(ends)
    return found.filter(pc.is_valid(found["record"]))


def _keys(table: pa.Table) -> tuple[Any, Any]:
    return table["group_id"], table["record"]
