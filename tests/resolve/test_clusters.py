"""The joins: hand-worked cases, and what must hold of any profiles."""

from __future__ import annotations

import itertools

import networkx
from hypothesis import given
from hypothesis import strategies as st

from regesta.resolve.clusters import Profile, cluster


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
