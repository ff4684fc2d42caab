"""Cosine over a snapshot's vectors, against products worked out text by text."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import regesta.query
from publish import tiny, writing
from query.words import Words
from regesta.cli.main import app
from regesta.embed import static
from regesta.embed.encoder import Space
from regesta.embed.load import load, local_folder
from regesta.errors import SetupError, SnapshotError
from regesta.query.errors import QueryError
from regesta.query.snapshot import current_name, read_manifest
from regesta.query.store import Store
from regesta.query.vectors import QueryEncoder, cosines, unit_vectors


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    rows = tiny.tables()
    rows["episodes"].append({**tiny.episode("m5", '{"owner": "Bob"}'), "kind": "json"})
    writing.write_snapshot(folder, rows, encoder=Words())
    return folder


def group_of(root, name="acme"):
    return regesta.query.open(root, encoder=Words()).group(name)._view.group


def test_each_row_has_the_cosine_of_its_own_text(root):
    group = group_of(root)
    texts = group.column("facts", "text")
    asked = group.encoder.vector("owned by Bob")
    rows, found = cosines(group, "facts", asked, np.ones(len(texts), bool))
    assert rows.tolist() == list(range(len(texts)))
    assert found == pytest.approx(Words().encode(texts) @ asked, abs=2e-3)  # kept as float16
    best = texts[int(found.argmax())]
    assert best == "Acme is owned by Bob Müller"


def test_the_prefix_is_the_questions(root):
    group = group_of(root)
    wanted = Words().encode(["who? Acme"])[0]
    assert group.encoder.vector("Acme") == pytest.approx(wanted, abs=1e-6)


def test_records_have_no_vector_and_are_never_found(root):
    group = group_of(root)
    kinds = group.column("episodes", "kind")
    rows, _ = cosines(group, "episodes", group.encoder.vector("Bob"), np.ones(len(kinds), bool))
    assert [kinds[row] for row in rows] == ["message"] * 4
    vectors = unit_vectors(group, "episodes", np.arange(len(kinds)))
    assert vectors.any(axis=1).tolist() == [kind == "message" for kind in kinds]


@given(masked=st.lists(st.booleans(), min_size=6, max_size=6), text=st.text(max_size=20))
def test_no_row_outside_the_mask_and_the_same_cosine_whatever_the_mask(root, masked, text):
    group = group_of(root)
    asked, mask = group.encoder.vector(text), np.array(masked)
    every, wanted = cosines(group, "facts", asked, np.ones(6, bool))
    rows, found = cosines(group, "facts", asked, mask)
    assert rows.tolist() == np.flatnonzero(mask).tolist()
    assert found == pytest.approx(wanted[mask], abs=1e-6)
    assert len(every) == 6


def test_a_group_sees_its_own_vectors_only(root):
    for name, facts in (("acme", 6), ("globex", 1)):
        group = group_of(root, name)
        texts = group.column("facts", "text")
        assert len(texts) == facts
        vectors = unit_vectors(group, "facts", np.arange(facts))
        assert vectors == pytest.approx(Words().encode(texts), abs=2e-3)


def test_the_search_goes_by_words_and_by_meaning(root):
    graph = regesta.query.open(root, encoder=Words()).group("acme")
    best = graph.search("owned by Bob")[0]
    assert best.fact.text == "Acme is owned by Bob Müller"
    assert best.ranks == {"bm25": 1, "cosine": 1}
    assert best.score == pytest.approx(2 / 61, abs=1e-6)


def test_by_meaning_alone_hits_come_by_their_cosine(root):
    graph = regesta.query.open(root, encoder=Words()).group("acme")
    asked = Words().encode(["who? Bob met"])[0]
    wanted = {fact.text: float(Words().encode([fact.text])[0] @ asked) for fact in graph.facts()}
    hits = graph.search("Bob met", recipe="fact_cosine")
    assert [hit.fact.text for hit in hits] == sorted(
        (text for text in wanted if wanted[text] > 0), key=lambda text: -wanted[text]
    )
    for hit in hits:
        assert hit.score == pytest.approx(wanted[hit.fact.text], abs=2e-3)


def test_another_model_is_refused(root):
    class Other(Words):
        space = Space("other", 64)

    with pytest.raises(QueryError, match="those of words with 64 dimensions; other with 64 dim"):
        regesta.query.open(root, encoder=Other())


def test_a_snapshot_without_vectors(tmp_path):
    writing.write_snapshot(tmp_path, tiny.tables())
    graph = regesta.query.open(tmp_path).group("acme")
    assert {name for hit in graph.search("Bob") for name in hit.ranks} == {"bm25"}
    with pytest.raises(QueryError, match=r"has no vectors: name a model in embeddings\.model"):
        graph.search("Bob", recipe="fact_cosine")
    with pytest.raises(QueryError, match="no vectors to compare those of words with 64"):
        regesta.query.open(tmp_path, encoder=Words())


def test_a_text_without_a_vector_is_no_snapshot(tmp_path, monkeypatch):
    wanted = writing.embedded_texts(tiny.tables())
    monkeypatch.setattr(writing, "embedded_texts", lambda rows: wanted - {"Zoë owns Acme"})
    with pytest.raises(
        SnapshotError, match=r"1 rows of episodes have no vector .* 'Zoë owns Acme'"
    ):
        writing.write_snapshot(tmp_path, tiny.tables(), encoder=Words())


def write_with_its_model(root):
    folder = local_folder(static.SPACE)
    writing.write_snapshot(root, tiny.tables(), encoder=load(static.SPACE), model=folder)


def test_a_snapshot_brings_the_model_along(tmp_path, monkeypatch):
    write_with_its_model(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("PATH", "")
    graph = regesta.query.open(tmp_path).group("acme")
    best = graph.search("who is its proprietor?", recipe="fact_cosine")[0]
    assert best.fact.relation == "OWNED_BY"


def test_without_the_packages_that_embed_a_search_is_by_words_and_says_so(tmp_path, monkeypatch):
    write_with_its_model(tmp_path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    graph = regesta.query.open(tmp_path).group("acme")
    sentence = r"^Searched by words alone: .*tokenizers.*pip install 'regesta\[embed\]'\.$"
    for scope in (None, "entities"):
        with pytest.warns(UserWarning, match=sentence) as told:
            hits = graph.search("Bob", scope=scope)
        assert told[0].filename == __file__
        assert {name for hit in hits for name in hit.ranks} == {"bm25"}
    for recipe in ("fact_cosine", "fact_hybrid_rrf", "fact_hybrid_mmr"):
        with pytest.raises(SetupError, match="tokenizers"):
            graph.search("Bob", recipe=recipe)


def test_the_command_says_so_beside_its_hits(tmp_path, monkeypatch):
    write_with_its_model(tmp_path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    args = ["search", "owned by Bob", "--group", "acme", "--json", "--snapshots", str(tmp_path)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0
    assert done.stderr.startswith("Searched by words alone: ")
    assert json.loads(done.stdout)[0]["fact_id"] == "f-bob"


def test_the_model_is_fetched_from_where_files_cannot_be_mapped(tmp_path):
    write_with_its_model(tmp_path)
    store = Store(tmp_path)
    manifest = read_manifest(store, current_name(store))
    store.local = False
    encoder = QueryEncoder(static.SPACE, store, manifest.model)
    assert (encoder.vector("Acme") == load(static.SPACE).encode(["Acme"])[0]).all()


def test_a_damaged_model_is_told(tmp_path):
    write_with_its_model(tmp_path)
    [path] = (tmp_path / "models").glob("*/tokens.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(SnapshotError, match=r"models/.*/tokens\.npy is damaged: its checksum"):
        regesta.query.open(tmp_path).verify()
    path.unlink()
    with pytest.raises(SnapshotError, match=r"models/.*/tokens\.npy is damaged: it is missing"):
        regesta.query.open(tmp_path)


PROGRAM = """
import sys
import regesta.query
graph = regesta.query.open(sys.argv[1]).group("acme")
assert graph.facts()
wanted = ("onnxruntime", "tokenizers", "openai", "pyspark", "pandas")
print([name for name in wanted if name in sys.modules])
"""


def test_opening_a_snapshot_with_vectors_loads_no_model(root):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"
