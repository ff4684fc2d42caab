"""`regesta communities` over a snapshot made by hand."""

from __future__ import annotations

import json
from itertools import pairwise

import networkx
import pytest
from typer.testing import CliRunner

from query import world
from query.test_communities import town
from regesta.cli.drawing import sparkline
from regesta.cli.main import app
from regesta.errors import RegestaError


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    root = tmp_path_factory.mktemp("town")
    world.opened(root, town())
    return str(root)


def run(snapshots, *words):
    result = CliRunner().invoke(app, ["communities", *words, "--snapshots", snapshots])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_the_highest_and_largest_first(snapshots):
    found = json.loads(run(snapshots, "list", "--json"))
    assert [each["community_id"] for each in found] == ["town", "two", "lone"]
    assert "▄▆█" in run(snapshots, "list")  # two grew from 2 to 3 to 4


def test_one_with_what_is_above_and_below(snapshots):
    told = json.loads(run(snapshots, "show", "town", "--json"))
    assert told["parts"] == ["two"]
    assert told["members"] == ["ann", "bob", "cy", "dan"]
    assert "above: town (town)" in run(snapshots, "show", "two")


def test_a_life_in_words(snapshots):
    told = run(snapshots, "history", "one")
    assert "born, +2" in told
    assert "-1 to two, gone" in told


@pytest.mark.parametrize(
    ("suffix", "read"), [("gexf", networkx.read_gexf), ("graphml", networkx.read_graphml)]
)
def test_an_export_that_another_program_reads(snapshots, tmp_path, suffix, read):
    file = tmp_path / f"town.{suffix}"
    run(snapshots, "export", str(file))
    graph = read(file)
    assert set(networkx.get_node_attributes(graph, "label").values()) == {
        "ann",
        "bob",
        "cy",
        "dan",
        "eve",
    }
    people = pairwise(["e-ann", "e-bob", "e-cy", "e-dan"])
    assert sorted(edge[:2] for edge in graph.edges) == sorted(people)
    assert graph.nodes["e-ann"]["community_name"] == "two"


def test_another_suffix_is_a_mistake(snapshots, tmp_path):
    with pytest.raises(RegestaError, match=r"\.gexf or \.graphml"):
        run(snapshots, "export", str(tmp_path / "town.svg"))


def test_bars():
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([]) == ""
