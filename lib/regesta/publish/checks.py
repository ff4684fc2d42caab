"""What must hold before a snapshot is switched to: the checks of one bucket's tables.

A bucket holds whole groups and nothing crosses groups, so a bucket can be judged alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from regesta import model
from regesta.errors import SnapshotError
from regesta.query.layout import FOREVER
from regesta.timeline.ontology import ENTITY, Ontology, Rivals, Slot, TripleName

Tables = Mapping[str, pa.Table]
Array = npt.NDArray[Any]

REFERENCES: Final = (
    ("facts", "subject_id", "entities", "entity_id"),
    ("facts", "object_id", "entities", "entity_id"),
    ("evidence", "fact_id", "facts", "fact_id"),
    ("evidence", "episode_id", "episodes", "episode_id"),
    ("community_members", "entity_id", "entities", "entity_id"),
    ("community_members", "community_id", "communities", "community_id"),
)
"""Table, column, and what it refers to; an open row needs an open one where both have beliefs."""

_UNIQUE: Final = {"episodes": "episode_id"}
_NONE: Final = "\x00"
_BETWEEN: Final = "\x1f"


def check(tables: Tables, relations: Ontology) -> None:
    """Check a bucket's tables; raises SnapshotError naming the table and an example.

    `relations` tells which facts are rivals: no two of them are believed at one instant.
    """
    for table in tables:
        column = _UNIQUE.get(table, "row_id")
        _check_unique(table, column, tables[table])
    for table, column, other, key in REFERENCES:
        _check_reference(tables, table, column, other, key)
    facts = tables["facts"]
    open_facts = facts.filter(pc.is_null(facts["expired_at"]))
    _check_periods(open_facts)
    _check_evidence(open_facts, tables["evidence"])
    _check_rivals(open_facts, relations.with_rivals(_judged(tables["verdicts"], open_facts)))


def keys(table: pa.Table, *columns: str) -> pa.Array:
    """Return group and columns as one text per row; times become numbers."""
    parts = [table[name].cast(pa.string()) for name in ("group_id", *columns)]
    joined = pc.binary_join_element_wise(
        *parts, _BETWEEN, null_handling="replace", null_replacement=_NONE
    )
    return joined.combine_chunks()


def first_rows(wanted: pa.Array, among: pa.Array) -> Array:
    """Return for each value the first row of `among` that has it, or -1."""
    found = pc.fill_null(pc.index_in(wanted, value_set=among), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def with_start(table: pa.Table) -> pa.Table:
    """Return facts with `start`: valid_at, else seen_from."""
    return table.append_column("start", pc.coalesce(table["valid_at"], table["seen_from"]))


def _check_unique(table: str, column: str, rows: pa.Table) -> None:
    counts = pc.value_counts(rows[column])
    twice = counts.filter(pc.greater(counts.field(1), 1))
    if len(twice):
        raise SnapshotError(
            f"The snapshot was not published: {table} has {twice[0][1]} rows with "
            f"{column} {twice[0][0].as_py()!r}."
        )


def _check_reference(tables: Tables, table: str, column: str, other: str, key: str) -> None:
    rows = tables[table].filter(pc.is_valid(tables[table][column]))
    _check_found(rows, column, tables[other], key, names=(table, other, ""))
    if {"expired_at"} <= {*rows.column_names} & {*tables[other].column_names}:
        still = rows.filter(pc.is_null(rows["expired_at"]))
        held = tables[other].filter(pc.is_null(tables[other]["expired_at"]))
        _check_found(still, column, held, key, names=(table, other, " that is believed"))


def _check_found(
    rows: pa.Table, column: str, others: pa.Table, key: str, *, names: tuple[str, str, str]
) -> None:
    missing = first_rows(keys(rows, column), keys(others, key)) < 0
    if missing.any():
        row = rows.slice(int(missing.argmax()), 1).to_pylist()[0]
        table, other, which = names
        raise SnapshotError(
            f"The snapshot was not published: {_example(table, row)} has {column} "
            f"{row[column]!r}, but {other} has no such {key}{which} in group {row['group_id']!r}."
        )


def _check_periods(open_facts: pa.Table) -> None:
    rows = with_start(open_facts)
    counts = pc.value_counts(keys(rows, "fact_id", "start"))
    twice = counts.filter(pc.greater(counts.field(1), 1))
    if len(twice):
        group, fact, _ = twice[0][0].as_py().split(_BETWEEN)
        raise SnapshotError(
            f"The snapshot was not published: facts has {twice[0][1]} open rows of fact {fact!r} "
            f"with one start, in group {group!r}."
        )


def _check_evidence(open_facts: pa.Table, evidence: pa.Table) -> None:
    believed = [row is None or model.DISPUTED not in row for row in open_facts["flags"].to_pylist()]
    rows = with_start(open_facts.filter(pa.array(believed, pa.bool_())))
    held = evidence.filter(pc.is_null(evidence["expired_at"]))
    missing = first_rows(keys(rows, "fact_id", "start"), keys(held, "fact_id", "period_start")) < 0
    if missing.any():
        row = rows.slice(int(missing.argmax()), 1).to_pylist()[0]
        raise SnapshotError(
            f"The snapshot was not published: {_example('facts', row)} is believed, but evidence "
            f"has no open row for this period of fact {row['fact_id']!r} in group "
            f"{row['group_id']!r}."
        )


def _judged(verdicts: pa.Table, open_facts: pa.Table) -> Iterator[Rivals]:
    """Give the pairs of facts that contradict each other by a verdict that counts."""
    triples = dict(_triples(open_facts))
    still = verdicts.filter(pc.is_null(verdicts["expired_at"]))
    for row in still.select(["left_fact", "right_fact", "verdict", "flags"]).to_pylist():
        left, right = triples.get(row["left_fact"]), triples.get(row["right_fact"])
        counts = row["verdict"] == model.CONTRADICTS and model.SET_ASIDE not in row["flags"]
        if counts and left and right:
            yield left, right


def _triples(facts: pa.Table) -> Iterator[tuple[str, TripleName]]:
    wanted = ("fact_id", "subject_id", "relation", "object_id", "value")
    for fact, subject, relation, entity, value in zip(
        *(facts[name].to_pylist() for name in wanted), strict=True
    ):
        target = f"value:{value}" if entity is None else f"{ENTITY}{entity}"
        yield fact, (subject, relation, target)


class _Held(NamedTuple):
    """How long a token fills a slot, and the row that says so."""

    start: int
    end: int
    token: str
    row_id: str


def _check_rivals(open_facts: pa.Table, relations: Ontology) -> None:
    filled: dict[tuple[str, Slot], list[_Held]] = defaultdict(list)
    for group, subject, relation, target, row in _believed(open_facts):
        for slot, token in relations.slots(subject, relation, target):
            filled[group, slot].append(row._replace(token=token))
    for (group, slot), held in filled.items():
        held.sort()
        last = held[0]
        for each in held[1:]:
            if each.start < last.end and each.token != last.token:
                raise SnapshotError(
                    f"The snapshot was not published: facts rows {last.row_id!r} and "
                    f"{each.row_id!r} are rivals ({' '.join(slot).strip()}) and both believed of "
                    f"one time, in group {group!r}."
                )
            last = max(last, each, key=lambda one: one.end)


def _believed(open_facts: pa.Table) -> Iterator[tuple[str, str, str, str, _Held]]:
    """Give group, subject, relation, object and valid time of the facts that are not disputed."""
    wanted = ("group_id", "subject_id", "relation", "object_id", "value", "row_id", "flags")
    times = [
        column.cast(pa.int64()).to_pylist()
        for column in (with_start(open_facts)["start"], open_facts["invalid_at"])
    ]
    columns = [open_facts[name].to_pylist() for name in wanted]
    rows = zip(*columns, *times, strict=True)
    for group, subject, relation, entity, value, row_id, flags, start, end in rows:
        if start is not None and model.DISPUTED not in (flags or ()):
            target = f"value:{value}" if entity is None else f"{ENTITY}{entity}"
            held = _Held(start, FOREVER if end is None else end, "", row_id)
            yield group, subject, relation, target, held


def _example(table: str, row: Mapping[str, Any]) -> str:
    column = _UNIQUE.get(table, "row_id")
    return f"{table} row {row[column]!r}"
