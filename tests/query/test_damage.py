"""A damaged or half-written snapshot is refused with the file's name."""

from __future__ import annotations

import pytest

import regesta.query
from publish import tiny, writing
from regesta.errors import SnapshotError


@pytest.fixture
def root(tmp_path):
    writing.write_snapshot(tmp_path, tiny.tables())
    return tmp_path


def some(root, name):
    return next(root.glob(f"segments/*/{name}"))


@pytest.mark.parametrize("name", ["facts.parquet", "facts.times.npy", "groups.parquet"])
def test_a_truncated_file(root, name):
    path = some(root, name)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(SnapshotError, match=f"{name} is damaged: it has"):
        regesta.query.open(root)


@pytest.mark.parametrize("name", ["episodes.parquet", "entities.words.npy"])
def test_a_missing_file(root, name):
    some(root, name).unlink()
    with pytest.raises(SnapshotError, match=f"{name} is damaged: it is missing"):
        regesta.query.open(root)


def test_a_changed_byte_is_found_by_verify(root):
    path = some(root, "facts.docs.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    snapshot = regesta.query.open(root)
    with pytest.raises(SnapshotError, match=r"facts\.docs\.npy is damaged: its checksum"):
        snapshot.verify()


@pytest.mark.parametrize(
    "garble",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"batch": 1', '"batch": 2'),
        lambda text: "[]",
        lambda text: "",
    ],
    ids=["half", "edited", "list", "empty"],
)
def test_a_garbled_manifest(root, garble):
    path = next(root.glob("snapshots/*/manifest.json"))
    path.write_text(garble(path.read_text()))
    with pytest.raises(SnapshotError, match=r"manifest\.json is damaged"):
        regesta.query.open(root)


def test_a_current_that_names_nothing(root):
    (root / "CURRENT").write_text("00000009-gone\n")
    with pytest.raises(SnapshotError, match=r"00000009-gone/manifest\.json is missing"):
        regesta.query.open(root)


def test_nothing_published(tmp_path):
    with pytest.raises(SnapshotError, match="CURRENT is missing"):
        regesta.query.open(tmp_path)


def test_an_open_snapshot_stays_as_it_is(root):
    graph = regesta.query.open(root).group("acme")
    before = graph.search("who owned acme").context()
    rows = tiny.tables()
    rows["facts"][2]["text"] = "Acme is owned by somebody"
    writing.write_snapshot(root, rows, batch=2)
    assert graph.search("who owned acme").context() == before
    assert "somebody" in regesta.query.open(root).group("acme").search("owned").context()


def test_a_uri_is_read_as_the_path_is(root):
    by_path, by_uri = regesta.query.open(root), regesta.query.open(root.as_uri())
    assert by_uri.manifest == by_path.manifest
    assert by_uri.group("acme").facts() == by_path.group("acme").facts()
