"""`regesta snapshots`, `rollback` and `verify`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import regesta.query
from publish import tiny, writing
from regesta.cli.main import app
from regesta.errors import SnapshotError


@pytest.fixture
def written(tmp_path):
    """Three nights, each with another text."""

    def write(batch):
        rows = tiny.tables()
        rows["episodes"][0]["content"] = f"{tiny.MAIL} {batch}"
        return writing.write_snapshot(tmp_path, rows, batch=batch)

    return tmp_path, [write(batch) for batch in (1, 2, 3)]


def run(root, *arguments):
    return CliRunner().invoke(app, [*arguments, "--snapshots", str(root)])


def current(root):
    return regesta.query.open(root).manifest.name


def test_snapshots_are_listed_with_the_current_one(written):
    root, manifests = written
    listed = json.loads(run(root, "snapshots", "--json").stdout)
    assert [each["name"] for each in listed] == [each.name for each in manifests]
    assert [each["current"] for each in listed] == [False, False, True]
    assert [each["batch"] for each in listed] == [1, 2, 3]
    assert {each["rows"]["facts"] for each in listed} == {7}
    assert {each["known_at"] for each in listed} == {"2024-01-01"}
    table = run(root, "snapshots").stdout
    assert all(each.name in table for each in manifests)


def test_roll_back_goes_one_back_at_a_time_and_to_any(written):
    root, (first, second, third) = written
    opened = regesta.query.open(root)
    assert run(root, "rollback").stdout == f"snapshot {second.name} is current\n"
    assert current(root) == second.name
    run(root, "rollback")
    assert current(root) == first.name
    run(root, "rollback", third.name)
    assert current(root) == third.name
    assert opened.group("acme").search("Jane")  # what was open stays open


def test_roll_back_to_what_is_not_there(written):
    root, (first, *_) = written
    run(root, "rollback", first.name)
    answer = run(root, "rollback")
    assert isinstance(answer.exception, SnapshotError)
    assert f"There is no snapshot before {first.name} in {root}" in str(answer.exception)
    answer = run(root, "rollback", "0007")
    assert "There is no snapshot '0007'" in str(answer.exception)
    assert first.name in str(answer.exception)
    assert current(root) == first.name


def damage(root, manifest, name):
    """Change one byte of a file."""
    path = root / "segments" / manifest.buckets["0"] / name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))


def test_verify_names_the_file_that_differs(written):
    root, (_, second, third) = written
    files = len(third.segments[third.buckets["0"]])
    assert run(root, "verify").stdout == (
        f"snapshot {third.name}: {files} files are as they were published\n"
    )
    damage(root, second, "facts.times.npy")
    assert run(root, "verify").exit_code == 0
    answer = run(root, "verify", second.name)
    assert isinstance(answer.exception, SnapshotError)
    assert "facts.times.npy is damaged: its checksum differs" in str(answer.exception)


def test_nobody_is_rolled_back_to_a_damaged_snapshot(written):
    root, (_, second, third) = written
    damage(root, second, "facts.times.npy")
    assert "facts.times.npy is damaged" in str(run(root, "rollback").exception)
    assert current(root) == third.name


def test_a_damaged_snapshot_is_listed_with_what_is_wrong(written):
    root, (_, second, _) = written
    (root / "segments" / second.buckets["0"] / "facts.parquet").unlink()
    listed = json.loads(run(root, "snapshots", "--json").stdout)
    assert [bool(each["damage"]) for each in listed] == [False, True, False]
    assert "facts.parquet is damaged: it is missing" in listed[1]["damage"]
