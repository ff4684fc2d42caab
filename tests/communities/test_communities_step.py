"""Communities over batches: what counts as an edge, ids that stay, extension, summaries."""

from __future__ import annotations

import itertools

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
    graphs.batch(4, refresh=True, collapse_is_welcome=True)
    assert len(set(graphs.partition().values())) == 1


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
