from __future__ import annotations

import datetime
import gzip
import json

import pytest
from nights import Nights

from regesta.errors import InputError

pytestmark = pytest.mark.spark

EVENTS = {
    "source": "log",
    "format": "jsonl",
    "mode": "event",
    "source_id": "id",
    "reference_time": {"path": "at", "format": ["%d-%m-%Y", "%Y-%m-%d"]},
    "known_at": "known",
    "max_rejected_share": 1,
}


def line(id, **more):  # noqa: A002
    return json.dumps({"id": id, "at": "05-03-2020", "known": "2020-03-05"} | more) + "\n"


def test_every_kind_of_broken_row_is_told_with_file_and_row(spark, tmp_path):
    nights = Nights(spark, tmp_path, EVENTS)
    broken = [
        line("good").encode(),
        b"{broken\n",
        b"\n",
        b"[1]\n",
        line(None).encode(),
        line("a", at=None).encode(),
        line("b", at="31-02-2020").encode(),
        b'{"id": "\xe9"}\n',
        b'{"id": "c", "x": {"y": 1, "y": 2}}\n',
        line("d", known="2040-01-01").encode(),
        ("x" * 20_000).encode(),
    ]
    nights.write(**{"a b__jsonl": b"".join(broken), "c__jsonl__gz": gzip.compress(b"\n{\n")})
    ingested = nights.run(1_900_000_000)
    expected = {"read": 11, "new": 1, "unchanged": 0, "heartbeats": 0, "rejected": 10, "ended": 0}
    assert ingested.counts["log"].items() >= expected.items()
    found = nights.rows("rejected", "path", "row_number", "reason")
    told = {(path.rpartition("/")[2], row): reason for path, row, reason in found}
    expected = {
        ("a b.jsonl", 2): "broken JSON: Expecting property name",
        ("a b.jsonl", 4): "not an object: list",
        ("a b.jsonl", 5): "missing source_id: id gives nothing",
        ("a b.jsonl", 6): "missing reference_time: at gives nothing",
        ("a b.jsonl", 7): "impossible date in reference_time: no possible time: '31-02-2020'",
        ("a b.jsonl", 8): "wrong encoding: not utf-8 at byte 9",
        ("a b.jsonl", 9): "duplicate key: 'y' occurs twice in one object",
        ("a b.jsonl", 10): "known later than the run: 2040-01-01T00:00:00Z is after 2030-03-17",
        ("a b.jsonl", 11): "broken JSON: Expecting value",
        ("c.jsonl.gz", 2): "broken JSON: Expecting property name",
    }
    assert told.keys() == expected.keys()
    assert [key for key, reason in expected.items() if not told[key].startswith(reason)] == []
    raw = dict(nights.rows("rejected", "row_number", "raw"))
    assert (raw[8], len(raw[11])) == ('{"id": "\ufffd"}', 10_000)
    ((reference, attributes),) = nights.rows("episodes", "reference_time", "attributes")
    assert reference == datetime.datetime(2020, 3, 5)
    assert attributes["path"].endswith("/a b.jsonl")
    assert attributes["row"] == "1"


def test_rows_of_split_files_are_numbered_through(spark, tmp_path):
    lines = [line(number, pad="é" * (number % 17)) for number in range(1, 401)]
    lines[299] = "{broken\n"
    nights = Nights(spark, tmp_path, EVENTS)
    nights.write(big__jsonl="".join(lines), small__jsonl=line("s"))
    keys = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = {key: spark.conf.get(key) for key in keys}
    try:
        for key in keys:
            spark.conf.set(key, "3000")
        nights.run()
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    rows = {row[0]: row[1]["row"] for row in nights.rows("episodes", "source_id", "attributes")}
    assert rows.pop("s") == "1"
    assert rows == {str(n): str(n) for n in range(1, 401) if n != 300}
    assert nights.rows("rejected", "row_number") == [(300,)]
    staged = spark.read.parquet(str(tmp_path / "staging/1/rows"))
    assert staged.select("file", "block_start").distinct().count() > 5


def test_csv_files_with_headers_of_their_own(spark, tmp_path):
    nights = Nights(spark, tmp_path, EVENTS | {"format": "csv"})
    nights.write(
        a__csv=b'\xef\xbb\xbfid,at,known,text\n1,05-03-2020,2020-03-05,"two\nlines"\n2,05-03-2020\n',
        b__csv=gzip.compress(b"text,known,at,id\nx,2020-03-05,2020-03-06,3\n"),
    )
    nights.run()
    rows = nights.rows("episodes", "source_id", "reference_time", "content", "attributes")
    assert [row[:2] for row in rows] == [
        ("1", datetime.datetime(2020, 3, 5)),
        ("3", datetime.datetime(2020, 3, 6)),
    ]
    assert rows[0][2] == (
        '{"at": "05-03-2020", "id": "1", "known": "2020-03-05", "text": "two\\nlines"}'
    )
    assert nights.rows("rejected", "row_number", "raw", "reason") == [
        (4, "2,05-03-2020\n", "wrong number of cells: 2, the header has 4")
    ]


