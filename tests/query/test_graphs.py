"""Several groups searched as one; neighbours and paths."""

from __future__ import annotations

import pytest

from publish import tiny
from query import world
from query.world import ids
from regesta.query import Filters, QueryError


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    one, other = world.rows("g"), world.rows("h")
    tables = {name: one[name] + renamed(other[name]) for name in one}
    return world.opened(tmp_path_factory.mktemp("world"), tables)


def renamed(rows):
    """Give the other group's rows ids of their own: in reality they are never shared."""
    keys = ("row_id", "episode_id", "fact_id", "entity_id", "community_id")
    ends = ("subject_id", "object_id")
    return [
        {k: f"h/{v}" if k in keys + ends and v is not None else v for k, v in row.items()}
        for row in rows
    ]


@pytest.fixture(scope="module")
def graph(snapshot):
    return snapshot.group("g")


def test_groups_are_joined_by_score_and_stay_apart(snapshot):
    both = snapshot.graphs(["g", "h"]).search("ann knows", recipe="fact_bm25")
    assert [(hit.group, hit.id) for hit in both] == [
        *(("g", "f-ann"), ("h", "h/f-ann"), ("g", "l-ann"), ("h", "h/l-ann")),
        *(("g", "f-bob"), ("g", "f-cy"), ("h", "h/f-bob"), ("h", "h/f-cy")),
    ]
    alone = {hit.id: hit.score for hit in snapshot.group("g").search("ann knows")}
    assert alone == {hit.id: hit.score for hit in both if hit.group == "g"}
    assert both[0].ranks == both[1].ranks == {"bm25": 1}


def test_all_groups_and_the_same_as_of(snapshot):
    every = snapshot.graphs().as_of(valid="2022-01-01")
    assert ids(every.search("knows")) == ["f-ann", "h/f-ann"]
    assert repr(every).startswith("Graphs([Graph('g', valid='2022-01-01'")


def test_a_centre_and_origins_in_one_of_them(snapshot):
    graphs = snapshot.graphs(["g", "h"])
    near = graphs.search("ann bob", recipe="entity_hybrid_node_distance", center="h/e-ann")
    assert [(hit.id, hit.score) for hit in near] == [
        *(("h/e-ann", 1), ("h/e-bob", 0.5), ("e-ann", 0), ("e-bob", 0)),
    ]
    walked = graphs.search("", recipe="entity_breadth_first", origins=["m5"])
    assert ids(walked) == ["e-eve"]
    cited = graphs.search("likes", filters=Filters(episodes=["h/m5"]))
    assert ids(cited) == ["h/l-eve"]


@pytest.mark.parametrize("recipe", ["fact_graph_rrf", "combined_graph_mmr"])
def test_mixes_over_groups_stay_apart(snapshot, recipe):
    hits = snapshot.graphs().search("ann knows", recipe=recipe, limit=4)
    assert {hit.group for hit in hits} == {"g", "h"}
    for hit in hits:
        assert hit.id.startswith("h/") == (hit.group == "h")


def test_mistaken_groups(snapshot):
    with pytest.raises(QueryError, match="each once"):
        snapshot.graphs(["g", "g"])
    with pytest.raises(QueryError, match="one group or more"):
        snapshot.graphs([])


def test_neighbors(graph):
    def names(*args, **more):
        return [each.name for each in graph.neighbors(*args, **more)]

    assert names("bob") == ["ann", "cy"]
    assert names("ann", hops=2) == ["bob", "cy"]
    assert names("ann", hops=9) == ["bob", "cy", "dan"]
    assert names("eve") == []
    assert [each.name for each in graph.as_of(valid="2022-01-01").neighbors("bob")] == ["ann"]
    with pytest.raises(QueryError, match="hops is 0"):
        graph.neighbors("ann", hops=0)


def test_path(graph):
    assert [fact.fact_id for fact in graph.path("dan", "e-ann")] == ["f-cy", "f-bob", "f-ann"]
    assert graph.path("ann", "ann") == []
    with pytest.raises(QueryError, match="No facts of the as-of lead from 'ann' to 'eve'"):
        graph.path("ann", "eve")
    with pytest.raises(QueryError, match="No facts"):
        graph.as_of(valid="2022-01-03").path("ann", "dan")


def test_a_path_takes_the_lower_of_two_facts(tmp_path):
    tables = world.rows()
    double = tiny.fact("f-a2", "e-bob", "TOLD", "e-ann", "bob told ann", group="g")
    tables["facts"].append(double | {"valid_at": "2022-01-01"})
    tables["fact_evidence"].append(tiny.evidence("f-a2", "2022-01-01", "s9", "m1", group="g"))
    graph = world.opened(tmp_path, tables).group("g")
    assert [fact.fact_id for fact in graph.path("ann", "cy")] == ["f-a2", "f-bob"]
