"""Audits of one bucket's tables, plain Arrow on the executors.

A bucket holds whole groups and nothing crosses groups, so a bucket can be judged alone. Only the
buckets that a night touched are written again, so it is these that are audited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from regesta import model
from regesta.audit.findings import (
    EVIDENCE,
    KNOWN_TIME,
    MOST_EXAMPLES,
    ONE_PERIOD,
    RESOLVES,
    RIVALS,
    STANDS,
    UNIQUE,
    Finding,
)
from regesta.query.layout import FOREVER
from regesta.timeline.ontology import Ontology, Rivals, Slot, TripleName, target_key

Tables = Mapping[str, pa.Table]
Array = npt.NDArray[Any]


class Reference(NamedTuple):
    """A column that names rows of another table; open rows need open ones where it `stands`."""

    table: str
    column: str
    other: str
    key: str
    stands: bool = True


REFERENCES: Final = (
    Reference("facts", "subject_id", "entities", "entity_id"),
    Reference("facts", "object_id", "entities", "entity_id"),
    Reference("evidence", "fact_id", "facts", "fact_id"),
    Reference("evidence", "episode_id", "episodes", "episode_id", stands=False),
    Reference("redirects", "old_entity_id", "entities", "entity_id", stands=False),
    Reference("redirects", "entity_id", "entities", "entity_id"),
    Reference("community_members", "entity_id", "entities", "entity_id"),
    Reference("community_members", "community_id", "communities", "community_id"),
    Reference("communities", "parent", "communities", "community_id"),
)

_UNIQUE: Final = {"episodes": "episode_id"}
_SPANS: Final = {"episodes": ("known_at", "superseded_at")}
_NONE: Final = "\x00"
_BETWEEN: Final = "\x1f"


def audit(tables: Tables, relations: Ontology, known_at: int) -> list[Finding]:
    """Return what is wrong with a bucket's tables.

    `relations` tells which facts are rivals; nothing can be known after `known_at`, the snapshot's
    microseconds.
    """
    facts = tables["facts"]
    open_facts = facts.filter(pc.is_null(facts["expired_at"]))
    return [
        *(found for table in tables for found in _unique(table, tables[table])),
        *(found for table in tables for found in _known_time(table, tables[table], known_at)),
        *(found for each in REFERENCES for found in _resolves(tables, each)),
        *_one_period(open_facts),
        *_evidence(open_facts, tables["evidence"]),
        *_rivals(open_facts, relations.with_rivals(_judged(tables["verdicts"], open_facts))),
    ]


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


def _found(
    audit: str, table: str, rows: pa.Table, mask: Array, told: Callable[[dict[str, Any]], str]
) -> Iterator[Finding]:
    """Tell the first rows where the mask is true; the last of them counts the others."""
    places = np.flatnonzero(mask)
    column = _UNIQUE.get(table, "row_id")
    for number, row in enumerate(rows.take(places[:MOST_EXAMPLES]).to_pylist(), 1):
        others = len(places) - number if number == MOST_EXAMPLES else 0
        yield Finding(audit, table, f"row {row[column]!r}", told(row), others)


def _twice(rows: pa.Array) -> Iterator[tuple[Any, int, int]]:
    """Give the first values that stand several times: value, how often, how many more such."""
    counts = pc.value_counts(rows)
    twice = counts.filter(pc.greater(counts.field(1), 1))
    for number, each in enumerate(twice[:MOST_EXAMPLES].to_pylist(), 1):
        others = len(twice) - number if number == MOST_EXAMPLES else 0
        yield each["values"], each["counts"], others


def _unique(table: str, rows: pa.Table) -> Iterator[Finding]:
    for value, count, others in _twice(rows[_UNIQUE.get(table, "row_id")]):
        yield Finding(UNIQUE, table, f"row {value!r}", f"stands {count} times", others)


def _known_time(table: str, rows: pa.Table, known_at: int) -> Iterator[Finding]:
    names = _SPANS.get(table, ("created_at", "expired_at"))
    begun, ended = (pc.fill_null(rows[name].cast(pa.int64()), FOREVER) for name in names)
    begins, ends = begun.to_numpy(), ended.to_numpy()
    later = (begins > known_at) | ((ends > known_at) & (ends < FOREVER))
    yield from _found(KNOWN_TIME, table, rows, later, lambda _: "is known after its snapshot")
    if table in _SPANS:
        return  # a version that comes after a higher one never counts
    empty = begins >= ends
    yield from _found(KNOWN_TIME, table, rows, empty, lambda _: "ends before it was known")


def _resolves(tables: Tables, link: Reference) -> Iterator[Finding]:
    others = tables[link.other]
    rows = tables[link.table].filter(pc.is_valid(tables[link.table][link.column]))
    yield from _dangling(rows, others, link, RESOLVES, "")
    if link.stands:
        open_rows = rows.filter(pc.is_null(rows["expired_at"]))
        standing = others.filter(pc.is_null(others["expired_at"]))
        known = first_rows(keys(open_rows, link.column), keys(others, link.key)) >= 0
        known_rows = open_rows.filter(pa.array(known, pa.bool_()))
        yield from _dangling(known_rows, standing, link, STANDS, " that is believed")


def _dangling(
    rows: pa.Table, others: pa.Table, link: Reference, audit: str, which: str
) -> Iterator[Finding]:
    missing = first_rows(keys(rows, link.column), keys(others, link.key)) < 0

    def told(row: dict[str, Any]) -> str:
        return (
            f"has {link.column} {row[link.column]!r}, but {link.other} has no such {link.key}"
            f"{which} in group {row['group_id']!r}"
        )

    yield from _found(audit, link.table, rows, missing, told)


def _one_period(open_facts: pa.Table) -> Iterator[Finding]:
    rows = with_start(open_facts)
    for value, count, others in _twice(keys(rows, "fact_id", "start")):
        group, fact, _ = value.split(_BETWEEN)
        told = f"has {count} open rows with one start, in group {group!r}"
        yield Finding(ONE_PERIOD, "facts", f"fact {fact!r}", told, others)


def _evidence(open_facts: pa.Table, evidence: pa.Table) -> Iterator[Finding]:
    believed = [row is None or model.DISPUTED not in row for row in open_facts["flags"].to_pylist()]
    rows = with_start(open_facts.filter(pa.array(believed, pa.bool_())))
    held = evidence.filter(pc.is_null(evidence["expired_at"]))
    missing = first_rows(keys(rows, "fact_id", "start"), keys(held, "fact_id", "period_start")) < 0

    def told(row: dict[str, Any]) -> str:
        return (
            f"is believed, but evidence has no open row for this period of fact "
            f"{row['fact_id']!r} in group {row['group_id']!r}"
        )

    yield from _found(EVIDENCE, "facts", rows, missing, told)


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
        yield fact, (subject, relation, target_key(entity, value))


class _Held(NamedTuple):
    """How long a token fills a slot, and the row that says so."""

    start: int
    end: int
    token: str
    row_id: str


def _rivals(open_facts: pa.Table, relations: Ontology) -> list[Finding]:
    filled: dict[tuple[str, Slot], list[_Held]] = defaultdict(list)
    for group, subject, relation, target, row in _believed(open_facts):
        for slot, token in relations.slots(subject, relation, target):
            filled[group, slot].append(row._replace(token=token))
    found = [
        Finding(
            *(RIVALS, "facts", f"rows {one.row_id!r} and {other.row_id!r}"),
            f"are rivals ({' '.join(slot).strip()}) and both believed, in group {group!r}",
        )
        for (group, slot), held in filled.items()
        for one, other in _overlapping(held)
    ]
    if len(found) > MOST_EXAMPLES:
        found[MOST_EXAMPLES - 1] = found[MOST_EXAMPLES - 1]._replace(
            others=len(found) - MOST_EXAMPLES
        )
    return found[:MOST_EXAMPLES]


def _overlapping(held: list[_Held]) -> Iterator[tuple[_Held, _Held]]:
    held.sort()
    last = held[0]
    for each in held[1:]:
        if each.start < last.end and each.token != last.token:
            yield last, each
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
            held = _Held(start, FOREVER if end is None else end, "", row_id)
            yield group, subject, relation, target_key(entity, value), held
