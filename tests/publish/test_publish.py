"""Publishing through Spark: what is written, what is carried over, what is refused."""

from __future__ import annotations

import zlib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import regesta.query
from publish import tiny, writing
from regesta.errors import SnapshotError
from regesta.publish.snapshot import publish
from regesta.query.layout import TABLES, bucket_of

pytestmark = pytest.mark.spark


def run(spark, root, rows, *, batch=1, versions=None, changed=None, progress=None):
    return publish(
        writing.frames(spark, rows),
        root=str(root),
        known_at=tiny.micros("2024-01-01"),
        batch=batch,
        table_versions=versions or {"facts": batch},
        code_version="test",
        relations=writing.ONE_OWNER,
        changed_groups=None
        if changed is None
        else spark.createDataFrame(changed, "group_id string"),
        progress=progress,
    )


@pytest.fixture(scope="module")
def published(spark, tmp_path_factory):
    """The tiny warehouse, published once."""
    root = tmp_path_factory.mktemp("snapshots")
    return root, run(spark, root, tiny.tables())


def files(root):
    return {path: path.stat().st_mtime_ns for path in Path(root).rglob("*") if path.is_file()}


def rows_of(root, manifest, table):
    return [
        row
        for segment in manifest.segments
        for row in pq.read_table(root / "segments" / segment / f"{table}.parquet").to_pylist()
    ]


@pytest.mark.parametrize("table", TABLES)
def test_every_row_is_published_as_it_was(published, table):
    root, manifest = published
    wanted = writing.segment_tables(tiny.tables())[table].to_pylist()
    found = rows_of(root, manifest, table)
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))
    assert manifest.rows[table] == len(wanted)


def test_it_equals_what_is_written_without_spark(published, tmp_path):
    root, _ = published
    writing.write_snapshot(tmp_path, tiny.tables())
    with_spark, without = regesta.query.open(root), regesta.query.open(tmp_path)
    for group in ("acme", "globex"):
        ours, theirs = with_spark.group(group), without.group(group)
        assert ours.search("who owned acme").context() == theirs.search("who owned acme").context()
        assert ours.facts() == theirs.facts()
        assert ours.entities() == theirs.entities()


def test_the_bucket_in_spark_is_the_bucket_in_python(spark):
    names = ["acme", "globex", "Zoë", "", "顧客"]
    frame = spark.createDataFrame([(name,) for name in names], "name string")
    found = frame.select("name", F.crc32(F.col("name").cast("binary")).alias("crc")).collect()
    assert {row["name"]: row["crc"] for row in found} == {n: zlib.crc32(n.encode()) for n in names}


def test_publishing_a_batch_again_changes_nothing(spark, published):
    root, manifest = published
    before = files(root)
    assert run(spark, root, tiny.tables()) == manifest
    assert files(root) == before


def test_equal_rows_of_a_later_batch_keep_their_segments(spark, published):
    root, manifest = published
    before = files(root / "segments")
    later = run(spark, root, tiny.tables(), batch=2)
    assert later.name != manifest.name
    assert later.segments == manifest.segments
    assert files(root / "segments") == before


def changed_rows():
    rows = tiny.tables()
    rows["facts"][-1]["text"] = "Acme is owned by Zoë Smith"
    return rows


def test_only_buckets_of_changed_groups_are_written(spark, tmp_path):
    assert bucket_of("acme", 8) != bucket_of("globex", 8)
    first, told = run(spark, tmp_path, tiny.tables()), []
    later = run(
        spark, tmp_path, changed_rows(), batch=2, changed=[("globex",)], progress=told.append
    )
    acme, globex = (str(bucket_of(group, 8)) for group in ("acme", "globex"))
    assert "writing 1 of 2 segments" in told
    assert later.buckets[acme] == first.buckets[acme]
    assert later.buckets[globex] != first.buckets[globex]
    snapshot = regesta.query.open(tmp_path)
    assert [fact.text for fact in snapshot.group("globex").facts()] == [
        "Acme is owned by Zoë Smith"
    ]
    assert len(snapshot.group("acme").entities()) == 4


def test_a_group_that_vanished_is_gone(spark, tmp_path):
    run(spark, tmp_path, tiny.tables())
    rows = {
        name: [row for row in each if row["group_id"] == "acme"]
        for name, each in tiny.tables().items()
    }
    run(spark, tmp_path, rows, batch=2, changed=[("globex",)])
    assert regesta.query.open(tmp_path).groups() == ["acme"]


def test_a_change_outside_the_changed_groups_is_noticed(spark, tmp_path):
    first = run(spark, tmp_path, tiny.tables())
    rows = tiny.tables()
    rows["episodes"].append(tiny.episode("m9", "one more"))
    with pytest.raises(SnapshotError, match="episodes has 5 rows in bucket"):
        run(spark, tmp_path, rows, batch=2, changed=[("globex",)])
    assert (tmp_path / "CURRENT").read_text().strip() == first.name


def test_an_incoherent_batch_leaves_the_current_snapshot(spark, tmp_path):
    first = run(spark, tmp_path, tiny.tables())
    rows = tiny.tables()
    rows["facts"][2]["subject_id"] = "e-nobody"
    with pytest.raises(SnapshotError, match="'f-bob@2022-07-01@2023-01-10' has subject_id 'e-nob"):
        run(spark, tmp_path, rows, batch=2)
    assert (tmp_path / "CURRENT").read_text().strip() == first.name
    assert regesta.query.open(tmp_path).manifest == first


def test_a_damaged_snapshot_is_written_again(spark, tmp_path):
    first = run(spark, tmp_path, tiny.tables())
    segment = first.buckets[str(bucket_of("acme", 8))]
    (tmp_path / "segments" / segment / "facts.parquet").write_bytes(b"short")
    with pytest.raises(SnapshotError, match=r"facts\.parquet is damaged"):
        regesta.query.open(tmp_path)
    told: list[str] = []
    assert run(spark, tmp_path, tiny.tables(), progress=told.append) == first
    assert any("written again" in each for each in told)
    regesta.query.open(tmp_path).verify()
