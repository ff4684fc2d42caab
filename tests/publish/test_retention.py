"""Old snapshots go, what is referred to stays."""

from __future__ import annotations

import pytest

import regesta.query
from publish import tiny, writing
from regesta.errors import SnapshotError
from regesta.publish.files import KEPT_SNAPSHOTS, remove_old
from regesta.query.store import Store


def write(root, batch):
    """Write a snapshot whose segment differs from that of every other batch."""
    rows = tiny.tables()
    rows["episodes"][0]["content"] = f"{tiny.MAIL} {batch}"
    return writing.write_snapshot(root, rows, batch=batch)


def names(path):
    return {each.name for each in path.iterdir()}


def test_the_last_seven_are_kept_with_their_segments(tmp_path):
    written = [write(tmp_path, batch) for batch in range(1, 10)]
    assert remove_old(Store(tmp_path), written[-1]) == 2
    kept = written[-KEPT_SNAPSHOTS:]
    assert names(tmp_path / "snapshots") == {each.name for each in kept}
    assert names(tmp_path / "segments") == {segment for each in kept for segment in each.segments}
    regesta.query.open(tmp_path).verify()


def test_the_current_one_is_kept_though_it_is_old(tmp_path):
    written = [write(tmp_path, batch) for batch in range(1, 10)]
    remove_old(Store(tmp_path), written[0])
    assert written[0].name in names(tmp_path / "snapshots")
    assert set(written[0].segments) <= names(tmp_path / "segments")


def test_segments_that_old_and_new_share_stay(tmp_path):
    written = [
        writing.write_snapshot(tmp_path, tiny.tables(), batch=batch) for batch in range(1, 10)
    ]
    assert remove_old(Store(tmp_path), written[-1]) == 0
    regesta.query.open(tmp_path).verify()


def test_nothing_is_removed_where_a_manifest_cannot_be_read(tmp_path):
    written = [write(tmp_path, batch) for batch in range(1, 10)]
    (tmp_path / "snapshots" / written[4].name / "manifest.json").write_text("{")
    before = names(tmp_path / "segments")
    with pytest.raises(SnapshotError, match=written[4].name):
        remove_old(Store(tmp_path), written[-1])
    assert names(tmp_path / "segments") == before
    assert len(names(tmp_path / "snapshots")) == 9
