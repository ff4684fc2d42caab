"""Each reranker over the chain of people in `world`, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import tiny
from query import world
from query.world import ids
from regesta.query import QueryError
from regesta.query.diversity import maximal_marginal_relevance, word_vectors


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return world.opened(tmp_path_factory.mktemp("world")).group("g")


def test_episode_mentions(graph):
    """bob's fact stands in two mails, the others in one: in their order by keywords."""
    hits = graph.search("ann knows", recipe="fact_hybrid_episode_mentions")
    assert ids(hits) == ["f-bob", "f-ann", "l-ann", "f-cy"]
    assert [hit.score for hit in hits] == [2, 1, 1, 1]


def test_episode_mentions_of_entities_communities_and_episodes(graph):
    words = "ann bob cy dan eve x friends writes"
    entities = graph.search(words, recipe="entity_hybrid_episode_mentions")
    # bob: m1, m2, m3; cy: m2, m3, m4.
    assert {hit.id: hit.score for hit in entities} == {
        "e-bob": 3,
        "e-cy": 3,
        "e-ann": 1,
        "e-dan": 1,
        "e-eve": 1,
    }
    communities = graph.search(words, recipe="community_hybrid_episode_mentions")
    assert [(hit.id, hit.score) for hit in communities] == [("chain", 4), ("lone", 1)]
    episodes = graph.search(words, recipe="episode_hybrid_episode_mentions")
    assert (episodes[0].id, episodes[0].score) == ("m1", 2)  # two facts cite it


def test_node_distance_knows_more_than_one_hop(graph):
    hits = graph.search("ann bob cy dan eve", recipe="entity_hybrid_node_distance", center="dan")
    assert ids(hits) == ["e-dan", "e-cy", "e-bob", "e-ann", "e-eve"]
    assert [hit.score for hit in hits] == [1, 0.5, round(1 / 3, 6), 0.25, 0]
    facts = graph.search("likes knows", recipe="fact_hybrid_node_distance", center="e-ann")
    assert [(hit.id, hit.score) for hit in facts][-2:] == [("f-cy", 0.25), ("l-eve", 0)]
    # What ann knows and what she likes lie one hop beyond her; the order between is by keywords.
    assert {hit.id for hit in facts[:2]} == {"f-ann", "l-ann"}


def test_node_distance_needs_a_centre(graph):
    with pytest.raises(QueryError, match="center="):
        graph.search("ann", recipe="fact_hybrid_node_distance")


def test_distance_goes_over_facts_of_the_as_of_alone(graph):
    early = graph.as_of(valid="2022-01-03")  # cy knows dan from the fourth on
    hits = early.search("cy dan", recipe="entity_hybrid_node_distance", center="ann")
    assert [(hit.id, hit.score) for hit in hits] == [("e-cy", round(1 / 3, 6)), ("e-dan", 0)]


def test_maximal_marginal_relevance_by_hand(tmp_path):
    """The copy of the best hit comes last: it tells nothing that was not told.

    Question "red fox": cosine to "red fox" and its copy 1, to "red hen" and "fox den" 1/2. After
    the first the copy is worth .5 - .5 = 0, the others .25 - .25 = 0: the earlier (copy) is taken
    at diversity .5, but above .5 the others are.
    """
    texts = {"f1": "red fox", "f2": "red fox", "f3": "red hen", "f4": "fox den"}
    facts = [
        tiny.fact(each, "e-ann", "SAYS", None, text, group="g", value="x", valid_at="2022-01-01")
        for each, text in texts.items()
    ]
    cited = [tiny.evidence(each, "2022-01-01", each, "m1", group="g") for each in texts]
    tables = world.rows() | {"facts": facts, "fact_evidence": cited}
    graph = world.opened(tmp_path, tables).group("g")
    assert ids(graph.search("red fox", recipe="fact_hybrid_rrf")) == ["f1", "f2", "f3", "f4"]
    half = graph.search("red fox", recipe="fact_hybrid_mmr")
    assert ids(half) == ["f1", "f2", "f3", "f4"]
    assert [hit.score for hit in half] == [0.5, 0.0, 0.0, 0.0]
    order, scores = maximal_marginal_relevance(*split(["red fox", *texts.values()]), 0.6)
    assert order.tolist() == [0, 2, 3, 1]
    assert scores.tolist() == [0.4, -0.1, -0.1, -0.2]


def split(texts):
    vectors = word_vectors(texts)
    return vectors[0], vectors[1:]


TEXTS = st.lists(st.text("abc ", min_size=1), min_size=1, max_size=6)


@given(st.text("abc "), TEXTS, st.floats(0, 1))
def test_maximal_marginal_relevance_is_greedy(question, texts, diversity):
    """Against the definition, taken one by one."""
    one, rows = split([question, *texts])
    order, _ = maximal_marginal_relevance(one, rows, diversity)
    taken = []
    for _ in texts:
        worth = {
            row: round(
                (1 - diversity) * rows[row] @ one
                - diversity * max((rows[row] @ rows[each] for each in taken), default=0),
                6,
            )
            for row in range(len(texts))
            if row not in taken
        }
        best = order[len(taken)]
        assert worth[best] >= max(worth.values()) - 1e-5
        taken.append(best)
    assert sorted(order) == list(range(len(texts)))


def test_word_vectors():
    vectors = word_vectors(["fox fox dog", "dog", "the"])
    assert vectors[0] @ vectors[1] == pytest.approx(1 / math.sqrt(5))
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 1, 0])


def test_a_cross_encoder_of_ones_own(graph):
    asked = []

    def shortest(question, passages):
        asked.append((question, list(passages)))
        return [-len(passage) for passage in passages]

    hits = graph.search("ann knows", recipe="fact_hybrid_cross_encoder", cross_encoder=shortest)
    assert asked == [
        ("ann knows", ["ann knows bob", "ann likes fox", "bob knows cy", "cy knows dan"])
    ]
    assert ids(hits) == ["f-bob", "f-cy", "f-ann", "l-ann"]
    assert [hit.score for hit in hits] == [-12, -12, -13, -13]
    assert hits[0].ranks == {"bm25": 3}


@pytest.mark.parametrize("scores", [[1.0], [1.0, math.nan, 1.0, 1.0]])
def test_a_cross_encoder_that_scores_wrongly(graph, scores):
    with pytest.raises(QueryError, match="for 4 passages"):
        graph.search(
            "ann knows", recipe="fact_hybrid_cross_encoder", cross_encoder=lambda *_: scores
        )


def test_a_recipe_that_lacks_its_cross_encoder(graph):
    with pytest.raises(QueryError, match="cross_encoder="):
        graph.search("ann", recipe="fact_hybrid_cross_encoder")
