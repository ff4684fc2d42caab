"""Settings as they are read from conf/base.yaml."""

from __future__ import annotations

import pytest

from projects import write_project
from regesta.config import load, load_ontology, load_settings
from regesta.embed import bge, static
from regesta.embed.encoder import Space
from regesta.errors import ConfigurationError


@pytest.mark.parametrize("text", ["", "warehouse: warehouse\n"])
def test_a_relative_warehouse_counts_from_the_folder_that_holds_conf(tmp_path, monkeypatch, text):
    monkeypatch.delenv("REGESTA_WAREHOUSE", raising=False)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/base.yaml").write_text(text)
    assert load_settings(tmp_path / "conf").warehouse == str(tmp_path / "warehouse")
    monkeypatch.setenv("REGESTA_WAREHOUSE", "other")
    assert load_settings(tmp_path / "conf").warehouse == str(tmp_path / "other")


def settings_with(folder, embeddings):
    folder.mkdir(exist_ok=True)
    (folder / "base.yaml").write_text(f"embeddings: {{{embeddings}}}\n")
    return load_settings(folder).embeddings


@pytest.mark.parametrize(
    ("embeddings", "space"),
    [
        ("", None),
        ("model: bge-small-en-v1.5", bge.SPACE),
        ("model: bge-small-en-v1.5-static", static.SPACE),
        ("model: other, dimension: 3", Space("other", 3)),
        (
            "model: other, dimension: 3, base_url: 'http://there/v1', query_prefix: 'query: '",
            Space("other", 3, "query: ", "http://there/v1"),
        ),
    ],
)
def test_the_model_that_embeds(tmp_path, embeddings, space):
    assert settings_with(tmp_path / "conf", embeddings).space() == space


@pytest.mark.parametrize(
    ("embeddings", "told"),
    [
        ("model: other", "other is none of bge-small-en-v1.5, bge-small-en-v1.5-static: "),
        ("model: bge-small-en-v1.5, dimension: 3", "behind an endpoint, not to bge-small-en-v1.5"),
        ("base_url: 'http://there/v1'", "behind an endpoint, not to no model"),
    ],
)
def test_a_model_that_is_told_by_halves(tmp_path, embeddings, told):
    with pytest.raises(ConfigurationError, match=r"base\.yaml: embeddings: ") as caught:
        settings_with(tmp_path / "conf", embeddings)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("HAS_*: {cardinality: one_subject}", "HAS_*: expected * at the end only"),
        ("HAS_*_NAME: {}", "HAS_*_NAME: expected * at the end only"),
        ("HAS_*: {excludes: [KNOWS]}", "HAS_*: expected * at the end only"),
    ],
)
def test_relations_by_their_beginning_are_simple(tmp_path, entry, told):
    (tmp_path / "ontologies").mkdir()
    (tmp_path / "ontologies/a.yaml").write_text(f"relations: {{{entry}}}\n")
    with pytest.raises(ConfigurationError, match=r"a\.yaml: relations: ") as caught:
        load_ontology(tmp_path)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("relation", "extra", "refused"),
    [
        ("EMPLOYS", {"polarity": "ends"}, True),
        ("KNOWS", {"object": "other", "empty": "ended"}, True),
        ("MEETS", {"object": "other", "empty": "ended"}, True),
        ("KNOWS", {"object": "other"}, False),
        ("WORKS_AT", {"polarity": "ends"}, False),
        ("LED_BY", {"polarity": "ends"}, False),
    ],
)
def test_an_end_that_would_find_nobody_is_refused(tmp_path, relation, extra, refused):
    ontology = {
        "WORKS_AT": {"inverse": "EMPLOYS"},
        "KNOWS": {"symmetric": True, "synonyms": ["MEETS"]},
        "HEADS": {"cardinality": "one_subject", "inverse": "LED_BY"},
    }
    source = {
        "path": "a.jsonl",
        "format": "jsonl",
        "mode": "event",
        "group": "'g'",
        "source_id": "id",
        "reference_time": "at",
        "entities": {name: {"label": "Person", "name": name} for name in ("one", "other")},
        "statements": [{"subject": "one", "relation": relation, **extra}],
    }
    conf = write_project(tmp_path, {"people": source}, {"relations": ontology})
    if refused:
        with pytest.raises(ConfigurationError, match=f"people: statements: {relation}: an end"):
            load(conf)
    else:
        load(conf)


@pytest.mark.parametrize(
    ("declared", "refused"),
    [
        ({}, False),
        ({"cardinality": "one_subject"}, False),
        ({"cardinality": "one"}, True),
        ({"symmetric": True}, True),
        ({"synonyms": ["MEETS_WITH"]}, False),
    ],
)
def test_a_fact_over_several_objects_needs_a_relation_that_holds_them(tmp_path, declared, refused):
    entities = {name: {"label": "Person", "name": name} for name in ("one", "two", "three")}
    source = {
        "path": "x.jsonl",
        "format": "jsonl",
        "mode": "event",
        "group": "'g'",
        "source_id": "id",
        "reference_time": "at",
        "entities": entities,
        "statements": [{"subject": "one", "relation": "MEETS", "objects": ["two", "three"]}],
    }
    conf = write_project(tmp_path, {"people": source}, {"relations": {"MEETS": declared}})
    if not refused:
        assert load(conf).sources[0].statements[0].objects == ("two", "three")
        return
    with pytest.raises(ConfigurationError, match="people: statements: MEETS: objects: expected a"):
        load(conf)


def test_what_reads_no_archive_needs_no_source(tmp_path):
    (tmp_path / "sources").mkdir()
    (tmp_path / "base.yaml").write_text("sources: [elsewhere]\n")
    (tmp_path / "sources" / "elsewhere.yaml").write_text("source: elsewhere\n")
    with pytest.raises(ConfigurationError, match=r"elsewhere\.yaml"):
        load(tmp_path)
    assert not load(tmp_path, sources=None).sources
