"""Rebuilds that differ, that break off, that repair; and the nights after them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest
import yaml

from little_company import NIGHTS, ONTOLOGY, write_configuration, write_night
from projects import command, run_night
from test_nightly import CrashError, Crashes, beliefs, blurred, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.long]


@pytest.fixture(scope="module")
def night(spark, tmp_path_factory):
    """The project after one night."""
    project = tmp_path_factory.mktemp("night")
    write_configuration(project)
    next_night(spark, project, 0)
    return project


@pytest.fixture
def project(night, tmp_path):
    """A copy of it."""
    copied = tmp_path / "project"
    shutil.copytree(night, copied)
    return copied


@pytest.fixture(scope="module")
def two_nights(spark, night, tmp_path_factory):
    """The project after two nights that nothing disturbed."""
    copied = tmp_path_factory.mktemp("two") / "nights"
    shutil.copytree(night, copied)
    deliver(copied, 1)
    run_night(spark, copied / "conf", NIGHTS[1])
    return copied


def next_night(spark, project, number):
    write_night(project, number)
    run_night(spark, project / "conf", NIGHTS[number])


def deliver(project, number):
    """Let a night's files arrive alone: in another folder those of before would be others."""
    for read_before in (project / "archive").glob("*/night*"):
        read_before.unlink()
    write_night(project, number)


def rebuild(monkeypatch, project, *options):
    return command(monkeypatch, "rebuild", "--conf", project / "conf", *options)


def with_many_states(ontology):
    relations = {**ontology["relations"], "HAS_STATE": {"cardinality": "many"}}
    return {**ontology, "relations": relations}


def test_a_difference_fails_and_a_new_generation_takes_it(spark, project, monkeypatch, capsys):
    from regesta import query
    from regesta.rebuild import replay

    before = tables_of(spark, project / "warehouse")
    reader = query.open(project / "warehouse" / "snapshots")

    as_recorded = replay.as_recorded

    def by_other_rules(batch, today):
        changed = with_many_states(batch.config["ontology"])
        return as_recorded(replace(batch, config={**batch.config, "ontology": changed}), today)

    monkeypatch.setattr(replay, "as_recorded", by_other_rules)
    assert rebuild(monkeypatch, project, "--json") == 10
    out, err = capsys.readouterr()
    assert "The rebuild differs in facts, fact_evidence, communities; the old tables stay." in err
    tables = {each["table"]: each for each in json.loads(out)["tables"]}
    assert {name: each["counts"] for name, each in tables.items() if each["counts"]} == {
        "facts": {"only after": 1},
        "fact_evidence": {"only after": 1},
        "communities": {"changed key_terms": 1, "changed summary": 1},
    }
    assert tables["facts"]["rows_after"] == tables["facts"]["rows_before"] + 1
    changed = {one["column"]: one for one in tables["communities"]["examples"]}
    assert changed["summary"]["before"] == "T1 assigned to alice; T1 has state open"
    assert changed["summary"]["after"] == (
        "T1 assigned to alice; T1 has state new; T1 has state open"
    )
    assert tables_of(spark, project / "warehouse") == before
    assert query.open(project / "warehouse" / "snapshots").manifest == reader.manifest

    monkeypatch.undo()
    words = project / "conf" / "ontologies" / "company.yaml"
    words.write_text(yaml.safe_dump(with_many_states(ONTOLOGY)))
    assert rebuild(monkeypatch, project, "--new-generation") == 0
    new, opened = ("T1", "HAS_STATE", "new"), ("T1", "HAS_STATE", "open")
    assert {new, opened} <= beliefs(project, "2024-01-05", NIGHTS[0])
    then = reader.group("north").as_of(valid="2024-01-05").facts()
    told = {(fact.subject, fact.relation, fact.value) for fact in then}
    assert opened in told
    assert new not in told  # what was opened before stays as it was
    reader.verify()


def test_the_night_after_a_rebuild_and_the_rebuild_after_it(
    spark, project, two_nights, monkeypatch
):
    assert rebuild(monkeypatch, project) == 0
    deliver(project, 1)
    run_night(spark, project / "conf", NIGHTS[1])
    expected = tables_of(spark, two_nights / "warehouse")
    assert blurred(tables_of(spark, project / "warehouse")) == blurred(expected)
    assert rebuild(monkeypatch, project) == 0
    assert blurred(tables_of(spark, project / "warehouse")) == blurred(expected)
    folders = {path.name for path in (project / "warehouse" / "tables").iterdir()}
    assert "episodes" in folders
    assert "facts" not in folders  # the first generation is gone, the second is kept for readers
    assert {path.name for path in (project / "warehouse" / "generations").iterdir()} == {"2", "3"}


def test_a_batch_that_broke_off_goes_on_after_a_rebuild(spark, project, two_nights, monkeypatch):
    deliver(project, 1)
    crashing = Crashes(monkeypatch, at=[("append_some", "facts")])
    with pytest.raises(CrashError):
        run_night(spark, project / "conf", NIGHTS[1])
    crashing.is_down = False
    crashing.at = {("append_some", "nothing")}
    assert rebuild(monkeypatch, project) == 0
    run_night(spark, project / "conf", NIGHTS[1])
    expected = tables_of(spark, two_nights / "warehouse")
    assert blurred(tables_of(spark, project / "warehouse")) == blurred(expected)


def test_a_rebuild_that_breaks_off_anywhere_goes_on(spark, project, monkeypatch):
    from regesta.config import load
    from regesta.rebuild.rebuild import rebuild
    from regesta.warehouse.warehouse import Warehouse

    before = tables_of(spark, project / "warehouse")
    warehouse = Warehouse.open(spark, str(project / "warehouse"))
    crashing = Crashes(monkeypatch)
    for _ in range(100):
        crashing.is_down = False
        try:
            found = rebuild(
                warehouse, load(project / "conf"), lambda text: None, new_generation=False
            )
        except CrashError:
            if warehouse.newest().generation == 1:
                assert tables_of(spark, project / "warehouse") == before
            continue
        break
    assert found.is_swapped_in
    assert len(crashing.crashed) > 30
    assert tables_of(spark, project / "warehouse") == before


@pytest.mark.parametrize("damaged", ["*.parquet", "_delta_log/*.json"])
def test_damaged_derived_tables_stop_a_night_and_are_repaired(
    spark, project, two_nights, monkeypatch, capsys, damaged
):
    files = sorted((project / "warehouse" / "tables" / "facts").glob(damaged))
    for path in files:
        path.write_bytes(path.read_bytes()[:100])
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    deliver(project, 1)
    nightly = ("nightly", "--conf", project / "conf", "--known-at", NIGHTS[1])
    assert command(monkeypatch, *nightly) == 9
    err = capsys.readouterr().err
    assert "is damaged or missing, so the table facts can't be read" in err
    assert "rebuild --new-generation" in err
    assert rebuild(monkeypatch, project) == 9
    capsys.readouterr()
    assert rebuild(monkeypatch, project, "--new-generation", "--json") == 0
    told = json.loads(capsys.readouterr().out)["tables"]
    assert {each["table"] for each in told if each["counts"]} == {"facts"}
    assert command(monkeypatch, *nightly) == 0
    expected = tables_of(spark, two_nights / "warehouse")
    assert blurred(tables_of(spark, project / "warehouse")) == blurred(expected)
