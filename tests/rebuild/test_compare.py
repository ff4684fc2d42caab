"""What differs between two tables is found by key and column, whatever the order of rows."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.spark

SCHEMA = "row_id string, name string, size long, tags map<string,string>, seen timestamp"
SAME = ("a", "Acme", 1, {"city": "Oslo"}, None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([SAME, ("b", None, 2, None, None)], [("b", None, 2, None, None), SAME], set()),
        (
            [("b", "Bolt", 2, {"city": "Rome"}, None)],
            [("b", None, 3, {"city": "Bonn"}, None)],
            {
                ("b", "changed", "name", "Bolt", None),
                ("b", "changed", "size", "2", "3"),
                ("b", "changed", "tags", "[{city, Rome}]", "[{city, Bonn}]"),
            },
        ),
        ([SAME], [], {("a", "only before", None, None, None)}),
        ([], [SAME], {("a", "only after", None, None, None)}),
        ([SAME, SAME], [SAME], {("a", "only before", None, None, None)}),
    ],
)
def test_differences(spark, before, after, expected):
    from pyspark.sql import Observation

    from regesta.rebuild.compare import differences

    sides = [spark.createDataFrame(rows, SCHEMA) for rows in (before, after)]
    counted = Observation()
    found = differences(*sides, key=("row_id",), counted=counted)
    assert set(map(tuple, found.collect())) == expected
