"""Verdicts from a file into the warehouse, where the next batch takes them in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.arrow import as_frame
from regesta.context import StepContext
from regesta.errors import InputError
from regesta.ids import digest, digest_column
from regesta.query.errors import QueryError
from regesta.query.times import to_micros
from regesta.timeline.named import latest_entities, with_entities

_MOST_TOLD = 10
_SAID = pa.schema(
    [
        ("line", model.NUMBER),
        *((name, model.TEXT) for name in ("group_id", "left_name", "right_name")),
        *((name, model.TEXT) for name in ("verdict", "reason", "author", "decided_by")),
        ("stated_at", model.TIME),
    ]
)


class SaidVerdict(BaseModel):
    """A line of a file of verdicts: two facts of a group, by fact id or statement id.

    `at` (a date, else the run's own time) is when it was said; it is known from then on or, where a
    batch knew more already, from the batch that takes it in.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    group: str
    left: str
    right: str
    verdict: Literal["contradicts", "does not contradict"]
    reason: str = Field(min_length=1)
    author: str = Field(min_length=1)
    by: Literal["person", "model"]
    at: int | None = None

    @field_validator("at", mode="before")
    @classmethod
    def _is_a_date(cls, value: Any) -> int | None:
        try:
            return None if value is None else to_micros(value)
        except QueryError as error:
            raise ValueError(str(error)) from error


def read_verdicts(path: Path, now: int) -> list[tuple[int, SaidVerdict]]:
    """Return the verdicts of a file of JSON lines with their line numbers.

    `now` (microseconds) is when those were said that give no time. Lines whose verdict is null are
    undecided and left out. Raises InputError with every line that is none, at most ten of them.
    """
    if not path.is_file():
        raise InputError(f"{path} is no file: name one with a verdict on each line, as JSON.")
    found: list[tuple[int, SaidVerdict]] = []
    mistakes: list[str] = []
    for line, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if text.strip() and not _is_undecided(text):
            try:
                said = SaidVerdict.model_validate_json(text)
            except ValidationError as error:
                mistakes += [f"{path}:{line}: {told}" for told in _told(error)]
                continue
            found.append(
                (line, said.model_copy(update={"at": now if said.at is None else said.at}))
            )
    _refuse(mistakes)
    return found


def _is_undecided(text: str) -> bool:
    """Return whether nobody has filled in a line of `regesta verdicts candidates` yet."""
    try:
        line = json.loads(text)
    except ValueError:
        return False
    return isinstance(line, dict) and "verdict" in line and line["verdict"] is None


def _told(error: ValidationError) -> Iterator[str]:
    for detail in error.errors():
        where = ".".join(map(str, detail["loc"]))
        yield f"{where}: {detail['msg']}" if where else detail["msg"]


def _refuse(mistakes: Sequence[str]) -> None:
    if mistakes:
        rest = len(mistakes) - _MOST_TOLD
        more = [f"... and {rest} more"] if rest > 0 else []
        listed = "\n".join(f"  - {told}" for told in [*mistakes[:_MOST_TOLD], *more])
        raise InputError(f"No verdict was taken in:\n{listed}")


def add_verdicts(
    context: StepContext, said: Sequence[tuple[int, SaidVerdict]], path: Path
) -> dict[str, int]:
    """Append verdicts for the context's batch to take in; return how many were read and are new.

    Raises InputError naming the lines whose facts are unknown, or are events, which contradict
    nothing.
    """
    rows = [
        (line, one.group, one.left, one.right, one.verdict, one.reason, one.author, one.by, one.at)
        for line, one in said
    ]
    frame = as_frame(context.spark, rows, _SAID)
    named = _with_statements(context, frame)
    named = context.stage("verdicts", "said", named)
    _refuse_unknown(named, path)
    parts = ("group_id", "left", "right", "verdict", "reason", "author", "decided_by")
    identity = digest_column(
        context.salt, "verdict", *map(F.col, parts), F.unix_micros("stated_at")
    )
    made = named.withColumns(
        {"verdict_id": identity, "batch": F.lit(context.batch.number).cast("long")}
    ).dropDuplicates(["verdict_id"])
    known = context.warehouse.current("fact_verdicts").select("verdict_id")
    new = made.join(known, on="verdict_id", how="left_anti").select(*model.FACT_VERDICTS.names)
    purpose = digest(context.salt, json.dumps([[*row[1:]] for row in rows]))
    number = context.batch.number
    added = context.warehouse.append("fact_verdicts", new, batch=number, purpose=purpose)
    return {"read": len(rows), "new": added, "unchanged": len(rows) - added}


def _with_statements(context: StepContext, said: DataFrame) -> DataFrame:
    """Add `left` and `right`, the statements that two ids mean: null where there is none."""
    found = said
    names = said.select("group_id", F.col("left_name").alias("name")).unionByName(
        said.select("group_id", F.col("right_name").alias("name"))
    )
    meant = _meant(context, names.distinct())
    for side in ("left", "right"):
        found = found.join(
            meant.select(
                "group_id",
                F.col("name").alias(f"{side}_name"),
                F.col("statement_id").alias(side),
            ),
            on=["group_id", f"{side}_name"],
            how="left",
        )
    return found


def _meant(context: StepContext, names: DataFrame) -> DataFrame:
    """A statement for each id: itself, or the first that the evidence of a fact leads to."""
    claims = context.warehouse.current("statements").where(
        (F.col("polarity") == "asserts")
        & F.col("relation").isin(*_events(context)).eqNullSafe(False)
    )
    own = claims.join(
        names, on=[claims["statement_id"] == names["name"], claims["group_id"] == names["group_id"]]
    ).select(names["group_id"], "name", "statement_id")
    cited = _cited(context, names)
    same = ["episode_id", "relation", "subject_id", "target"]
    told = with_entities(
        context,
        claims.join(cited.select("episode_id").distinct(), on="episode_id", how="left_semi"),
        latest_entities(context),
    ).withColumn("target", F.coalesce("object_id", "value"))
    led = cited.join(told.select("statement_id", *same), on=same, how="inner")
    both = own.unionByName(led.select("group_id", "name", "statement_id"))
    return both.groupBy("group_id", "name").agg(F.min("statement_id").alias("statement_id"))


def _cited(context: StepContext, names: DataFrame) -> DataFrame:
    facts = context.warehouse.current("facts")
    evidence = context.warehouse.current("fact_evidence").select("fact_id", "episode_id").distinct()
    return (
        facts.withColumn("target", F.coalesce("object_id", "value"))
        .join(names.withColumnRenamed("name", "fact_id"), on=["group_id", "fact_id"])
        .select("group_id", F.col("fact_id").alias("name"), "subject_id", "relation", "target")
        .distinct()
        .join(evidence.withColumnRenamed("fact_id", "name"), on="name", how="inner")
    )


def _events(context: StepContext) -> list[str]:
    relations = context.ontology.relations
    return [name for name, declared in relations.items() if declared.kind == "event"]


def _refuse_unknown(named: DataFrame, path: Path) -> None:
    unknown = named.where(F.col("left").isNull() | F.col("right").isNull()).orderBy("line")
    rows = unknown.limit(_MOST_TOLD + 1).collect()
    _refuse(
        [
            f"{path}:{row['line']}: {side}: {row[f'{side}_name']} is no state that group "
            f"{row['group_id']!r} tells of now; take the ids that `regesta verdicts candidates` or "
            "`regesta history` gives"
            for row in rows
            for side in ("left", "right")
            if row[side] is None
        ]
    )
