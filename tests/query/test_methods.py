"""Each method of a search, over the chain of people in `world`, worked out by hand."""

from __future__ import annotations

import pytest

from publish import tiny
from query import world
from query.world import ids
from regesta.query import QueryError, Recipe, ScopeRecipe


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return world.opened(tmp_path_factory.mktemp("world")).group("g")


def found(graph, words, scope, method, **more):
    settings = {name: more.pop(name) for name in ("hops",) if name in more}
    recipe = Recipe("one", {scope: ScopeRecipe((method,), **settings)})
    return graph.search(words, recipe=recipe, limit=50, **more)


def scores(hits):
    return {hit.id: hit.score for hit in hits}


def test_keywords_in_every_scope(graph):
    assert ids(graph.search("knows ann", recipe="fact_bm25")) == ["f-ann", "l-ann", "f-bob", "f-cy"]
    assert ids(graph.search("dan", recipe="entity_bm25")) == ["e-dan"]
    assert ids(graph.search("friends of dan", recipe="community_bm25")) == ["chain"]
    assert ids(graph.search("repeats", recipe="episode_bm25")) == ["m3"]


def test_breadth_first_from_an_entity(graph):
    """ann is 0 hops away, bob and her mail m1 are 1, ..., the facts lie one beyond their ends."""
    one, two, three = 1 / 2, round(1 / 3, 6), 1 / 4
    origin = {"origins": ["ann"]}
    assert scores(found(graph, "", "facts", "breadth_first", **origin)) == {
        **dict.fromkeys(("f-ann", "l-ann"), one),
        "f-bob": two,
    }
    assert scores(found(graph, "", "facts", "breadth_first", hops=3, **origin)) == {
        **dict.fromkeys(("f-ann", "l-ann"), one),
        "f-bob": two,
        "f-cy": three,
    }
    people = found(graph, "", "entities", "breadth_first", **origin)
    assert scores(people) == {"e-ann": 1, "e-bob": one, "e-cy": two}
    assert scores(found(graph, "", "episodes", "breadth_first", **origin)) == {
        "m1": one,
        **dict.fromkeys(("m2", "m3"), two),
    }
    assert scores(found(graph, "", "communities", "breadth_first", **origin)) == {"chain": one}
    nothing = found(graph, "", "facts", "breadth_first", hops=0, **origin)
    assert ids(nothing) == []


def test_breadth_first_from_a_fact_and_from_an_episode(graph):
    assert ids(found(graph, "", "entities", "breadth_first", hops=0, origins=["f-cy"])) == [
        "e-cy",
        "e-dan",
    ]
    from_mail = found(graph, "", "entities", "breadth_first", hops=1, origins=["m2"])
    assert ids(from_mail) == ["e-bob", "e-cy"]
    facts = found(graph, "", "facts", "breadth_first", origins=["m2"])
    assert scores(facts) == {"f-bob": 0.5, **dict.fromkeys(("f-ann", "f-cy"), round(1 / 3, 6))}


def test_breadth_first_from_the_best_hits(graph):
    recipe = Recipe("mix", {"entities": ScopeRecipe(("bm25", "breadth_first"), hops=1)})
    hits = graph.search("dan", recipe=recipe)
    assert {hit.id: dict(hit.ranks) for hit in hits} == {
        "e-dan": {"bm25": 1, "breadth_first": 1},
        "e-cy": {"breadth_first": 2},
    }
    assert ids(graph.search("nobody", recipe=recipe)) == []


def test_the_newest_of_the_equally_far_go_first(graph):
    recipe = Recipe("few", {"facts": ScopeRecipe(("breadth_first",), candidates=1, hops=1)})
    assert ids(graph.search("", recipe=recipe, origins=["bob"], limit=1)) == ["f-bob"]


def test_from_the_most_recent_episodes(graph):
    """The four latest by 4 January are m1 to m4; by 5 January m5 of eve takes the place of m1."""
    latest = found(graph, "", "entities", "recent_episodes", hops=1)
    assert ids(latest) == ["e-bob", "e-cy", "e-dan", "e-eve"]
    before = found(graph.as_of(valid="2022-01-04"), "", "entities", "recent_episodes", hops=1)
    assert ids(before) == ["e-ann", "e-bob", "e-cy", "e-dan"]


