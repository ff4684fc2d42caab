"""Ids are the same in Python and in Spark, and different parts give different ids."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from regesta.ids import digest, digest_column


def test_digest_is_sha256_of_length_prefixed_parts():
    expected = hashlib.sha256(b"4:salt6:entity~2:42").hexdigest()[:32]
    assert digest("salt", "entity", None, 42) == expected


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=4), st.data())
def test_other_parts_give_another_digest(parts, data):
    others = data.draw(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=4))
    assert (digest("s", *parts) == digest("s", *others)) == (parts == others)


def test_another_salt_gives_another_digest():
    assert digest("a", "bob@example.org") != digest("b", "bob@example.org")


def test_spark_and_python_agree(spark):
    from pyspark.sql import functions as F

    rows = [("Zürich", 17), ("", -1), (None, None), ("日本🙂", 2**62), ("a:b~", 0)]
    frame = spark.createDataFrame(rows, "name string, number long")
    column = digest_column("salt", "row", F.col("name"), F.col("number"), 5)
    found = [row[0] for row in frame.select(column).collect()]
    assert found == [digest("salt", "row", name, number, 5) for name, number in rows]
