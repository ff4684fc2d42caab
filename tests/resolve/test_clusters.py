"""The joins: hand-worked cases, and what must hold of any profiles."""

from __future__ import annotations

import itertools

import networkx
from hypothesis import given
from hypothesis import strategies as st

from regesta.resolve.clusters import Word, cluster
from regesta.resolve.forest import Profile


def profile(name, founded_at=0, keys="", label="", ended_at=None, **exclusive):
    values = {kind: frozenset(text) for kind, text in exclusive.items()}
    return Profile(name, founded_at, label, tuple(sorted(keys)), values, ended_at)


def test_stronger_keys_join_first():
    """`b` shares its best key with `c`, a weaker one with `a`; `a` and `c` are separated."""
    found = cluster(
        [
            profile("a", 1, keys="z", vat="1"),
            profile("b", 2, keys="kz"),
            profile("c", 3, keys="k", vat="2"),
        ]
    )
    assert found == {"a": "a", "b": "b", "c": "b"}


def test_a_label_joins_none_and_itself_only():
    found = cluster(
        [
            profile("a", 1, keys="k", label="Person"),
            profile("b", 2, keys="k"),
            profile("c", 3, keys="k", label="Account"),
            profile("d", 4, keys="k", label="Account"),
        ]
    )
    assert found == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_labels_that_overlap_are_borne_by_one_entity_disjoint_ones_by_two():
    people = [
        profile("a", 1, keys="k", label="Contact"),
        profile("b", 2, keys="k", label="User"),
        profile("c", 3, keys="k", label="Agent"),
    ]
    some = frozenset({frozenset({"User", "Contact"}), frozenset({"User", "Agent"})})
    assert cluster(people, some) == {"a": "a", "b": "a", "c": "c"}
    every = some | {frozenset({"Contact", "Agent"})}
    assert cluster(people, every) == {"a": "a", "b": "a", "c": "a"}
    assert cluster(people) == {"a": "a", "b": "b", "c": "c"}


def test_values_that_overlap_do_not_separate():
    found = cluster([profile("a", 1, keys="k", vat="12"), profile("b", 2, keys="k", vat="23")])
    assert found == {"a": "a", "b": "a"}


def test_what_was_replaced_goes_with_what_replaced_it():
    """`a` shared a key with `b` and one with `c`, which began when `a` ended."""
    found = cluster(
        [
            profile("a", 1, keys="jk", ended_at=3),
            profile("b", 2, keys="j"),
            profile("c", 3, keys="k"),
        ]
    )
    assert found == {"a": "a", "b": "b", "c": "a"}


def test_a_chain_of_replaced_profiles_keeps_its_founder():
    found = cluster(
        [
            profile("a", 1, keys="j", ended_at=2),
            profile("b", 2, keys="jk", ended_at=3),
            profile("c", 3, keys="k"),
        ]
    )
    assert found == {"a": "a", "b": "a", "c": "a"}


def test_scores_join_what_shares_no_key_and_keys_are_weighed_as_one():
    """c is nearer to a than b is, but a and b share a key: both count for c, and -8 outweighs 3."""
    people = [profile("a", 1, keys="k"), profile("b", 2, keys="k"), profile("c", 3)]
    assert cluster(people, scored=[("a", "c", 3.0), ("b", "c", 1.0)]) == dict.fromkeys("abc", "a")
    apart = cluster(people, scored=[("a", "c", 3.0), ("b", "c", -8.0)])
    assert apart == {"a": "a", "b": "a", "c": "c"}


def test_scores_join_nothing_that_is_separated():
    people = [profile("a", 1, vat="1"), profile("b", 2), profile("c", 3, vat="2")]
    scored = [("a", "b", 5.0), ("b", "c", 4.0), ("a", "c", 6.0)]
    assert cluster(people, scored=scored) == {"a": "a", "b": "a", "c": "c"}


def test_scores_of_what_ended_or_is_not_given_join_nothing():
    people = [profile("a", 1, ended_at=4), profile("b", 2), profile("c", 3)]
    scored = [("a", "b", 5.0), ("a", "c", 5.0), ("b", "z", 5.0), ("c", "z", 5.0)]
    assert len(set(cluster(people, scored=scored).values())) == 3


def test_a_word_joins_what_is_separated_and_what_goes_with_either_half():
    people = [
        profile("a", 1, label="Person", vat="1"),
        profile("b", 2, label="Account", vat="2"),
        profile("c", 3, keys="k", label="Person", vat="1"),
        profile("d", 4, keys="k", label="Account", vat="2"),
        profile("e", 5, keys="k", label="Account", vat="3"),
    ]
    found = cluster(people, words=[Word("a", "b", True)])
    assert found == {"a": "a", "b": "a", "c": "c", "d": "d", "e": "e"}
    # By a key of its own, each goes with the half that it agrees with; a third value stays apart.
    keyed = [*people, profile("f", 0, keys="k", label="Person"), profile("g", 9, keys="k")]
    both = cluster(keyed, words=[Word("a", "b", True), Word("a", "f", True)])
    assert both == {**dict.fromkeys("abcdfg", "f"), "e": "e"}


