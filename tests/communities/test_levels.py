"""Communities of communities: four districts of six cliques, too many to overlook."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import pytest

pytestmark = pytest.mark.spark
DISTRICTS, CLIQUES, SIZE = 4, 6, 4


def name(district, block, member):
    return f"d{district}c{block}m{member}"


def town(make_fact):
    """Joined by facts: all of a clique by five, cliques of a district by two, districts by one."""
    joined = []
    for district in range(DISTRICTS):
        for block in range(CLIQUES):
            people = [name(district, block, member) for member in range(SIZE)]
            joined += [(*pair, 5) for pair in itertools.combinations(people, 2)]
        for one, other in itertools.combinations(range(CLIQUES), 2):
            ends = (name(district, one, other % SIZE), name(district, other, one % SIZE))
            joined.append((*ends, 2))
    for one, other in itertools.combinations(range(DISTRICTS), 2):
        joined.append((name(one, 0, other), name(other, 0, one), 1))
    return [
        make_fact(one, other, 1, relation=f"KNOWS_{number}")
        for one, other, weight in joined
        for number in range(weight)
    ]


def plans(make_fact):
    """Plan and tier of all members of four of the six cliques of the first district."""
    return [
        make_fact(name(0, block, number % SIZE), None, 1, relation=f"HAS_{plan}", value="gold")
        for block in range(4)
        for plan in ("PLAN", "TIER")
        for number in range(SIZE)
    ]


def by_id(graphs):
    return {row["community_id"]: row for row in graphs.rows("communities")}


def district_of(graphs):
    """The set of districts in which the members of each upper community live."""
    communities, found = by_id(graphs), defaultdict(set)
    for entity, community in graphs.partition().items():
        found[communities[community]["parent"]].add(entity[:2])
    return found


def test_districts_stand_above_cliques(graphs, make_fact):
    graphs.batch(1, facts=[*town(make_fact), *plans(make_fact)])
    communities = by_id(graphs)
    assert Counter(row["level"] for row in communities.values()) == {0: 24, 1: 4}
    parents = district_of(graphs)
    assert sorted(map(sorted, parents.values())) == [["d0"], ["d1"], ["d2"], ["d3"]]
    assert all(communities[each]["size"] == CLIQUES * SIZE for each in parents)
    assert all(communities[each]["parent"] is None for each in parents)
    # Gold is among the five terms of four cliques (16 members), KNOWS_4 among those of two (8).
    [first] = [communities[each] for each, districts in parents.items() if districts == {"d0"}]
    assert first["key_terms"] == ["knows 0", "knows 1", "knows 2", "knows 3", "gold"]
    assert all(text.count("d0") == text.count("d") for text in first["summary"].split("; "))


@pytest.mark.long
def test_communities_of_a_past_day_are_called_as_today_on_both_levels(graphs, make_fact):
    graphs.batch(1, facts=town(make_fact))
    present = {row["community_id"]: row["level"] for row in graphs.rows("communities")}
    graphs.batch(3, past=2)
    past = {row["community_id"]: row["level"] for row in graphs.rows("communities", past=2)}
    assert past == present


@pytest.mark.long
def test_districts_and_cliques_keep_their_ids(graphs, make_fact):
    graphs.batch(1, facts=town(make_fact))
    communities = by_id(graphs)
    # Refreshed over the same facts, nothing is written.
    again = graphs.batch(2, refresh=True)
    assert not any(count for key, count in again.items() if key.endswith(("opened", "closed")))
    # Who joins a clique joins its district: both are told anew, and nothing else is.
    graphs.batch(3, [("new", name(2, 3, 0)), ("new", name(2, 3, 1))])
    told = by_id(graphs)
    mine = graphs.partition()["new"]
    assert told[mine]["size"] == SIZE + 1
    assert told[told[mine]["parent"]]["size"] == CLIQUES * SIZE + 1
    changed = {each for each in told if told[each] != communities[each]}
    assert changed == {mine, told[mine]["parent"]}
    # A refresh keeps the ids of both levels.
    graphs.batch(4, refresh=True)
    assert by_id(graphs) == told


def test_a_group_that_can_be_overlooked_has_one_level(graphs):
    cliques = [
        (f"{n}{a}", f"{n}{b}") for n in range(20) for a, b in itertools.combinations("wxyz", 2)
    ]
    graphs.batch(1, [*cliques, *((f"{n}w", f"{n + 1}x") for n in range(19))])
    assert Counter(row["level"] for row in graphs.rows("communities")) == {0: 20}
