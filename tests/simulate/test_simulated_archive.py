"""What `simulate` writes: the same bytes, the sizes asked for, files by day, declared sources."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from comparing import archive_rows, table
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from regesta.cli.main import app
from regesta.config import load
from regesta.errors import InputError
from regesta.simulate import accounts, contracts, people, tickets
from regesta.simulate.plan import Plan
from regesta.simulate.run import simulate

KINDS = {
    *accounts.KINDS,
    *contracts.CONTRACT_KINDS,
    *contracts.MANAGER_KINDS,
    *people.KINDS,
    *tickets.KINDS,
}


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated") / "desk"
    summary = simulate(Plan(seed=3, episodes=1_000, groups=1, nights=30), folder, workers=1)
    return folder, summary


def test_the_same_seed_gives_the_same_bytes_whatever_the_workers(tmp_path):
    plan = Plan(seed=5, episodes=5_100, groups=3, nights=4)
    assert len(plan.chunks()) > 1
    simulate(plan, tmp_path / "one", workers=1)
    simulate(plan, tmp_path / "two", workers=2)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")


def test_another_seed_gives_another_archive(tmp_path):
    for seed in (5, 6):
        simulate(
            Plan(seed=seed, episodes=1_000, groups=1, nights=4), tmp_path / str(seed), workers=1
        )
    assert digests(tmp_path / "5") != digests(tmp_path / "6")


@pytest.mark.parametrize(
    ("episodes", "groups", "nights"),
    [(1_000, 1, 1), (1_003, 7, 2), (1_000, 400, 30), (1_500, 1_500, 3)],
)
def test_exactly_the_episodes_groups_and_nights_asked_for(tmp_path, episodes, groups, nights):
    plan = Plan(seed=1, episodes=episodes, groups=groups, nights=nights)
    summary = simulate(plan, tmp_path, workers=1)
    found = archive_rows(tmp_path)
    assert len(found) == episodes
    per_group = Counter(row["unit"] for _, _, row in found)
    assert len(per_group) == groups
    assert max(per_group.values()) - min(per_group.values()) <= 1
    assert {day for _, day, _ in found} <= {
        datetime.fromtimestamp(1_709_510_400 + 86_400 * n, UTC).strftime("%Y-%m-%d")
        for n in range(nights)
    }
    assert summary["rows_by_source"] == dict(sorted(Counter(s for s, _, _ in found).items()))


def test_every_row_is_known_within_its_day_of_delivery(simulated):
    for _, day, row in archive_rows(simulated[0]):
        assert f"{day}T00:00:00Z" < row["delivered_at"] < f"{day}T23:59:59Z"


def test_every_source_has_rows_and_something_late(simulated):
    found = archive_rows(simulated[0])
    late = Counter(
        source
        for source, day, row in found
        if (row.get("changed_at") or row.get("extracted_at") or day)[:10] < day
    )
    assert {source for source, _, _ in found} == set(simulated[1]["rows_by_source"])
    assert len(simulated[1]["rows_by_source"]) == 8
    assert {"crm_accounts", "crm_history", "tickets"} <= set(late)


def test_at_a_thousand_episodes_every_kind_of_event_occurs(simulated):
    assert set(simulated[1]["stories_by_kind_of_event"]) == KINDS


def test_source_ids_are_never_used_twice_but_for_versions(tmp_path):
    """A source's item is known by its id whatever its group."""
    simulate(Plan(seed=2, episodes=3_000, groups=40, nights=5), tmp_path, workers=1)
    keys = {
        "assignments": "assignment_no", "contracts": "contract_no", "crm_history": "id",
        "employments": "employment_no", "messages": "message_no", "notes": "note_no",
        "tickets": "event_no",
    }  # fmt: skip
    found = archive_rows(tmp_path)
    ids = Counter(
        (source, row[keys[source]], row.get("revision"))
        for source, _, row in found
        if source in keys
    )
    assert max(ids.values()) == 1
    extracted = Counter(
        (row["account_no"], row["extracted_at"]) for s, _, row in found if s not in keys
    )
    assert max(extracted.values()) == 1


def test_the_declared_sources_load_without_a_mistake(simulated, monkeypatch):
    monkeypatch.delenv("REGESTA_WAREHOUSE", raising=False)
    folder = simulated[0]
    configuration = load(folder / "conf")
    assert configuration.settings.warehouse == str(folder / "warehouse")
    read = {source.source: Path(source.path[0]) for source in configuration.sources}
    assert read == {name: folder / "archive" / name for name in simulated[1]["rows_by_source"]}
    stated = {s.relation for source in configuration.sources for s in source.statements}
    assert stated == {row["relation"] for row in table(folder / "truth" / "facts.parquet")}
    so = {row["relation"] for row in table(folder / "truth" / "world.parquet")}
    assert set(configuration.ontology.relations) == stated | so  # messages tell more than records


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"episodes": 999}, "--episodes is 999; expected a number from 1,000 to 10,000,000."),
        ({"groups": 0}, "--groups is 0; expected a number from 1 to 100,000."),
        ({"nights": 0}, "--nights is 0"),
        ({"groups": 1_001}, "--episodes 1,000 can't fill --groups 1,001"),
    ],
)
def test_impossible_sizes_are_refused(tmp_path, sizes, told):
    asked = {"seed": 1, "episodes": 1_000, "groups": 1, "nights": 3, **sizes}
    with pytest.raises(InputError, match=told):
        simulate(Plan(**asked), tmp_path / "desk")
    assert not (tmp_path / "desk").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty; name a folder"):
        simulate(Plan(seed=1, episodes=1_000, groups=1, nights=3), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_the_command_writes_and_tells_what_it_wrote(tmp_path):
    sizes = ["--seed", "4", "--episodes", "1000", "--groups", "2", "--nights", "3"]
    answer = CliRunner().invoke(app, ["simulate", str(tmp_path / "desk"), *sizes, "--json"])
    assert answer.exit_code == 0
    told = json.loads(answer.stdout)
    assert told == json.loads((tmp_path / "desk" / "simulation.json").read_text())
    assert told["known_at"] == "2024-03-07T00:00:00Z"
    assert sum(told["rows_by_source"].values()) == 1_000
    assert "1,000 of 1,000 episodes written" in answer.stderr


@settings(max_examples=200, deadline=None)
@given(st.integers(1_000, 10_000_000), st.integers(1, 100_000), st.data())
def test_chunks_hold_every_cell_once_and_cells_every_episode(episodes, groups, data):
    plan = Plan(seed=1, episodes=max(episodes, groups), groups=groups, nights=30)
    chunks = plan.chunks()
    assert [chunks[0].first, chunks[-1].last] == [0, plan.cells]
    assert all(one.last == other.first for one, other in pairwise(chunks))
    group = data.draw(st.integers(0, groups - 1))
    number = data.draw(st.integers(0, plan.cells - 1))
    assert 0 < plan.cell(number).episodes <= 2_500
    assert 0 <= plan.group_episodes(group) - plan.episodes // groups <= 1
    if plan.cells <= 2_000:
        cells = [plan.cell(one) for one in range(plan.cells)]
        assert sum(cell.episodes for cell in cells) == plan.episodes
        assert len({cell[:2] for cell in cells}) == plan.cells
        assert sum(cell.questions for cell in cells) == min(20_000, 2 * plan.episodes)