def test_a_word_parts_what_a_key_or_a_score_joins_and_beats_another_through_a_third():
    people = [profile("a", 1, keys="k"), profile("b", 2, keys="k"), profile("c", 3, keys="k")]
    assert cluster(people, words=[Word("a", "b", False)]) == {"a": "a", "b": "b", "c": "a"}
    chain = [Word("a", "b", False), Word("a", "c", True), Word("b", "c", True)]
    assert cluster(people, words=chain) == {"a": "a", "b": "b", "c": "a"}
    assert cluster(people, words=chain[:1] + chain[:0:-1]) == {"a": "a", "b": "b", "c": "b"}
    alone = [profile("a", 1), profile("b", 2)]
    assert cluster(alone, scored=[("a", "b", 9.0)], words=chain) == {"a": "a", "b": "b"}


def test_a_word_on_what_was_replaced_counts_for_what_replaced_it():
    """`a` and then `b` were replaced by versions of their records, `x` and `y`."""
    people = [
        profile("a", 1, keys="j", ended_at=5),
        profile("b", 2, keys="k", ended_at=6),
        profile("x", 5, keys="j"),
        profile("y", 6, keys="k"),
    ]
    assert cluster(people) == {"a": "a", "x": "a", "b": "b", "y": "b"}
    assert cluster(people, words=[Word("a", "b", True)]) == dict.fromkeys("abxy", "a")
    parted = [*people, profile("z", 7, keys="jk")]
    found = cluster(parted, words=[Word("a", "b", False)])
    assert found["x"] != found["y"]


def test_many_profiles_of_one_name_with_numbers_of_their_own_take_no_time():
    found = cluster(profile(f"{n:05}", n, keys="k", number=[str(n)]) for n in range(5000))
    assert len(set(found.values())) == 5000


LABELS = ("Person", "Account", "Agent")
profiles = st.lists(
    st.builds(
        profile,
        name=st.text("abcdefghij", min_size=2, max_size=3),
        founded_at=st.integers(0, 5),
        keys=st.sets(st.sampled_from("pqrst"), max_size=3).map("".join),
        label=st.sampled_from(["", *LABELS]),
        ended_at=st.none() | st.none() | st.integers(3, 6),
        vat=st.sampled_from(["1", "2", "12"]),
    )
    | st.builds(
        profile,
        name=st.text("abcdefghij", min_size=2, max_size=3),
        founded_at=st.integers(0, 5),
        keys=st.sets(st.sampled_from("pqrst"), max_size=3).map("".join),
    ),
    max_size=9,
    unique_by=lambda one: one.profile_id,
)


def separated(one, other, overlapping=frozenset()):
    labels = {one.label, other.label} - {""}
    labels = set() if labels in overlapping else labels
    kinds = one.exclusive.keys() & other.exclusive.keys()
    return len(labels) > 1 or any(one.exclusive[k].isdisjoint(other.exclusive[k]) for k in kinds)


@given(profiles, st.randoms())
def test_order_changes_nothing_and_founders_are_the_oldest(given_profiles, chance):
    found = cluster(given_profiles)
    assert cluster(chance.sample(given_profiles, len(given_profiles))) == found
    for founder in set(found.values()):
        held = [one for one in given_profiles if found[one.profile_id] == founder]
        assert min(held, key=lambda one: one.age).profile_id == founder


@given(profiles, st.frozensets(st.frozensets(st.sampled_from(LABELS), min_size=2, max_size=2)))
def test_no_cluster_holds_a_separated_pair_and_none_could_still_be_joined(
    given_profiles, overlapping
):
    found = cluster(given_profiles, overlapping)
    counting = [one for one in given_profiles if one.ended_at is None]
    for one, other in itertools.combinations(given_profiles, 2):
        if found[one.profile_id] == found[other.profile_id]:
            assert not separated(one, other, overlapping)
    for one, other in itertools.combinations(counting, 2):
        if set(one.keys) & set(other.keys) and found[one.profile_id] != found[other.profile_id]:
            mine, theirs = (
                [c for c in counting if found[c.profile_id] == found[of.profile_id]]
                for of in (one, other)
            )
            assert any(separated(m, t, overlapping) for m in mine for t in theirs)


@given(profiles)
def test_what_ended_bridges_nothing(given_profiles):
    found = cluster(given_profiles)
    counting = [one for one in given_profiles if one.ended_at is None]
    alone = cluster(counting)
    for one, other in itertools.combinations(counting, 2):
        together = found[one.profile_id] == found[other.profile_id]
        assert together == (alone[one.profile_id] == alone[other.profile_id])


@given(profiles)
def test_without_separation_clusters_are_connected_components(given_profiles):
    plain = [profile(one.profile_id, one.founded_at, one.keys) for one in given_profiles]
    graph = networkx.Graph()
    graph.add_nodes_from(one.profile_id for one in plain)
    graph.add_edges_from((one.profile_id, (key,)) for one in plain for key in one.keys)
    found = cluster(plain)
    for component in networkx.connected_components(graph):
        names = [node for node in component if isinstance(node, str)]
        assert len({found[name] for name in names}) <= 1
    assert len(set(found.values())) == sum(
        any(isinstance(node, str) for node in component)
        for component in networkx.connected_components(graph)
    )
