"""Communities over batches: what counts as an edge, ids that stay, extension, summaries."""

from __future__ import annotations

import itertools

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.communities import step
from regesta.communities.matching import Overlap, matched


def clique(names):
    return list(itertools.combinations(names, 2))


@pytest.mark.spark
def test_refresh_extension_and_ids_that_stay(graphs, make_fact):
    first = graphs.batch(1, [*clique("abcd"), *clique("wxyz")], alone=["alone"])
    before = graphs.partition()
    assert first["isolated"] == 1
    assert len(set(before.values())) == 2
    second = graphs.batch(2, [("e", "a"), ("e", "b"), ("e", "z"), ("n1", "n2")])
    extended = graphs.partition()
    assert extended["e"] == before["a"]
    assert extended["n1"] == extended["n2"] not in set(before.values())
    assert {name: extended[name] for name in before} == before
    assert second["joined"] == 1
    graphs.batch(3, clique("abcde"), refresh=True)
    assert graphs.partition() == extended


@pytest.mark.spark
def test_only_believed_and_valid_facts_join(graphs, make_fact):
    day = 86_400_000_000
    facts = [
        make_fact("a", "b", 1),
        make_fact("c", "d", 1, invalid_at=2 * day),
        make_fact("e", "f", 1, invalid_at=2 * day, kind="event"),
        make_fact("g", "h", 1, expired_at=2 * day),
        make_fact("i", "j", 1, flags=["disputed"]),
        make_fact("k", "l", 1, valid_at=9 * day),
        make_fact("m", "n", 1, valid_at=None, seen_from=day),
        make_fact("o", None, 1, value="high", relation="HAS_PRIORITY"),
    ]
    graphs.batch(3, facts=facts)
    assert set(graphs.partition()) == set("abefmn")


@pytest.mark.spark
def test_summaries_are_taken_from_the_facts_and_renewed_when_they_change(graphs, make_fact):
    literal = make_fact("a", None, 1, value="gold", relation="HAS_TIER", text="a has tier gold")
    star = [("a", "b"), ("a", "c"), ("b", "c"), ("a", "d")]
    graphs.batch(1, star + clique("wxyz"), facts=[literal])
    told = {row["community_id"]: row for row in graphs.rows("communities")}
    mine = told[graphs.partition()["a"]]
    assert mine["name"] == "a, b, c"
    assert mine["size"] == 4
    assert mine["key_terms"] == ["knows", "gold", "has tier"]
    assert mine["summary"].split("; ")[:2] == ["a KNOWS b", "a KNOWS c"]
    counts = graphs.batch(2, facts=[make_fact("a", "d", 2, relation="CALLED", kind="event")])
    assert (counts["communities_closed"], counts["communities_opened"]) == (1, 1)
    again = {row["community_id"]: row for row in graphs.rows("communities")}
    assert again[mine["community_id"]]["key_terms"] == ["knows", "called", "gold", "has tier"]
    other = graphs.partition()["w"]
    assert again[other] == told[other]
    assert not any(v for k, v in graphs.batch(3).items() if k.endswith(("opened", "closed")))


@pytest.mark.long
@pytest.mark.spark
def test_a_partition_that_collapses_replaces_nothing_unless_asked(graphs, monkeypatch):
    monkeypatch.setattr(step, "LARGE_GROUP", 8)
    graphs.batch(1, [*clique("abcd"), *clique("wxyz")])
    before = graphs.partition()
    # Everybody comes to know everybody on the other side: one community is left.
    graphs.batch(2, itertools.product("abcd", "wxyz"))
    counts = graphs.batch(3, [("new", "a")], refresh=True)
    assert counts["collapsed_groups"] == 1
    assert graphs.partition() == {**before, "new": before["a"]}
    graphs.batch(4, refresh=True, asked=True)
    assert len(set(graphs.partition().values())) == 1


@pytest.mark.long
@pytest.mark.spark
def test_events_join_for_a_year(graphs, make_fact):
    call = make_fact("a", "b", 10, kind="event", relation="CALLED")
    graphs.batch(20, [("x", "y")], facts=[call])
    assert set(graphs.partition()) == set("abxy")
    graphs.batch(10 + 365 - 1)
    assert set(graphs.partition()) == set("abxy")
    assert graphs.batch(10 + 365)["left"] == 2
    assert set(graphs.partition()) == set("xy")


