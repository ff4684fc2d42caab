"""`regesta sources`: what it prints for people and for programs, and how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import yaml
from typer.testing import CliRunner

from regesta.cli.main import app, main

SOURCE = {
    "source": "tickets", "path": "archive/tickets.jsonl", "format": "jsonl", "mode": "event",
    "group": "unit", "source_id": "join('/', [ticket, to_string(seq)])", "reference_time": "at",
    "known_at": "told", "position": "seq", "removed": {"path": "gone", "means": "withdrawn"},
    "entities": {
        "ticket": {"label": "Ticket", "name": "ticket", "identifiers": {"ticket_no": "ticket"}},
        "agent": {"label": "Person", "name": "agent", "identifiers": {"email": "mail"}},
    },
    "statements": [
        {"subject": "ticket", "relation": "ASSIGNED_TO", "object": "agent", "empty": "ended"},
        {"subject": "ticket", "relation": "HAS_SIZE", "value": "size", "valid_at": "since"},
    ],
}  # fmt: skip
ROWS = [
    {"ticket": "T-1", "seq": 1, "at": "2024-03-01", "told": "2024-03-02T05:00:00Z",
     "unit": "north", "agent": "Ann Lee", "mail": "Ann@x.example", "size": 3, "since": "2024"},
    {"ticket": "T-1", "seq": 2, "at": "2024-03-03", "told": "2024-03-03", "unit": "north",
     "agent": None},
    {"ticket": "T-1", "seq": 3, "at": "2024-03-04", "told": "2024-03-04", "unit": "north",
     "gone": True},
    {"ticket": "T-1", "seq": 4, "at": "2024-02-30", "told": "2024-03-04", "unit": "north"},
    {"ticket": "T-1", "seq": 5, "at": "2024-03-05", "told": "2024-03-05", "unit": "north",
     "size": 4, "since": "soon"},
]  # fmt: skip


@pytest.fixture
def conf(tmp_path):
    conf = tmp_path / "conf"
    (conf / "sources").mkdir(parents=True)
    (conf / "ontologies").mkdir()
    (conf / "base.yaml").write_text("sources: [tickets]\n")
    (conf / "sources/tickets.yaml").write_text(yaml.safe_dump(SOURCE, sort_keys=False))
    (conf / "ontologies/o.yaml").write_text("relations: {HAS_SIZE: {phrase: is as large as}}\n")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive/tickets.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in ROWS))
    return conf


def run(conf, *arguments):
    answer = CliRunner().invoke(app, ["sources", *arguments, "--conf", str(conf)])
    assert answer.exception is None, answer.output
    return answer.stdout


def test_check_tells_programs_all_that_becomes_of_a_row(conf):
    first, second, removed, impossible, failed = json.loads(run(conf, "check", "tickets", "--json"))
    assert first["episode"] == {
        "group": "north", "source_id": "T-1/1", "version": None,
        "reference_time": "2024-03-01", "known_at": "2024-03-02 05:00:00", "removed": None,
        "thread": None, "position": 1, "author": None, "content": first["episode"]["content"],
    }  # fmt: skip
    assert json.loads(first["episode"]["content"]) == ROWS[0]
    assert first["entities"] == [
        {"label": "Ticket", "name": "T-1", "identifiers": ["ticket_no:t-1"], "attributes": []},
        {
            "label": "Person", "name": "Ann Lee", "identifiers": ["email:ann@x.example"],
            "attributes": [],
        },
    ]  # fmt: skip
    assert first["statements"] == [
        {
            "polarity": "asserts", "subject": "T-1", "relation": "ASSIGNED_TO",
            "object": "Ann Lee", "value": None, "text": "T-1 assigned to Ann Lee",
            "valid_at": "2024-03-01", "invalid_at": None,
        },
        {
            "polarity": "asserts", "subject": "T-1", "relation": "HAS_SIZE", "object": None,
            "value": "3", "text": "T-1 is as large as 3", "valid_at": "2024-01-01",
            "invalid_at": None,
        },
    ]  # fmt: skip
    assert [one["polarity"] for one in second["statements"]] == ["ends"]
    assert (removed["episode"]["removed"], removed["statements"]) == ("withdrawn", [])
    assert (impossible["row"], impossible["episode"]) == (4, None)
    assert impossible["reason"].startswith("impossible date in reference_time: ")
    assert impossible["path"].endswith("/archive/tickets.jsonl")
    assert failed["reason"].startswith("no possible time: 'soon'")


def test_check_prints_tables(conf, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    file = str(conf / "sources/tickets.yaml")
    text = run(conf, "check", file)
    for part in ("T-1/1", "email:ann@x.example", "T-1 is as large as 3", "withdrawn", "'soon'"):
        assert part in text
    assert "impossible date" not in run(conf, "check", file, "--rows", "3")


def test_check_prints_the_words_of_messages(conf, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    message = {"content": "said", "thread": "ticket", "author": "agent", "kind": "message"}
    declared = {key: SOURCE[key] for key in SOURCE if key not in ("entities", "statements")}
    (conf / "sources/tickets.yaml").write_text(yaml.safe_dump(declared | message))
    row = {**ROWS[0], "said": "No power\nsince noon"}
    (conf.parent / "archive/tickets.jsonl").write_text(json.dumps(row))
    text = run(conf, "check", "tickets")
    assert "No power since noon" in text
    assert "Ann Lee" in text
    assert "entities" not in text


def test_check_uses_the_runs_known_time(conf):
    rows = json.loads(run(conf, "check", "tickets", "--json", "--known-at", "2024-03-02T06:00"))
    assert rows[0]["reason"] is None
    assert rows[1]["reason"].startswith("known later than the run: ")


def test_check_names_every_mistake(conf, monkeypatch, capsys):
    wrong = SOURCE | {"mode": "sometimes", "sourceid": "id"}
    (conf / "sources/tickets.yaml").write_text(yaml.safe_dump(wrong))
    monkeypatch.setattr(
        sys, "argv", ["regesta", "sources", "check", "tickets", "--conf", str(conf)]
    )
    with pytest.raises(SystemExit) as caught:
        main()
    told = capsys.readouterr().err
    assert caught.value.code == 2
    assert "tickets.yaml: mode: Input should be" in told
    assert "tickets.yaml: sourceid: unknown key; did you mean 'source_id'?" in told


def test_check_needs_neither_spark_nor_java(conf):
    code = (
        "import sys; sys.modules['pyspark'] = None; from regesta.cli.main import app;"
        f"app(['sources', 'check', 'tickets', '--conf', {str(conf)!r}])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": ""},
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_list(conf):
    other = SOURCE | {"source": "others", "path": "${NOWHERE}/x"}
    (conf / "sources/others.yaml").write_text(yaml.safe_dump(other))
    found = json.loads(run(conf, "list", "--json"))
    assert [(one["source"], one["nightly"], one["path"]) for one in found] == [
        ("others", False, ["${NOWHERE}/x"]),
        ("tickets", True, ["archive/tickets.jsonl"]),
    ]
    assert "others" in run(conf, "list")
