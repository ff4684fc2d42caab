"""Settings as they are read from conf/base.yaml."""

from __future__ import annotations

import pytest

from regesta.config import load_ontology, load_settings
from regesta.errors import ConfigurationError


@pytest.mark.parametrize("text", ["", "warehouse: warehouse\n"])
def test_a_relative_warehouse_counts_from_the_folder_that_holds_conf(tmp_path, monkeypatch, text):
    monkeypatch.delenv("REGESTA_WAREHOUSE", raising=False)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/base.yaml").write_text(text)
    assert load_settings(tmp_path / "conf").warehouse == str(tmp_path / "warehouse")


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
