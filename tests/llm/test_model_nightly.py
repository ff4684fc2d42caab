"""Whole nights with a language model behind an endpoint: what is believed, kept and sent."""

from __future__ import annotations

import json
import shutil

import pytest
from model_project import NIGHTS, deliver, project_of, refuses_one
from reader import read_faithfully
from typer.testing import CliRunner

from chat_server import ChatServer
from projects import run_night

pytestmark = pytest.mark.spark


def believed(folder, valid, known=None):
    from regesta import query

    graph = query.open(folder / "warehouse" / "snapshots").group("desk")
    facts = graph.as_of(valid=valid, known=known).facts()
    return {(fact.subject, fact.relation, fact.object or fact.value) for fact in facts}


@pytest.fixture(scope="module")
def two_nights(spark, tmp_path_factory):
    """The project after two nights, with the server and what each night reported."""
    folder = tmp_path_factory.mktemp("model")
    with ChatServer(read_faithfully, refuses_one) as server:
        conf = project_of(folder, server)
        reports = []
        for night, known_at in enumerate(("2024-01-10", "2024-02-10")):
            deliver(folder, night)
            reports.append(run_night(spark, conf, known_at))
        yield folder, server, reports


def test_messages_become_dated_facts_on_both_axes(two_nights):
    folder, _, _ = two_nights
    assert believed(folder, "2024-01-05", "2024-01-10") == {
        ("Ann Lee", "WORKS_AT", "Acme"),
        ("Acme", "OWNED_BY", "Bob Stone"),
    }
    assert believed(folder, "2023-06-01", "2024-01-10") == {("Ann Lee", "WORKS_AT", "Acme")}
    assert believed(folder, "2024-02-05") == {("Acme", "OWNED_BY", "Cem Ok")}


def test_every_episode_is_accounted_for(two_nights):
    _, _, reports = two_nights
    first, second = (report.steps["extract"] for report in reports)
    assert {name: first[name] for name in ("read", "out", "empty", "removed", "failed")} == {
        "read": 4, "out": 2, "empty": 1, "removed": 0, "failed": 1,
    }  # fmt: skip
    told = first["model"]["combined"]
    assert (told["requests"], told["answered"], told["refused"]) == (4, 3, 1)
    assert told["prompt_tokens"] > 1000
    assert (second["out"], second["empty"]) == (1, 1)


def test_an_answer_is_asked_for_once_whatever_night(two_nights):
    _, server, reports = two_nights
    assert (
        reports[1].steps["extract"]["model"]["combined"]["cached"] == 1
    )  # m6 says what m3 said, when it did
    # Of the five messages and of the community, which has other facts in either night.
    assert len(server.received) == 5 + 2


def test_what_was_set_aside_stands_among_the_rejected_with_its_reason(spark, two_nights):
    from regesta.warehouse.warehouse import Warehouse

    folder, _, _ = two_nights
    opened = Warehouse.open(spark, str(folder / "warehouse"))
    rows = opened.current("rejected_episodes").select("source", "reason", "raw").collect()
    assert [tuple(row) for row in rows] == [
        ("messages", "language model: combined: refused: content_filter", NIGHTS[0][3][2])
    ]
    batches = opened.current("batches").orderBy("batch").select("tokens").collect()
    assert [row[0] > 0 for row in batches] == [True, True]


@pytest.mark.long
def test_a_rebuild_asks_nothing_and_gives_the_same_rows(spark, two_nights, tmp_path):
    from regesta.config import load
    from regesta.rebuild.rebuild import rebuild
    from regesta.warehouse.warehouse import Warehouse

    folder, server, _ = two_nights
    shutil.copytree(folder, tmp_path / "copy")
    received = len(server.received)
    warehouse = Warehouse.open(spark, str(tmp_path / "copy" / "warehouse"))
    configuration = load(tmp_path / "copy" / "conf")
    found = rebuild(warehouse, configuration, lambda text: None, new_generation=False)
    assert {each.table: each.counts for each in found.tables if each.counts} == {}
    rows = {each.table: each.rows_after for each in found.tables}
    assert (rows["rejected_episodes"], rows["facts"] > 0) == (1, True)
    assert len(server.received) == received


def test_citations_quote_the_message(two_nights):
    from regesta import query

    folder, _, _ = two_nights
    graph = query.open(folder / "warehouse" / "snapshots").group("desk").as_of(valid="2024-01-05")
    (fact,) = graph.history("Ann Lee", "WORKS_AT")
    (explained,) = graph.why(fact.fact_id)
    quotes = [evidence.quote for evidence in explained.evidence]
    assert quotes == ["Ann Lee works at Acme since 2023-05-01."]


def ask_command(folder, *words):
    from regesta.cli.main import app

    told = CliRunner().invoke(app, [*words, "--conf", str(folder / "conf"), "--json"])
    assert told.exit_code == 0, told.output
    return json.loads(told.stdout)


def test_prompts_show_is_what_was_sent(two_nights):
    folder, server, _ = two_nights
    (hit,) = ask_command(folder, "search", "owned by Bob", "--scope", "episodes", "--limit", "1")
    shown = ask_command(folder, "prompts", "show", "combined", "--episode", hit["episode_id"])
    sent = [body["messages"] for body in server.received]
    assert sent[server.texts().index(NIGHTS[0][1][2])] == shown


def test_status_tells_what_was_used(two_nights):
    folder, _, reports = two_nights
    batches = ask_command(folder, "status")["batches"]
    used = [
        report.steps["extract"]["model"] | report.steps["communities"]["model"]
        for report in reports
    ]
    assert [set(steps) for steps in used] == [{"combined", "communities-level_0"}] * 2
    assert [batch["tokens"] for batch in batches] == [
        sum(told["prompt_tokens"] + told["completion_tokens"] for told in steps.values())
        for steps in used
    ]


def test_nothing_to_estimate_is_told(two_nights):
    from regesta.cli.main import app

    folder, _, _ = two_nights
    told = CliRunner().invoke(app, ["estimate", "--conf", str(folder / "conf")])
    assert told.exit_code != 0
    assert "regesta ingest" in str(told.exception)
