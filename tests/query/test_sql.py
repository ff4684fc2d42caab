"""The as-of tables in DuckDB say what the graph says, and the present is in views."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

import regesta.query
from publish import tiny, writing
from regesta.errors import SetupError
from regesta.query import QueryError
from regesta.query.times import show, to_micros
from regesta.sql.duck import ask, connect

INSTANTS = (
    *("2021-06-01", "2022-01-10", "2022-02-01", "2022-03-05", "2022-03-05T10:30"),
    *("2022-05-05", "2022-06-30T23:59:59", "2022-07-01", "2022-10-01", "2023-01-10"),
    *("2023-06-01", "2024-01-01"),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("snapshot")
    writing.write_snapshot(root, tiny.tables())
    return root


@pytest.fixture(scope="module")
def database(root):
    return connect(root)


def column(database, query, *values):
    return [row[0] for row in database.execute(query, values).fetchall()]


@pytest.mark.parametrize("valid", INSTANTS)
def test_facts_as_of_are_those_of_the_graph(root, database, valid):
    snapshot = regesta.query.open(root)
    for known in INSTANTS:
        expected = [
            fact.row_id
            for group in snapshot.groups()
            for fact in snapshot.group(group).as_of(valid=valid, known=known).facts()
        ]
        found = column(database, "SELECT row_id FROM facts_as_of(?, ?)", valid, known)
        assert sorted(found) == sorted(expected)


def test_names_are_those_of_the_known_time(database):
    query = "SELECT subject FROM facts_as_of('2021-06-01', ?) WHERE fact_id = 'f-jane'"
    assert column(database, query, "2022-02-01") == ["Acme"]
    assert column(database, query, "2023-02-01") == ["Acme Corp"]


def test_entities_and_communities_as_of_are_those_of_the_graph(root, database):
    snapshot = regesta.query.open(root)
    for known in INSTANTS:
        graphs = [snapshot.group(group).as_of(known=known) for group in snapshot.groups()]
        for function, expected in (
            ("entities_as_of", [e.row_id for graph in graphs for e in graph.entities()]),
            ("communities_as_of", [c.community_id for g in graphs for c in g.communities()]),
        ):
            key = "row_id" if function == "entities_as_of" else "community_id"
            found = column(database, f"SELECT {key} FROM {function}(?)", known)
            assert sorted(found) == sorted(expected)


def test_facts_between_touch_the_span(database):
    def between(first, last):
        query = "SELECT fact_id FROM facts_between(?, ?, '2024-01-01') WHERE group_id = 'acme'"
        return sorted(column(database, query, first, last))

    assert between("2020-01-01", "2021-01-01") == []
    assert between("2020-01-01", "2021-01-02") == ["f-jane"]
    assert between("2022-05-01", "2022-05-05") == ["f-jane", "f-priority"]
    assert between("2022-05-05", "2022-05-06") == ["f-jane", "f-met", "f-priority"]
    assert between("2022-07-01", "2022-08-01") == ["f-bob", "f-priority"]  # the meeting is over


def test_history_has_every_belief_under_any_name(database):
    query = "SELECT fact_id, expiry_reason FROM fact_history(?) WHERE group_id = 'acme'"
    by_name, by_old_name, by_identifier, by_id = (
        sorted(map(str, database.execute(query, [name]).fetchall()))
        for name in ("acme corp", "Acme", "crm:17", "e-acme")
    )
    assert by_name == by_old_name == by_identifier == by_id
    assert sum("f-jane" in row for row in by_name) == 2


def test_the_present_is_in_views(root, database):
    now = show(to_micros(writing.KNOWN_AT))
    for view, call in (("facts", "facts_as_of(?, ?)"), ("entities", "entities_as_of(?)")):
        same = database.execute(f"SELECT * FROM {call}", [now] * call.count("?")).fetchall()
        assert sorted(map(str, database.execute(f"SELECT * FROM {view}").fetchall())) == sorted(
            map(str, same)
        )
        assert same


def test_the_command_prints_rows_in_utc(root):
    from regesta.cli.main import app

    query = "SELECT fact_id, valid_at FROM facts WHERE fact_id = 'f-bob'"
    printed = CliRunner().invoke(app, ["sql", query, "--snapshots", str(root), "--json"])
    assert json.loads(printed.stdout) == [{"fact_id": "f-bob", "valid_at": "2022-07-01 00:00:00"}]


def test_a_wrong_query_is_a_question_that_cannot_be_answered(root):
    with pytest.raises(QueryError, match="nonsense"):
        ask(root, "SELECT nonsense FROM facts")


def test_columns_of_one_name_are_refused(root):
    with pytest.raises(QueryError, match="Several columns are named a: name each with AS"):
        ask(root, "SELECT 1 AS a, 2 AS a, 3 AS b")


def test_without_duckdb_the_remedy_is_told(root, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(SetupError, match="pip install"):
        ask(root, "SELECT 1")


def test_times_carry_their_zone(database):
    [(moment,)] = database.sql("SELECT valid_at FROM facts WHERE fact_id = 'f-bob'").fetchall()
    assert moment.astimezone(UTC) == datetime(2022, 7, 1, tzinfo=UTC)
