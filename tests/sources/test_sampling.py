"""The first rows of an archive: which ones, in which order, and as a night would read them."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from regesta.errors import InputError
from regesta.sources.declaration import Source
from regesta.sources.sampling import sample
from sources.nights import Nights

RUN = 1_735_689_600_000_000  # 2025
KEYS = {"source": "s", "mode": "event", "group": "'g'", "source_id": "id", "reference_time": "at"}


def ids(path, *, rows=10, **keys):
    paths = [str(one) for one in path] if isinstance(path, list) else str(path)
    source = Source.model_validate(KEYS | {"format": "jsonl", "path": paths} | keys)
    found = sample(source, rows=rows, run_known_at=RUN)
    return [row.fields.source_id if row.fields else row.reason for row in found]


def line(name):
    return json.dumps({"id": name, "at": "2024-03-01"}) + "\n"


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_files_come_in_order_and_folders_are_read_with_all_below(tmp_path):
    write(tmp_path / "b", x__jsonl=line("3"), _SUCCESS="no", _tmp__jsonl=line("no"))
    write(tmp_path, a__jsonl=line("1") + "\n" + line("2"), c__jsonl=line("4"))
    write(tmp_path / ".hidden", x__jsonl=line("no"))
    assert ids(tmp_path) == ["1", "2", "3", "4"]
    assert ids(tmp_path, rows=2) == ["1", "2"]


@pytest.mark.parametrize("prefix", ["", "file:", "file://"])
def test_globs(tmp_path, prefix):
    write(tmp_path, a1__jsonl=line("1"), a2__jsonl=line("2"), b1__jsonl=line("3"), c__csv="x")
    assert ids(f"{prefix}{tmp_path}/a?.jsonl") == ["1", "2"]
    assert ids(f"{prefix}{tmp_path}/{{b1,a[2-9]}}.jsonl") == ["2", "3"]


def test_each_path_gets_its_share(tmp_path):
    first = write(tmp_path / "one", x__jsonl=line("1") + line("2") + line("3"))
    second = write(tmp_path / "two", x__jsonl=line("4") + line("5") + line("6"))
    assert ids([first, second], rows=4) == ["1", "2", "4", "5"]
    assert ids([first, second], rows=3) == ["1", "2", "4"]
    assert ids([first, tmp_path / "none"], rows=4) == ["1", "2"]


def test_broken_rows_are_among_them_with_their_reason(tmp_path):
    write(tmp_path, a__jsonl=line("1") + "{\n" + '{"id": "3"}\n')
    one, broken, timeless = ids(tmp_path)
    assert one == "1"
    assert broken.startswith("broken JSON: ")
    assert timeless == "missing reference_time: at gives nothing"


def test_whole_files_and_compressed_ones(tmp_path):
    (tmp_path / "1.jsonl.gz").write_bytes(gzip.compress((line("1") + line("2")).encode()))
    assert ids(tmp_path / "1.jsonl.gz") == ["1", "2"]
    (tmp_path / "2.jsonl.gz").write_bytes(gzip.compress(line("1").encode())[:-9])
    assert ids(tmp_path / "2.jsonl.gz")[-1].startswith("broken gzip: ")
    write(tmp_path, x__csv="id,at\n1,2024-03-01\n2,2024-03-02\n", y__json=f"[{line('1')}]")
    assert ids(tmp_path / "x.csv", format="csv") == ["1", "2"]
    assert ids(tmp_path / "y.json", format="json") == ["1"]


def test_of_a_large_csv_only_the_beginning_is_read(tmp_path):
    rows = "".join(f'{number},2024-03-01,"two\nlines"\n' for number in range(150_000))
    write(tmp_path, x__csv=f"id,at,text\n{rows}")
    assert ids(tmp_path, format="csv", rows=2) == ["0", "1"]


def test_what_cannot_be_looked_at_is_told(tmp_path):
    with pytest.raises(InputError, match=r"source 's': no file at .*/none"):
        ids(tmp_path / "none")
    with pytest.raises(InputError, match="is not on this machine"):
        ids("s3a://lake/tickets")
    write(tmp_path, x__parquet="no")
    with pytest.raises(InputError, match=r"x\.parquet is no Parquet file"):
        ids(tmp_path, format="parquet")


@pytest.mark.spark
def test_parquet_is_seen_as_spark_reads_it(spark, tmp_path):
    noon = datetime(2024, 3, 1, 12, tzinfo=UTC)
    table = pa.table(
        {
            "id": ["1", "2"],
            "at": pa.array([noon, None], pa.timestamp("us", tz="UTC")),
            "local": pa.array([noon.replace(tzinfo=None)] * 2, pa.timestamp("us")),
            "day": pa.array([date(2024, 3, 1), None]),
            "price": pa.array([Decimal("12.50"), None], pa.decimal128(8, 2)),
            "rate": [0.5, None],
            "tags": [["a", "b"], None],
            "nested": [{"x": 1, "y": None}, None],
            "raw": pa.array([b"\x00\xff", None]),
            "map": pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.string())),
        }
    )
    keys = KEYS | {"format": "parquet", "reference_time": "at || '2024-03-02'"}
    nights = Nights(spark, tmp_path, keys)
    pq.write_table(table, nights.files / "x.parquet")
    nights.run(known_at=RUN // 1_000_000)
    source = Source.model_validate(keys | {"path": str(nights.files)})
    found = sample(source, rows=10, run_known_at=RUN)
    seen = [(row.fields.source_id, json.loads(row.fields.content)) for row in found]
    read = nights.rows("episodes", "source_id", "content")
    assert seen == [(identity, json.loads(content)) for identity, content in read]
