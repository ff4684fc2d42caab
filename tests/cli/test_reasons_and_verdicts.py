"""`regesta history`, `why` and `verdicts` over a snapshot: what they print."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from publish import tiny, writing
from regesta.cli.main import app

FOLLOWED = "followed by Acme Corp OWNED_BY Bob Müller (fact f-bob), stated in mail M2, 2023-01-10"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reasons")
    rows = tiny.tables()
    verdict = {
        "row_id": "r1",
        "group_id": "acme",
        "verdict_id": "v1",
        "left_fact": "f-bob",
        "right_fact": "f-priority",
        "verdict": "contradicts",
        "reason": "he owns nothing urgent",
        "author": "eve",
        "decided_by": "person",
        "stated_at": "2023-05-01",
        "flags": ["set aside"],
        "created_at": "2023-05-02",
    }
    rows["resolved_verdicts"] = [verdict]
    writing.write_snapshot(folder, rows)
    return folder


def run(root, *command):
    given = [*command, "--snapshots", str(root), "--group", "acme"]
    result = CliRunner().invoke(app, given, env={"COLUMNS": "200"}, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_history_tells_why_a_period_and_a_belief_ended(root):
    told = run(root, "history", "Acme", "OWNED_BY", "--all-beliefs")
    assert f"OWNED_BY Jane Doe, 2021 to 2022-06: ended 2022-06: {FOLLOWED}" in told
    assert "since 2021: no longer believed since 2023-01-10: it was followed by" in told
    (jane, *_) = json.loads(run(root, "history", "Acme", "OWNED_BY", "--json"))
    assert jane["ended"]["words"] == f"ended 2022-06: {FOLLOWED}"
    assert (jane["ended"]["fact"]["fact_id"], jane["expired"]) == ("f-bob", None)


def test_why_quotes_what_ended_a_period(root):
    told = run(root, "why", "f-jane")
    assert f"ended 2022-06: {FOLLOWED}\n    {tiny.NEWS}" in told
    [explained] = json.loads(run(root, "why", "f-jane", "--json"))
    assert explained["ended"]["quote"] == tiny.NEWS


def test_candidates_are_lines_to_fill_in(root, tmp_path):
    file = tmp_path / "pairs.jsonl"
    counts = json.loads(run(root, "verdicts", "candidates", str(file), "--json"))
    assert counts == {"written": 1, "found": 1, "facts_left_out": 0}
    [line] = map(json.loads, file.read_text("utf-8").splitlines())
    assert (line["left"], line["right"], line["verdict"]) == ("f-jane", "f-priority", None)
    assert line["left_told"] == "Acme is owned by Jane Doe, 2021 to 2022-06"


def test_verdicts_set_aside_are_listed(root):
    assert "he owns nothing urgent" in run(root, "verdicts", "set-aside")
    [told] = json.loads(run(root, "verdicts", "set-aside", "--json"))
    assert (told["left_fact"], told["author"], told["set_aside"]) == ("f-bob", "eve", True)
