"""Refreshes by command: crashes leave no trace, a rebuild and other nights before give the same."""

from __future__ import annotations

import json
import shutil

import pytest

from little_company import NIGHTS, write_configuration, write_night
from projects import command, run_night
from regesta.errors import ConfigurationError, InputError
from regesta.pipeline import Run
from regesta.query.times import to_micros
from test_nightly import CrashError, Crashes, blurred, open_pipeline, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.long]
LATER = "2024-03-01T22:00:00Z"
DAY = "2024-01-05"


@pytest.fixture(scope="module")
def nights(spark, tmp_path_factory):
    """The project after two nights."""
    project = tmp_path_factory.mktemp("nights")
    write_configuration(project)
    for number in range(2):
        write_night(project, number)
        run_night(spark, project / "conf", NIGHTS[number])
    return project


def refresh(monkeypatch, project, *options):
    conf = ("--conf", project / "conf", "--known-at", LATER)
    return command(monkeypatch, "communities", "refresh", *conf, *options)


def partition(project, **as_of):
    from regesta import query

    graph = query.open(project / "warehouse" / "snapshots").group("north").as_of(**as_of)
    return {
        frozenset(entity.name for entity in graph.members(each.community_id))
        for each in graph.communities()
    }


def test_a_refresh_gives_the_same_whatever_the_nights_before_did(
    spark, nights, tmp_path, monkeypatch
):
    extended, refreshed = tmp_path / "extended", tmp_path / "refreshed"
    shutil.copytree(nights, extended)
    write_configuration(refreshed)
    for number in range(2):
        write_night(refreshed, number)
        pipeline = open_pipeline(spark, refreshed / "conf")
        pipeline.run(Run(refresh=True), to_micros(NIGHTS[number]))
    for project in (extended, refreshed):
        assert refresh(monkeypatch, project) == 0
    assert partition(extended) == partition(refreshed) != set()


def test_crashes_leave_no_trace_and_a_rebuild_finds_the_same(
    spark, nights, tmp_path, monkeypatch, capsys
):
    calm, crashing = tmp_path / "calm", tmp_path / "crashing"
    for copy in (calm, crashing):
        shutil.copytree(nights, copy)
    assert refresh(monkeypatch, calm, "--valid", LATER) == ConfigurationError.exit_code
    assert "give a day of the past" in capsys.readouterr().err
    assert refresh(monkeypatch, calm, "--valid", DAY) == 0
    with monkeypatch.context() as patched:
        crashes = Crashes(patched, at={("append_some", "communities"), ("close", "communities")})
        for _ in range(9):
            crashes.is_down = False
            try:
                assert refresh(patched, crashing, "--valid", DAY) == 0
                break
            except CrashError:
                continue
    assert crashes.crashed
    expected, found = (tables_of(spark, each / "warehouse") for each in (calm, crashing))
    assert blurred(found) == blurred(expected)
    # Those of the day are there and stand beside the present ones, which are as they were.
    assert partition(calm) == partition(nights)
    assert partition(calm, valid=DAY) not in (set(), partition(calm))
    capsys.readouterr()
    listed = ("communities", "list", "--conf", calm / "conf", "--group", "north", "--json")
    command(monkeypatch, *listed, "--valid", DAY)
    assert len(json.loads(capsys.readouterr().out)) == len(partition(calm, valid=DAY))
    assert command(monkeypatch, *listed, "--valid", "2023-12-24") == InputError.exit_code
    assert "`regesta communities refresh --valid 2023-12-24` does." in capsys.readouterr().err
    assert command(monkeypatch, "rebuild", "--conf", crashing / "conf") == 0
