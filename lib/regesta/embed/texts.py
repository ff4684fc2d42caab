"""Which text of a row is embedded: the same in Spark, over the warehouse, and in Arrow."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

from regesta.spans import own_words

WORDS: Final = "words"
"""The column with an episode's own words, where it is searched."""
_SOMETHING: Final = r"[^ \t\n\r\f]"
_BETWEEN: Final = ": "


def texts_in_spark(table: str, rows: DataFrame) -> DataFrame:
    """Return the rows of a table that have a text to be embedded, with it as `text`.

    Of facts it is their text, of entities and communities name and summary, of messages and texts
    their writers' own words; records have none.
    """
    if table == "episodes":
        rows = rows.where((F.col("kind") != "json") & F.col("removed").isNull())
        text = _own_words(F.col("content"), F.col("attributes")["spans"])
    else:
        text = F.col("text") if table == "facts" else F.concat_ws(_BETWEEN, "name", "summary")
    return rows.withColumn("text", text).where(F.col("text").rlike(_SOMETHING))


def _own_words(content: Column, spans: Column) -> Column:
    @arrow_udf("string")  # type: ignore[call-overload, untyped-decorator]
    def words(contents: pa.Array, parts: pa.Array) -> pa.Array:
        rows = zip(contents.to_pylist(), parts.to_pylist(), strict=True)
        return pa.array([own_words(text or "", spans) for text, spans in rows], pa.string())

    found: Column = words(content, spans)
    return found


def texts_in_arrow(table: str, rows: pa.Table) -> pa.Array:
    """Return the same texts of a segment's rows (episodes with their words), null without one."""
    if table in ("facts", "episodes"):
        text = rows["text" if table == "facts" else WORDS]
    else:
        text = pc.binary_join_element_wise(
            rows["name"], rows["summary"], _BETWEEN, null_handling="skip"
        )
    said = pc.fill_null(pc.match_substring_regex(text, _SOMETHING), False)
    return pc.if_else(said, text, None).combine_chunks()