def test_json_files_and_parquet_files(spark, tmp_path):
    times = {"reference_time": "at", "known_at": None}
    whole = EVENTS | times | {"source": "json", "format": "json", "records": "rows"}
    columns = EVENTS | times | {"source": "parquet", "format": "parquet"}
    nights = Nights(
        spark,
        tmp_path,
        whole | {"path": str(tmp_path / "files/*.json")},
        columns | {"path": str(tmp_path / "files/*.parquet")},
    )
    nights.write(a__json=b'{"rows": [{"id": 1, "at": "2020"}, {"id": 2}]}', b__json="{", c__txt="x")
    spark.sql(
        "SELECT id, timestamp '2020-03-05 10:00:00.25' AS at, null AS nothing, 1.50 AS amount "
        "FROM range(1, 3)"
    ).coalesce(1).write.parquet(str(tmp_path / "files/d.parquet"))
    counts = nights.run().counts
    expected = {"read": 3, "new": 1, "unchanged": 0, "heartbeats": 0, "rejected": 2, "ended": 0}
    assert counts["json"].items() >= expected.items()
    assert nights.rows("rejected", "row_number", "reason")[1][1].startswith(
        "missing reference_time"
    )
    rows = nights.rows("episodes", "source", "source_id", "reference_time", "content", "attributes")
    assert [row[:3] for row in rows] == [
        ("json", "1", datetime.datetime(2020, 1, 1)),
        ("parquet", "1", datetime.datetime(2020, 3, 5, 10, 0, 0, 250000)),
        ("parquet", "2", datetime.datetime(2020, 3, 5, 10, 0, 0, 250000)),
    ]
    assert rows[1][3] == (
        '{"amount": 1.5, "at": "2020-03-05T10:00:00.250000Z", "id": 1, "nothing": null}'
    )
    assert rows[2][4]["row"] == "2"


def test_globs_lists_and_names_with_pattern_characters(spark, tmp_path):
    paths = [str(tmp_path / "files/2024-*.jsonl"), str(tmp_path / "files/deep")]
    nights = Nights(spark, tmp_path, EVENTS | {"path": paths})
    (tmp_path / "files/deep/er").mkdir(parents=True)
    (tmp_path / "files/deep/er/x [1] %20 +.jsonl").write_text(line("deep"))
    nights.write(**{"2024-1__jsonl": line("one"), "2023-1__jsonl": line("none")})
    nights.run()
    assert nights.rows("episodes", "source_id") == [("deep",), ("one",)]


def test_paths_that_lead_nowhere_are_named(spark, tmp_path):
    nights = Nights(spark, tmp_path, EVENTS | {"path": str(tmp_path / "nowhere/*.jsonl")})
    with pytest.raises(InputError, match=r"source 'log': can't list .*nowhere"):
        nights.run()


def test_too_many_rejected_rows_fail_the_run(spark, tmp_path):
    nights = Nights(spark, tmp_path, EVENTS | {"max_rejected_share": 0.5})
    nights.write(a__jsonl=line("a") + line(None) + "{\n" + line(None, x=1))
    with pytest.raises(InputError) as caught:
        nights.run()
    file = f"file:{tmp_path}/files/a.jsonl"
    assert str(caught.value) == (
        "source 'log': 3 of 4 rows rejected, more than max_rejected_share 0.5 allows; most often:\n"
        f"  2 x missing source_id: id gives nothing (first in {file}, row 2)\n"
        "  1 x broken JSON: Expecting property name enclosed in double quotes: "
        f"line 1 column 2 (char 1) (first in {file}, row 3)\n"
        "Correct the files or the declaration, or raise max_rejected_share. Nothing was written."
    )
    nights.write(a__jsonl=line("a") + line("b") + "{\n{\n")
    assert nights.run().counts["log"]["rejected"] == 2


def test_expressions_see_the_file_of_a_record(spark, tmp_path):
    keys = {"file": "export", "group": "export.folder", "max_rejected_share": 0}
    archive = tmp_path / "files"
    sources = [
        EVENTS | keys | {"source": format, "format": format, "path": f"{archive}/*/*.{format}"}
        for format in ("jsonl", "json", "csv")  # noqa: A001
    ]
    nights = Nights(spark, tmp_path, *sources)
    (archive / "general & co").mkdir()
    row = line("a")
    (archive / "general & co/2024-03-05.jsonl").write_text(row)
    (archive / "general & co/2024-03-05.json").write_text(f"[{row}]")
    (archive / "general & co/2024-03-05.csv").write_text("id,at,known\na,05-03-2020,2020-03-05\n")
    nights.run()
    found = nights.rows("episodes", "source", "group_id", "content")
    assert [row[:2] for row in found] == [
        (name, "general & co") for name in ("csv", "json", "jsonl")
    ]
    assert json.loads(found[1][2])["export"] == {
        "path": "general & co/2024-03-05.json",
        "folder": "general & co",
        "name": "2024-03-05.json",
        "stem": "2024-03-05",
    }
    (archive / "general & co/again.jsonl").write_text(row)
    assert nights.run().counts["jsonl"]["unchanged"] == 1