@pytest.mark.spark
def test_whose_facts_ended_moves_to_its_neighbours_or_leaves(graphs, make_fact):
    mine = [make_fact("m", other, 1) for other in "ab"]
    theirs = [make_fact("p", other, 1) for other in "wx"]
    graphs.batch(1, [*clique("abcd"), *clique("wxyz"), ("m", "z")], facts=[*mine, *theirs])
    before = graphs.partition()
    assert (before["m"], before["p"]) == (before["a"], before["w"])
    ended = [fact["row_id"] for fact in (*mine, *theirs)]
    counts = graphs.batch(2, ended=ended)
    assert (counts["moved"], counts["left"]) == (1, 1)
    after = graphs.partition()
    assert after == {**{k: v for k, v in before.items() if k != "p"}, "m": before["z"]}


@pytest.mark.spark
def test_drift_and_modularity_are_those_of_networkx(graphs):
    barbell = [*clique("abcde"), *clique("vwxyz"), ("e", "v")]
    counts = graphs.batch(1, barbell)
    graph = networkx.Graph(barbell)
    parts = [set("abcde"), set("vwxyz")]
    expected = networkx.community.modularity(graph, parts)
    assert counts["modularity_per_mille"] == round(1000 * expected)
    assert counts["drift_per_mille"] == 0
    # Four more friends on the other side: e is where its plurality is not.
    more = [("e", other) for other in "wxyz"]
    counts = graphs.batch(2, more)
    graph.add_edges_from(more)
    assert graphs.partition()["e"] == graphs.partition()["a"]
    assert counts["drift_per_mille"] == 100
    expected = networkx.community.modularity(graph, parts)
    assert counts["modularity_per_mille"] == round(1000 * expected)


@pytest.mark.spark
def test_communities_of_a_past_day_stand_beside_the_present_ones(graphs, make_fact):
    day = 86_400_000_000
    # Until day 5 m was with a to d, later with w to z.
    once = [make_fact("m", other, 1, invalid_at=5 * day) for other in "abcd"]
    now = [make_fact("m", other, 6) for other in "wxyz"]
    graphs.batch(
        9,
        facts=[
            *(make_fact(*pair, 1) for pair in clique("abcd")),
            *once,
            *now,
            *(make_fact(*pair, 1) for pair in clique("wxyz")),
        ],
    )
    present, told = graphs.partition(), graphs.rows("communities")
    assert present["m"] == present["w"]
    counts = graphs.batch(10, past=3)
    assert counts["members_on_day"] == 9
    past = graphs.partition(past=3)
    # The communities of that day are those of today that they resemble.
    assert past == {**present, "m": present["a"]}
    by_id = {row["community_id"]: row for row in graphs.rows("communities", past=3)}
    assert by_id[present["a"]]["size"] == 5
    assert graphs.partition() == present
    assert graphs.rows("communities") == told
    # Found again, nothing is written; what is learned of that day later replaces what stood.
    again = graphs.batch(11, past=3)
    assert not any(v for k, v in again.items() if k.endswith(("opened", "closed")))
    graphs.batch(12, facts=[make_fact("late", other, 2) for other in "wx"], past=3)
    assert graphs.partition(past=3) == {**past, "late": past["w"]}


overlaps = st.lists(
    st.builds(Overlap, st.sampled_from("abcd"), st.sampled_from("WXYZ"), st.integers(1, 5)),
    unique_by=lambda one: one[:2],
)


@given(overlaps, st.randoms())
def test_matching_is_one_to_one_and_greedy_whatever_the_order(pairs, chance):
    kept = matched(pairs)
    assert len(set(kept.values())) == len(kept)
    assert matched(chance.sample(pairs, len(pairs))) == kept
    for label, community_id, members in pairs:
        if kept.get(label) != community_id:
            rivals = [
                one.members
                for one in pairs
                if kept.get(one.label) == one.community_id
                and (one.label == label or one.community_id == community_id)
            ]
            assert max(rivals) >= members
