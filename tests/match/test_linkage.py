"""Clusters of scored pairs, worked by hand, and what holds for all of them."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.match.linkage import clusters


def _members(scored, separated=()):
    return [cluster.members for cluster in clusters(scored, separated)]


def test_an_accepted_pair_is_a_cluster_and_a_rejected_one_is_two():
    assert _members([("a", "b", 3.0), ("c", "d", -3.0)]) == [("a", "b"), ("c",), ("d",)]


@pytest.mark.parametrize(("score", "together"), [(1.0, False), (1.5, True)])
def test_a_missing_link_counts_against_a_chain(score, together):
    """The mean of b-c and the absent a-c is (score - 1) / 2."""
    found = _members([("a", "b", 8.0), ("b", "c", score)])
    assert found == ([("a", "b", "c")] if together else [("a", "b"), ("c",)])


def test_a_weak_bridge_does_not_join_two_clusters():
    one = [(left, right, 6.0) for left, right in combinations("abc", 2)]
    other = [(left, right, 6.0) for left, right in combinations("xyz", 2)]
    assert _members([*one, *other, ("c", "x", 5.9)]) == [("a", "b", "c"), ("x", "y", "z")]


def test_a_record_with_little_in_it_follows_all_that_it_agrees_with():
    whole = [(left, right, 6.0) for left, right in combinations("abc", 2)]
    assert _members([*whole, *((one, "d", 0.2) for one in "abc")]) == [("a", "b", "c", "d")]


def test_one_pair_does_not_decide_alone():
    """100 counts as 8, against three absent ones and no others it wins; against -8 it does not."""
    bridge = [("a", "b", 9.0), ("x", "y", 9.0), ("b", "x", 100.0)]
    assert _members(bridge) == [("a", "b", "x", "y")]
    assert _members([*bridge, ("a", "y", -100.0)]) == [("a", "b"), ("x", "y")]


@pytest.mark.parametrize(("score", "together"), [(0.3, False), (0.4, True)])
def test_two_clusters_of_two_need_odds_of_the_root_of_two(score, together):
    """log(2) / 2 = 0.347."""
    between = [(left, right, score) for left in "ab" for right in "xy"]
    found = _members([("a", "b", 9.0), ("x", "y", 9.0), *between])
    assert found == ([("a", "b", "x", "y")] if together else [("a", "b"), ("x", "y")])


def test_separated_profiles_stay_apart_through_a_chain():
    scored = [("a", "b", 5.0), ("b", "c", 4.0), ("a", "c", 3.0)]
    assert _members(scored) == [("a", "b", "c")]
    assert _members(scored, [("c", "a")]) == [("a", "b"), ("c",)]


def test_clusters_tell_how_dense_they_are_and_what_is_weakest():
    (cluster,) = clusters([("a", "b", 6.0), ("b", "c", 3.0), ("a", "c", -1.0), ("c", "d", -9.0)])[
        :1
    ]
    assert cluster.members == ("a", "b", "c")
    assert cluster.links == 2
    assert cluster.density == pytest.approx(2 / 3)
    assert cluster.weakest == pytest.approx(1.0)  # c with a and b: (3 - 1) / 2
    alone = clusters([("c", "d", -9.0)])[0]
    assert (alone.density, alone.weakest) == (None, None)


@st.composite
def _graphs(draw):
    pairs = list(combinations("abcdefg", 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    scores = st.sampled_from([-9.0, -2.0, -0.5, 0.0, 0.3, 1.0, 1.7, 4.0, 9.0])
    scored = [(left, right, draw(scores)) for left, right in chosen]
    return scored, draw(st.lists(st.sampled_from(pairs), max_size=3))


@given(_graphs(), st.randoms(use_true_random=False))
def test_clusters_do_not_depend_on_any_order(graph, random):
    scored, separated = graph
    expected = clusters(scored, separated)
    turned = [(right, left, score) for left, right, score in scored]
    random.shuffle(turned)
    apart = [(right, left) for left, right in separated]
    random.shuffle(apart)
    assert clusters(turned, apart) == expected


@given(_graphs())
def test_clusters_part_the_profiles_and_keep_separated_ones_apart(graph):
    scored, separated = graph
    found = clusters(scored, separated)
    members = [member for cluster in found for member in cluster.members]
    assert sorted(members) == sorted({one for left, right, _ in scored for one in (left, right)})
    for cluster in found:
        assert not any(
            {left, right} <= set(cluster.members) for left, right in separated if left != right
        )


@given(_graphs())
def test_links_are_the_accepted_pairs_within(graph):
    scored, separated = graph
    for cluster in clusters(scored, separated):
        within = set(product(cluster.members, repeat=2))
        assert cluster.links == sum(
            score > 0 and (left, right) in within for left, right, score in scored
        )


def test_parts_that_are_known_to_be_one_are_weighed_as_one():
    """a-x speaks for x by 3, b-x against it by 8: the mean is -2.5; of two for it, it is 2.5."""
    mixed, both = [("a", "x", 3.0), ("b", "x", -8.0)], [("a", "x", 3.0), ("b", "x", 2.0)]
    assert [one.members for one in clusters(mixed, together=["ab"])] == [("a", "b"), ("x",)]
    assert [one.members for one in clusters(both, together=["ab"])] == [("a", "b", "x")]
    alone = clusters(both, together=["ab", "qr"])
    assert [one.members for one in alone] == [("a", "b", "x"), ("q", "r")]


def test_a_refused_join_is_not_asked_for_again():
    asked = []

    def refuse(one, other):
        asked.append((one, other))
        return {one, other} != {"a", "x"}

    scored = [("a", "b", 3.0), ("a", "x", 8.0), ("b", "x", 8.0)]
    assert [one.members for one in clusters(scored, join=refuse)] == [("a",), ("b", "x")]
    assert asked.count(("a", "x")) == 1


@given(_graphs(), st.lists(st.sampled_from("abcdef"), unique=True, max_size=3), st.randoms())
def test_known_parts_stay_together_whatever_the_order(graph, part, chance):
    scored, _ = graph
    found = clusters(scored, together=[part] if part else [])
    again = clusters(chance.sample(scored, len(scored)), together=[part[::-1]] if part else [])
    assert found == again
    assert not part or any(set(part) <= set(one.members) for one in found)