def test_records_are_recent_episodes_too(tmp_path):
    """The mails as records: not searched themselves, but what they tell is found from them."""
    tables = world.rows()
    records = [row | {"kind": "json"} for row in tables["episodes"]]
    graph = world.opened(tmp_path, tables | {"episodes": records}).group("g")
    facts = found(graph, "", "facts", "recent_episodes", hops=1)
    assert sorted(ids(facts)) == ["f-bob", "f-cy", "l-eve"]
    assert ids(found(graph, "", "episodes", "recent_episodes")) == []


def test_page_rank_from_the_named_entities(graph):
    people = found(graph, "what does Ann know?", "entities", "page_rank")
    assert ids(people)[0] == "e-ann"
    assert "e-eve" not in ids(people)
    assert people[0].score == 1
    facts = found(graph, "ann", "facts", "page_rank")
    assert set(ids(facts)[:2]) == {"f-ann", "l-ann"}
    assert ids(facts)[2:] == ["f-bob", "f-cy"]
    assert ids(found(graph, "ann", "episodes", "page_rank"))[0] == "m1"
    assert ids(found(graph, "ann", "communities", "page_rank")) == ["chain"]
    assert ids(found(graph, "xyz", "facts", "page_rank")) == []


def test_entities_that_the_question_names(tmp_path):
    """Acme Ltd has to be named whole; an identifier names too."""
    entities = [
        tiny.entity("e1", "Acme Ltd", group="g", created="2022-01-01"),
        tiny.entity("e2", "Acme", group="g", created="2022-01-01", aliases=["Anvils Inc"]),
        tiny.entity("e3", "Case", group="g", created="2022-01-01", identifiers=["case:INC0001234"]),
    ]
    empty = {name: [] for name in tiny.tables()}
    graph = world.opened(tmp_path, empty | {"entities": entities}).group("g")

    def named(words):
        return ids(graph.search(words, recipe="entity_page_rank"))

    assert named("who owns acme?") == ["e2"]
    assert named("who owns ACME LTD?") == ["e1", "e2"]
    assert named("the anvils of anvils inc") == ["e2"]
    assert named("is inc0001234 open?") == ["e3"]
    assert named("ltd") == ["e1"]  # named whole is none: the best by keywords stand in


def test_episodes_whose_author_the_question_names(tmp_path):
    authors = ("Ann Lee", "ann.lee@acme.com", "Bo", None, "Ann", "@")
    episodes = [
        tiny.episode(f"m{n}", "fox", group="g", author=each, at=world.DAY % (n + 1))
        for n, each in enumerate(authors)
    ]
    graph = world.opened(tmp_path, {key: [] for key in tiny.tables()} | {"episodes": episodes})
    graph = graph.group("g")

    def named(words, **more):
        return ids(graph.as_of(**more).search(words, recipe="episode_author"))

    assert named("what did Ann Lee say to Bo?") == ["m0", "m1", "m2", "m4"]
    assert named("What of Lee, Ann?", known="2022-01-02") == ["m0", "m1"]
    assert named("ann") == ["m4"]
    assert named("acme.com") == named("") == []
    mix = Recipe("mix", {"episodes": ScopeRecipe(("bm25", "author"), fusion="scores")})
    assert ids(graph.search("fox of Bo", recipe=mix))[0] == "m2"


def test_what_is_not_there(graph):
    with pytest.raises(QueryError, match=r"no entity, fact or episode 'anne'.*'ann'"):
        graph.search("x", origins=["anne"])
    with pytest.raises(QueryError, match=r"no recipe 'fact_hybrid'.*fact_hybrid_rrf"):
        graph.search("x", recipe="fact_hybrid")
    with pytest.raises(QueryError, match="a recipe or a scope"):
        graph.search("x", recipe="fact_bm25", scope="facts")
