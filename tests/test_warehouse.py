"""Rows of a table are closed where they stand, also once it has grown and marks them."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("grown", [False, True])
def test_closing_leaves_the_other_rows_and_marks_files_of_a_grown_table(
    spark, tmp_path, monkeypatch, grown
):
    from delta.tables import DeltaTable
    from pyspark.sql import functions as F

    from regesta import model
    from regesta.arrow import as_frame
    from regesta.warehouse import warehouse as module

    if grown:
        monkeypatch.setattr(module, "SMALL_TABLE", 0)
    opened = module.Warehouse.open(spark, str(tmp_path / "odd `name`"))
    table = "community_members"
    made = [{"row_id": f"r{n}", "entity_id": f"e{n}", "created_at": 0} for n in range(5)]
    rows = [tuple(map(row.get, model.COMMUNITY_MEMBERS.names)) for row in made]
    frame = as_frame(spark, rows, model.COMMUNITY_MEMBERS)
    assert opened.append(table, frame, batch=1) == 5
    closing = spark.createDataFrame([("r1",), ("r3",)], "row_id string").withColumn(
        "expired_at", F.timestamp_micros(F.lit(7))
    )
    for _ in range(2):  # again, it changes nothing
        assert opened.close(table, closing, batch=2) == 2
    found = opened.current(table).select("row_id", F.unix_micros("expired_at"))
    assert sorted(map(tuple, found.collect())) == [
        *[("r0", None), ("r1", 7), ("r2", None), ("r3", 7), ("r4", None)]
    ]
    for version in range(opened.version(table) + 1):
        by_delta = spark.read.format("delta").option("versionAsOf", version)
        expected = by_delta.load(opened.path(table)).collect()
        assert sorted(opened.at(table, version).collect()) == sorted(expected)
    detail = DeltaTable.forPath(spark, opened.path(table)).detail().first()
    assert (detail["properties"]["delta.enableDeletionVectors"] == "true") is grown
    assert any(tmp_path.rglob("deletion_vector*.bin")) is grown


def test_a_folder_that_reads_as_a_pattern_is_refused_by_name(spark, tmp_path):
    from regesta.errors import ConfigurationError
    from regesta.warehouse.warehouse import Warehouse

    with pytest.raises(ConfigurationError, match=r"of \[2024\].* choose a folder"):
        Warehouse.open(spark, str(tmp_path / "of [2024]"))
    assert not list(tmp_path.iterdir())


def test_a_relative_folder_with_odd_letters_is_written_and_read(spark):
    from regesta import model
    from regesta.arrow import as_frame
    from regesta.warehouse.warehouse import Warehouse

    folder = Path(tempfile.mkdtemp(dir="."))
    try:
        opened = Warehouse.open(spark, os.path.relpath(folder / "ware%20house ü"))
        rows = as_frame(spark, [("north", "north.csv", 1, 2, "d", 1)], model.DELIVERIES)
        assert opened.append("deliveries", rows, batch=1) == 1
        assert [row["path"] for row in opened.current("deliveries").collect()] == ["north.csv"]
        assert (folder / "ware%20house ü" / "tables" / "deliveries").is_dir()
    finally:
        shutil.rmtree(folder)


def test_a_table_whose_columns_were_renamed_is_read_by_their_new_names(spark, tmp_path):
    from regesta.warehouse.reading import version_frame

    path = str(tmp_path / "table")
    spark.createDataFrame([(7,)], "old long").write.format("delta").save(path)
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN old TO new")
    renamed = version_frame(spark, path, 2)
    assert [row.asDict() for row in renamed.collect()] == [{"new": 7}]


@pytest.mark.parametrize("damage", ["gone", "cut short", "a file left out"])
def test_a_damaged_checksum_of_a_version_hides_no_row(spark, tmp_path, damage):
    import json

    from regesta.warehouse.reading import version_frame

    path = tmp_path / "table"
    for number in range(3):
        rows = spark.createDataFrame([(number,)], "number long")
        rows.write.format("delta").mode("append").save(str(path))
    checksum = path / "_delta_log" / f"{2:020}.crc"
    text = checksum.read_text()
    if damage == "gone":
        checksum.unlink()
    elif damage == "cut short":
        checksum.write_text(text[: len(text) // 2])
    else:
        told = json.loads(text)
        checksum.write_text(json.dumps({**told, "allFiles": told["allFiles"][1:]}))
    found = version_frame(spark, str(path), 2)
    assert sorted(row["number"] for row in found.collect()) == [0, 1, 2]


def test_small_files_of_many_nights_are_put_together_and_no_version_changes(spark, tmp_path):
    from regesta import model
    from regesta.arrow import as_frame
    from regesta.warehouse.warehouse import Warehouse

    opened = Warehouse.open(spark, str(tmp_path))
    nights = 30
    ends = []
    for night in range(nights):
        rows = as_frame(spark, [("north", f"{night}.csv", 1, 2, "d", night)], model.DELIVERIES)
        assert opened.append("deliveries", rows, batch=night) == 1
        ends.append(opened.version("deliveries"))
    assert ends[-1] >= nights  # more versions than nights: Delta put files together
    assert len(opened.current("deliveries").inputFiles()) < nights
    for night in (5, 20, nights - 1):
        found = opened.at("deliveries", ends[night]).select("path").collect()
        assert {row["path"] for row in found} == {f"{n}.csv" for n in range(night + 1)}
    again = as_frame(spark, [("north", "29.csv", 1, 2, "d", 29)], model.DELIVERIES)
    assert opened.append("deliveries", again, batch=29) == 1
    assert opened.version("deliveries") == ends[-1]
