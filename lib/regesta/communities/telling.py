"""Names and summaries of communities by a language model: map over facts, reduce, level by level.

The map-reduce of the Zep paper (arXiv 2501.13956, section 2.3): parts of many facts are summarised
first, then the whole; a community of communities is told from the summaries of those below. What a
model does not answer keeps the words that were taken from the facts (`summaries`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, as_batch, as_rows
from regesta.communities.asked import FORMS, PART, WHOLE, CommunityTold, PartTold
from regesta.communities.day import Day
from regesta.communities.levels import Levels
from regesta.llm.asking import Question, put
from regesta.llm.forms import Form, read
from regesta.llm.prompts import Prompted

MOST_FACTS: Final = 120
"""Facts of a community that are told, those of the most connected first."""
FACTS_OF_A_PART: Final = 40
MOST_PARTS: Final = 30
"""Communities below that are told of one above, the largest first."""
_TOLD: Final = pa.schema(
    [
        ("about", pa.string()),
        ("told_name", pa.string()),
        ("told_summary", pa.string()),
        ("told_terms", pa.list_(pa.string())),
    ]
)


@dataclass
class Telling:
    """A model that tells of a day's communities; `counts` are those of asking, by step."""

    day: Day
    prompted: Prompted
    counts: dict[str, Any] = field(default_factory=dict)

    def told(self, lines: DataFrame, levels: Levels, extracted: DataFrame) -> DataFrame:
        """Return `extracted` with what the model says of its communities.

        `lines`: community_id, place and line, the facts of the lowest communities with their dates;
        `extracted`: what `summaries` returns. Every level is asked after the one below it.

        Raises:
            ModelError: see `ledger.ask`.
        """
        lowest = extracted.where(F.col("level") == 0)
        found = [self._level(0, lowest, self._material(lines, lowest))]
        for level in range(1, levels.highest + 1):
            above = extracted.where(F.col("level") == level)
            material = _of_parts(self.day, found[-1], levels, above)
            found.append(self._level(level, above, material))
        return reduce(DataFrame.unionByName, found)

    def _material(self, lines: DataFrame, lowest: DataFrame) -> DataFrame:
        """Return community_id and facts: all lines, or summaries of parts where these are many."""
        part = F.floor((F.col("place") - 1) / FACTS_OF_A_PART).cast("int")
        parts = (
            lines.where(F.col("place") <= MOST_FACTS)
            .join(lowest.select("community_id", "group_id", "name"), "community_id", "inner")
            .groupBy("community_id", "group_id", "name", part.alias("part"))
            .agg(_in_order("place", "line").alias("facts"))
        )
        parts = self.day.stage("parts", parts)
        counted = parts.groupBy("community_id").agg(F.count(F.lit(1)).alias("parts"))
        many = counted.where("parts > 1")
        whole = parts.join(many, "community_id", "left_anti").select("community_id", "facts")
        no_size = F.lit(None).cast("bigint").alias("size")  # another one would be another request
        rows = parts.join(many, "community_id", "left_semi").select(
            F.concat_ws("#", "community_id", "part").alias("about"),
            *("group_id", F.col("name").alias("central"), no_size, "facts"),
        )
        answered = self._answers("parts", PART, rows)
        split = F.split("about", "#")
        numbered = answered.select(
            split[0].alias("community_id"), split[1].cast("int").alias("part"), "told_summary"
        )
        reduced = numbered.groupBy("community_id").agg(
            _in_order("part", "told_summary").alias("facts")
        )
        return whole.unionByName(reduced)

    def _level(self, level: int, communities: DataFrame, material: DataFrame) -> DataFrame:
        """Return communities of one level with the model's words where it answered."""
        rows = communities.join(material, "community_id", "inner").select(
            F.col("community_id").alias("about"),
            *("group_id", F.col("name").alias("central"), "size", "facts"),
        )
        answered = self._answers(f"level_{level}", WHOLE, rows)
        answered = answered.withColumnRenamed("about", "community_id")
        joined = communities.join(answered, "community_id", "left")
        return self.day.stage(
            f"told_{level}",
            joined.select(
                *("community_id", "group_id", "level", "size"),
                F.coalesce("told_name", "name").alias("name"),
                F.coalesce("told_summary", "summary").alias("summary"),
                F.coalesce("told_terms", "key_terms").alias("key_terms"),
            ),
        )

    def _answers(self, part: str, prompt: str, rows: DataFrame) -> DataFrame:
        """Ask about rows (about, group_id, central, size, facts); return _TOLD of the answered."""
        name, form = f"{self.day.step}/{part}".replace("/", "-"), FORMS[prompt]
        asked = rows.select("about", "group_id", "central", "size", "facts")
        question = Question(name, prompt, form)
        answers, counts = put(self.day.context, self.prompted, question, asked, _values)
        if counts:
            self.counts[name] = counts
        found = answers.select("about", "response").mapInArrow(
            partial(_read, form=form), from_arrow_schema(_TOLD)
        )
        return self.day.stage(f"{part}-told", found)


def _of_parts(day: Day, below: DataFrame, levels: Levels, above: DataFrame) -> DataFrame:
    """Return community_id and facts: names and summaries of the communities below, largest first.

    Those below that this batch did not tell anew stand as they were told before.
    """
    before = day.open_before("communities").join(
        below.select("community_id"), "community_id", "left_anti"
    )
    columns = ("community_id", "name", "summary", "size")
    every = below.select(*columns).unionByName(before.select(*columns))
    children = every.join(levels.parents, "community_id", "inner").join(
        above.select(F.col("community_id").alias("parent")), "parent", "left_semi"
    )
    order = Window.partitionBy("parent").orderBy(F.desc("size"), "community_id")
    line = F.concat("name", F.lit(": "), F.coalesce("summary", F.lit("")))
    ranked = children.select(
        F.col("parent").alias("community_id"),
        F.row_number().over(order).alias("place"),
        line.alias("line"),
    )
    ranked = ranked.where(F.col("place") <= MOST_PARTS)
    return ranked.groupBy("community_id").agg(_in_order("place", "line").alias("facts"))


def _values(central: str | None, size: int | None, facts: str) -> dict[str, str]:
    return {"central": central or "(nothing)", "size": str(size or ""), "facts": facts}


def _read(batches: Batches, form: type[Form]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield as_batch(
            [_row(about, read(form, response)) for about, response in as_rows([batch])], _TOLD
        )


def _row(about: str, answer: Form) -> tuple[str, str | None, str, list[str] | None]:
    if isinstance(answer, CommunityTold):
        return about, answer.name, answer.summary, list(answer.key_terms)
    assert isinstance(answer, PartTold)
    return about, None, answer.summary, None


def _in_order(place: str, text: str) -> Any:
    ordered = F.array_sort(F.collect_list(F.struct(place, text)))
    return F.array_join(F.transform(ordered, lambda one: one[text]), "\n")
