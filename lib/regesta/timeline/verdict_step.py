"""Spark around verdicts: which stand for which facts, and which conflict keys they join."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, Row, as_batches, groups
from regesta.context import Changes, StepContext
from regesta.ids import digester
from regesta.linked import linked
from regesta.resolve.membership import newest_entities
from regesta.timeline.keys import conflict_key, target_column
from regesta.timeline.named import latest_entities, with_entities
from regesta.timeline.ontology import Ontology
from regesta.timeline.verdicts import Verdict, VerdictRow, verdict_changes

STANDING = tuple(model.RESOLVED_VERDICTS.names)
_SIDES = ("left", "right")
_TRIPLES = [
    (f"{side}_{triple}", f"{side}_{key}")
    for side in _SIDES
    for triple, key in (("triple", "key"), ("former", "former_key"))
]
_SAID = ("verdict_id", "verdict", "reason", "author", "decided_by", "stated_at")
_INPUT = pa.schema(
    [
        ("group_id", model.TEXT),
        ("row_kind", model.TEXT),
        ("known_from", model.TIME),
        *((f"{side}_former", model.TEXTS) for side in _SIDES),
        *((f"{side}_former_key", model.TEXT) for side in _SIDES),
        *((f.name, f.type) for f in model.RESOLVED_VERDICTS if f.name != "group_id"),
    ]
)
_AT = {name: place for place, name in enumerate(_INPUT.names)}
_OUTPUT = pa.schema(
    [("row_kind", model.TEXT), ("conflict_key", model.TEXT), ("part_key", model.TEXT)]
    + [(field.name, field.type) for field in model.RESOLVED_VERDICTS]
)


@dataclass(frozen=True)
class Judged:
    """What verdicts mean to a night: rows of `resolved_verdicts` to close and open, staged.

    `parts` (conflict_key, part_key) tells which keys are computed together; `counting` are the rows
    that make rivals at some time of the night, with the part key of each.
    """

    changes: Changes
    parts: DataFrame
    counting: DataFrame

    @property
    def set_aside(self) -> DataFrame:
        """The verdicts that this night set aside."""
        still = F.col("expired_at").isNull()
        return self.changes.opening.where(still & F.array_contains("flags", model.SET_ASIDE))


def awaited(context: StepContext) -> DataFrame | None:
    """Return the verdicts that this batch takes in: added since the last one, or due now.

    None where nobody ever said a verdict.
    """
    if context.warehouse.version("fact_verdicts") is None:
        return None
    batch = context.batch
    said = context.warehouse.current("fact_verdicts").where(
        F.col("stated_at") <= batch.known_at_column
    )
    return said.where((F.col("batch") == batch.number) | _since(context, "stated_at"))


def judged(context: StepContext, relations: Ontology, *, most: int) -> Judged | None:
    """Return what verdicts change and join in this night; None where nobody ever said one.

    `most` is how many facts contradictions may link before they are set aside.
    """
    new = awaited(context)
    if new is None:
        return None
    told = context.stage("timeline", "judged_groups", _told_groups(context, new))
    standing = context.warehouse.open_before("resolved_verdicts")
    rows = _verdict_rows(context, relations, told).unionByName(_shaped(standing, "open"))
    batch = context.batch
    task = _task(most, context.salt, batch.known_at, batch.previous_known_at)
    placed = rows.repartition("group_id").sortWithinPartitions("group_id")
    made = placed.mapInArrow(task, from_arrow_schema(_OUTPUT))
    staged = context.stage("timeline", "verdicts", made)

    def of(kind: str, *columns: str) -> DataFrame:
        return staged.where(F.col("row_kind") == kind).select(*columns)

    return Judged(
        changes=Changes(of("close", "row_id", "expired_at"), of("open", *STANDING)),
        parts=of("part", "conflict_key", "part_key"),
        counting=of("counting", "part_key", *STANDING),
    )


def _since(context: StepContext, column: str) -> Column:
    previous = context.batch.previous_known_at
    return F.lit(True) if previous is None else F.col(column) > F.timestamp_micros(F.lit(previous))


def _told_groups(context: StepContext, new: DataFrame) -> DataFrame:
    """Groups with a new verdict, or with a profile that left an entity in this batch."""
    members = context.warehouse.current("entity_members")
    moved = members.where(F.col("expired_at").isNotNull() & _since(context, "expired_at"))
    said = context.warehouse.current("fact_verdicts").select("group_id").distinct()
    moved = moved.select("group_id").join(said, on="group_id", how="left_semi")
    return new.select("group_id").unionByName(moved).distinct()


def _verdict_rows(context: StepContext, relations: Ontology, told: DataFrame) -> DataFrame:
    """All verdicts of these groups, each side as the triple that it is now and was before."""
    batch = context.batch
    late = (F.col("batch") == batch.number) & ~_since(context, "stated_at")
    verdicts = (
        context.warehouse.current("fact_verdicts")
        .where(F.col("stated_at") <= batch.known_at_column)
        .join(told, on="group_id", how="left_semi")
        .withColumn("known_from", F.when(late, batch.known_at_column).otherwise(F.col("stated_at")))
    )
    ids = reduce(
        DataFrame.unionByName, (verdicts.select(F.col(s).alias("statement_id")) for s in _SIDES)
    )
    statements = context.warehouse.current("statements").join(
        ids.distinct(), on="statement_id", how="left_semi"
    )
    now = _triples(context, relations, statements, latest_entities(context))
    before = newest_entities(context.warehouse.before("entity_members"), "entity_id")
    former = _triples(context, relations, statements, before).select(
        "statement_id", F.col("triple").alias("former"), F.col("key").alias("former_key")
    )
    both = now.join(former, on="statement_id", how="left")
    for side in _SIDES:
        named = [F.col(name).alias(f"{side}_{name}") for name in both.columns[1:]]
        sides = both.select(F.col("statement_id").alias(side), *named)
        verdicts = verdicts.join(sides, on=side, how="inner")
    return _shaped(verdicts, "verdict")


def _triples(
    context: StepContext, relations: Ontology, statements: DataFrame, entities: DataFrame
) -> DataFrame:
    """What statements state: statement_id, triple, key."""
    return with_entities(context, statements, entities).select(
        "statement_id",
        F.array("subject_id", "relation", target_column()).alias("triple"),
        conflict_key(relations, context.salt).alias("key"),
    )


def _shaped(rows: DataFrame, kind: str) -> DataFrame:
    tagged = rows.withColumn("row_kind", F.lit(kind))
    return tagged.select(
        *(
            F.col(field.name)
            if field.name in tagged.columns
            else F.lit(None).cast(field.dataType).alias(field.name)
            for field in from_arrow_schema(_INPUT).fields
        )
    )


def _task(most: int, salt: str, known_at: int, after: int | None) -> Callable[[Batches], Batches]:
    """Return the function for mapInArrow over rows sorted by group."""

    def run(batches: Batches) -> Batches:
        digest = digester(salt)
        made = (
            row
            for rows in groups(batches, lambda row: row[0])
            for row in _Group(rows, digest, known_at).rows(most, after)
        )
        return as_batches(made, _OUTPUT)

    return run


class _Group:
    """The verdicts of one group, what stood before the night, and what changes."""

    def __init__(self, rows: list[Row], digest: Callable[..., str], known_at: int) -> None:
        self._id = rows[0][_AT["group_id"]]
        self._digest = digest
        self._known_at = known_at
        self._told = {
            row[_AT["verdict_id"]]: row for row in rows if row[_AT["row_kind"]] == "verdict"
        }
        self._standing = [_standing(row) for row in rows if row[_AT["row_kind"]] == "open"]
        self._keys = {
            tuple(row[_AT[triple]]): row[_AT[key]]
            for row in rows
            for triple, key in _TRIPLES
            if row[_AT[triple]] is not None
        }

    def rows(self, most: int, after: int | None) -> Iterator[Row]:
        """Give rows of `_OUTPUT`; a group without news only tells what counts in it."""
        verdicts = [one for row in self._told.values() for one in self._verdicts(row)]
        given = self._standing if verdicts else ()
        made = verdict_changes(verdicts, given, most=most, after=after)
        for row in made.opened:
            row.payload = self._written(row)
            yield _output("open", **row.payload, expired_at=row.expired_at)
        for row in made.closed:
            yield _output("close", **{**row.payload, "expired_at": row.expired_at})
        rivals = [
            {**row.payload, "expired_at": row.expired_at}
            for row in (*self._standing, *made.opened)
            if row.contradicts and not row.set_aside
        ]
        yield from _parts(rivals)

    def _verdicts(self, row: Row) -> Iterator[Verdict]:
        """A verdict on what its statements state now, and before the night's moves."""
        now, former = ([row[_AT[f"{s}_{t}"]] for s in _SIDES] for t in ("triple", "former"))
        moved = None not in former and former != now
        begun = row[_AT["known_from"]]
        if moved and begun < self._known_at:
            yield self._verdict(row, former, begun, self._known_at)
        yield self._verdict(row, now, max(begun, self._known_at) if moved else begun, None)

    def _verdict(self, row: Row, names: list[Any], begun: int, until: int | None) -> Verdict:
        left, right = map(tuple, names)
        return Verdict(
            id=row[_AT["verdict_id"]],
            left=left,
            right=right,
            contradicts=row[_AT["verdict"]] == model.CONTRADICTS,
            by_person=row[_AT["decided_by"]] == model.PERSON,
            stated_at=row[_AT["stated_at"]],
            known_from=begun,
            known_until=until,
        )

    def _written(self, row: VerdictRow) -> dict[str, Any]:
        said = self._told[row.verdict]
        facts = [self._digest("fact", self._id, *triple) for triple in row.pair]
        return {
            **{name: said[_AT[name]] for name in _SAID},
            "row_id": self._digest("verdict row", row.verdict, *facts, row.created_at),
            "group_id": self._id,
            **dict(zip(("left_fact", "right_fact"), facts, strict=True)),
            **{f"{s}_key": self._keys[t] for s, t in zip(_SIDES, row.pair, strict=True)},
            **{f"{s}_triple": list(t) for s, t in zip(_SIDES, row.pair, strict=True)},
            "flags": [model.SET_ASIDE] if row.set_aside else [],
            "created_at": row.created_at,
        }


def _standing(row: Row) -> VerdictRow:
    left, right = (tuple(row[_AT[f"{side}_triple"]]) for side in _SIDES)
    return VerdictRow(
        pair=(left, right),
        verdict=row[_AT["verdict_id"]],
        contradicts=row[_AT["verdict"]] == model.CONTRADICTS,
        set_aside=model.SET_ASIDE in row[_AT["flags"]],
        created_at=row[_AT["created_at"]],
        payload={name: row[_AT[name]] for name in STANDING if name != "expired_at"},
    )


def _parts(rivals: list[dict[str, Any]]) -> Iterator[Row]:
    """Which keys rivals join, and the rivals with the smallest key of their part."""
    part_of = {
        key: min(keys)
        for keys in linked((row["left_key"], row["right_key"]) for row in rivals)
        for key in keys
    }
    for key, part in part_of.items():
        yield _output("part", conflict_key=key, part_key=part)
    for row in rivals:
        yield _output("counting", **row, part_key=part_of[row["left_key"]])


def _output(kind: str, **values: Any) -> Row:
    return tuple({**values, "row_kind": kind}.get(name) for name in _OUTPUT.names)
