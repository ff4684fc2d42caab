"""`regesta evaluate simulated`: a table, JSON, and sentences where something is missing."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from evaluate import desk
from regesta.cli.main import app, main


@pytest.fixture
def folder(tmp_path):
    """A simulated folder whose warehouse has a shifted interval and a merged namesake."""
    desk.write_truth(tmp_path)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "base.yaml").write_text("warehouse: store\n")
    both = desk.entity("e-p", "Jane Doe", ["contact_no:c1", "contact_no:c2"])
    merged = {"e-p": both, "e-q": desk.entity("e-q", "Jane Doe", [])}
    told = {
        "plan": desk.fact("e-a", "HAS_PLAN", "=basic", "03-02"),
        "planner": desk.fact("e-p", "HAS_TITLE", "=Planner", "03-03", known=("03-04", None)),
    }
    desk.write_snapshot(
        tmp_path / "store" / "snapshots",
        entities=desk.entities() | merged,
        facts=desk.facts() | told,
    )
    return tmp_path


def run(*words):
    found = CliRunner().invoke(app, ["evaluate", "simulated", *map(str, words)])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_json_has_every_figure_and_the_worst_errors(folder):
    found = json.loads(run(folder, "--json"))
    assert found["entities"]["pairwise"]["wrong"] == 1
    assert found["facts"]["every"]["rectangles"]["precision"] == 5 / 6
    assert found["facts"]["relations"]["HAS_PLAN"]["exact"] == 0
    assert found["facts"]["kinds"]["plan"]["triples"]["f1"] == 1
    assert found["answers"]["every"] == {"name": "all", "asked": 8, "right": 5, "share": 0.625}
    assert [each["name"] for each in found["answers"]["axes"]] == ["both", "known", "valid"]
    assert {each["sort"] for each in found["worst"]} == {"wrong_merge", "facts", "answer"}
    (episode,) = next(each for each in found["worst"] if each["sort"] == "facts")["episodes"]
    assert episode["excerpt"] == "It says: e-a HAS_PLAN =basic."
    assert episode["known_at"] == "2024-03-02"


def test_the_table_tells_scores_and_errors(folder):
    lines = run(folder).splitlines()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert ["pairs of records", "50", "100", "66.66", "1", "1", "0"] in cells
    assert ["namesake", "2", "0", "2", "0", "0"] in cells
    assert ["HAS_PLAN", "100", "0", "0", "0", "96.87"] in cells  # 31 days of 32
    assert ["title", "100", "100", "100", "25"] in cells
    assert "wrong merge, 2: Jane Doe  (acme, namesake)" in lines
    assert "  truth: basic  valid since 2024-03-01  known since 2024-03-02" in lines
    assert "  published: basic  valid since 2024-03-02  known since 2024-03-02" in lines


def test_worst_limits_the_errors_of_each_sort(folder):
    assert json.loads(run(folder, "--json", "--worst", "0"))["worst"] == []
    one = json.loads(run(folder, "--json", "--worst", "1"))["worst"]
    assert [each["sort"] for each in one] == ["wrong_merge", "facts", "answer"]


def test_other_snapshots_can_be_named(folder, tmp_path):
    other = tmp_path / "other"
    desk.write_snapshot(other, entities=desk.entities(), facts=desk.facts())
    assert json.loads(run(folder, "--json", "--snapshots", other))["worst"] == []


def test_the_help_has_an_example():
    assert "regesta evaluate simulated /tmp/desk" in run("--help")


def failed(capsys, monkeypatch, *words):
    monkeypatch.setattr("sys.argv", ["regesta", "evaluate", "simulated", *map(str, words)])
    with pytest.raises(SystemExit) as exit_:
        main()
    return exit_.value.code, " ".join(capsys.readouterr().err.split())


def test_what_is_missing_is_named(tmp_path, folder, capsys, monkeypatch):
    nowhere = tmp_path / "nowhere"
    code, told = failed(capsys, monkeypatch, nowhere)
    assert code == 4
    assert f"There is no folder {nowhere}" in told
    empty = tmp_path / "empty"
    empty.mkdir()
    code, told = failed(capsys, monkeypatch, empty)
    assert code == 4
    assert f"{empty / 'truth' / 'entities.parquet'} is missing" in told
    code, told = failed(capsys, monkeypatch, folder, "--snapshots", empty)
    assert code == 6
    assert f"No snapshot was published in {empty}" in told


def test_without_a_configuration_no_warehouse_is_guessed(folder, capsys, monkeypatch):
    (folder / "conf" / "base.yaml").unlink()
    code, told = failed(capsys, monkeypatch, folder)
    assert code == 2
    assert f"{folder / 'conf' / 'base.yaml'} is missing" in told


def test_a_damaged_table_of_the_truth_is_named(folder, capsys, monkeypatch):
    (folder / "truth" / "facts.parquet" / "part.parquet").write_bytes(b"no parquet")
    code, told = failed(capsys, monkeypatch, folder)
    assert code == 4
    assert "facts.parquet can't be read" in told
