"""Filters over the chain of people in `world` and over the tiny warehouse, worked out by hand."""

from __future__ import annotations

import pytest

import regesta.query
from publish import tiny, writing
from query import world
from query.world import ids
from regesta.query import Filters, QueryError, Recipe, ScopeRecipe

ALL = "ann bob cy dan eve knows likes x friends writes repeats"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return world.opened(tmp_path_factory.mktemp("world")).group("g")


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    writing.write_snapshot(root, tiny.tables())
    return regesta.query.open(root).group("acme")


def found(graph, scope, words=ALL, **filters):
    hits = graph.search(words, scope=scope, limit=50, filters=Filters(**filters))
    return sorted(ids(hits))


@pytest.mark.parametrize(
    ("filters", "facts", "entities", "communities", "episodes"),
    [
        ({}, 5, 5, 2, 5),
        ({"labels": ["robot"]}, ["f-cy"], ["e-dan"], ["chain"], ["m4"]),
        (
            {"relations": ["likes"]},
            ["l-ann", "l-eve"],
            ["e-ann", "e-eve"],
            ["chain", "lone"],
            ["m1", "m5"],
        ),
        ({"episodes": ["m3"]}, ["f-bob"], ["e-bob", "e-cy"], ["chain"], ["m3"]),
        ({"sources": ["mail"]}, 5, 5, 2, 5),
        (
            {"labels": ["Person"], "relations": ["KNOWS"], "episodes": ["m4", "m2"]},
            ["f-bob", "f-cy"],
            ["e-bob", "e-cy"],
            ["chain"],
            ["m2", "m4"],
        ),
        ({"dates": "valid_at >= 2022-01-05"}, ["l-eve"], ["e-eve"], ["lone"], ["m5"]),
        (
            {"dates": "valid_at < 2022-01-02 or valid_at > 2022-01-04 and valid_at < 2022-01-06"},
            ["f-ann", "l-ann", "l-eve"],
            ["e-ann", "e-bob", "e-eve"],
            ["chain", "lone"],
            ["m1", "m5"],
        ),
        ({"disputed": "only"}, [], [], [], []),
    ],
)
def test_each_scope(graph, filters, facts, entities, communities, episodes):
    wanted = {"facts": facts, "entities": entities, "communities": communities}
    for scope, each in (*wanted.items(), ("episodes", episodes)):
        hits = found(graph, scope, **filters)
        assert (len(hits) if isinstance(each, int) else hits) == each, scope


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, ["f-bob", "f-met", "f-priority"]),
        ({"disputed": "include"}, ["f-bob", "f-met", "f-priority", "f-stone"]),
        ({"disputed": "only"}, ["f-stone"]),
        ({"all_times": True}, ["f-bob", "f-jane", "f-met", "f-priority"]),
        # Believed until 2023: Jane's ownership, still without an end.
        ({"all_beliefs": True}, ["f-bob", "f-jane", "f-met", "f-priority"]),
        ({"all_times": True, "dates": "invalid_at <= 2022-07-01"}, ["f-jane", "f-met"]),
        ({"all_times": True, "dates": "invalid_at is empty"}, ["f-bob", "f-priority"]),
        ({"dates": "valid_at is empty"}, ["f-priority"]),
        ({"dates": "created_at = 2023-01-10"}, ["f-bob"]),
        ({"all_beliefs": True, "dates": "expired_at is not empty"}, ["f-jane"]),
        ({"dates": "expired_at is not empty"}, []),
        ({"all_times": True, "labels": ["company"]}, ["f-bob", "f-jane", "f-priority"]),
    ],
)
def test_facts_by_stamps_and_beliefs(acme, filters, wanted):
    words = "acme owned priority met"
    assert found(acme, "facts", words, **filters) == wanted


def test_what_was_learnt_later_is_not_told(acme):
    """In 2022 nobody knew that the belief in Jane's ownership would be given up."""
    then = acme.as_of(known="2022-06")
    assert found(then, "facts", "owned", all_beliefs=True, dates="expired_at > 2020") == []
    (hit,) = then.search("owned", filters=Filters(all_beliefs=True))
    assert (hit.fact.fact_id, hit.fact.expired_at, hit.fact.end_by) == ("f-jane", None, None)


def test_a_given_up_belief_cites_what_it_rested_on(acme):
    hits = acme.search("Jane owned", filters=Filters(all_beliefs=True, episodes=["m1"]))
    assert [(hit.id, hit.fact.expired_at is None) for hit in hits] == [("f-jane", False)]
    assert [cited.quote for cited in hits[0].citations] == ["Jane owns Acme since 2021."]


def test_filters_come_before_the_best(graph):
    """One hit is asked for: the best of those that pass, not of all."""
    filters = Filters(episodes=["m5"])
    hits = graph.search("ann likes knows", limit=1, filters=filters)
    assert ids(hits) == ["l-eve"]
    walk = Recipe("walk", {"facts": ScopeRecipe(("breadth_first",), candidates=1, hops=3)})
    hits = graph.search(
        "", recipe=walk, limit=1, origins=["ann"], filters=Filters(labels=["robot"])
    )
    assert ids(hits) == ["f-cy"]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"labels": ["Persons"]}, "no label 'Persons'.*'Person'"),
        ({"relations": ["KNOW"]}, "no relation 'KNOW'.*'KNOWS'"),
        ({"sources": ["mails"]}, "no source 'mails'.*'mail'"),
        ({"episodes": ["m9"]}, "no episode 'm9'"),
    ],
)
def test_names_that_are_in_no_group(graph, filters, message):
    with pytest.raises(QueryError, match=message):
        found(graph, "facts", **filters)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"labels": "Person"}, "labels is one text"),
        ({"disputed": True}, "exclude, include or only"),
        ({"dates": "valid_at"}, "is no condition"),
        ({"dates": "valid_at > yesterday"}, "'yesterday' is no date"),
        ({"dates": "seen_at > 2022"}, "no stamp 'seen_at'; there are valid_at"),
        ({"dates": "valid_at > 2022 and"}, "no date|no condition"),
    ],
)
def test_mistaken_filters(filters, message):
    with pytest.raises(QueryError, match=message):
        Filters(**filters)
