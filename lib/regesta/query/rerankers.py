"""What orders the best of a fused list afresh; equal ones keep the order in which they came."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

import numpy as np

from regesta.query.bm25 import DECIMALS
from regesta.query.diversity import maximal_marginal_relevance, word_vectors
from regesta.query.errors import QueryError
from regesta.query.group import View, laid_out
from regesta.query.network import UNREACHED, Array
from regesta.query.pool import Pool
from regesta.query.question import Question, Ranked
from regesta.query.read import passage
from regesta.query.recipes import Reranker
from regesta.query.vectors import unit_vectors
from regesta.query.walks import network, nodes, spread


def mmr(pool: Pool, fused: Ranked) -> Ranked:
    """Take each time what is likest the question and least like what was taken before."""
    question, vectors = _directions(pool, fused.rows)
    order, scores = maximal_marginal_relevance(question, vectors, pool.recipe.diversity)
    return Ranked(fused.rows[order], scores)


def episode_mentions(pool: Pool, fused: Ranked) -> Ranked:
    """Put those first that the most episodes tell of: the number of episodes is the score.

    An episode tells of the facts that cite it, of the entities that they join and of these
    entities' communities. Of an episode it is the number of facts that cite it.
    """
    return _ordered(pool, fused, _mentions)


def node_distance(pool: Pool, fused: Ranked) -> Ranked:
    """Put those first that are the fewest facts away from the centre: 1 / (1 + hops), else 0.

    Raises QueryError where no centre was given.
    """
    if not any(question.center for question in pool.questions):
        raise QueryError("Node distance is measured from a centre: give the entity as center=.")
    return _ordered(pool, fused, _nearness)


def cross_encoder(pool: Pool, fused: Ranked) -> Ranked:
    """Order by how well the pool's cross-encoder says that each passage answers the question.

    Raises QueryError where there is none, or where it doesn't give a score for each passage.
    """
    if pool.cross_encoder is None:
        raise QueryError(
            "This recipe needs a cross-encoder: give cross_encoder=, such as "
            "regesta.query.OpenAICrossEncoder(model=...)."
        )
    passages = _passages(pool, fused.rows)
    scores = pool.cross_encoder(pool.questions[0].asked.text, passages) if passages else ()
    if len(scores) != len(passages) or not np.isfinite(scores).all():
        raise QueryError(
            f"The cross-encoder gave {len(scores)} scores for {len(passages)} passages, "
            "or one that is no number."
        )
    return _by_value(fused, np.asarray(scores, np.float64))


def descent(pool: Pool, fused: Ranked) -> Ranked:
    """Go down the levels of communities and stop where going deeper no longer helps.

    Of a community and all above and below it the best one is kept; of equally good ones the upper.
    """
    kept = np.zeros(len(fused.rows), bool)
    for question, places, rows in pool.parts(fused.rows):
        kept[places] = _best_of_lines(question.view, rows, fused.scores[places])
    return Ranked(fused.rows[kept], fused.scores[kept])


def _best_of_lines(view: View, rows: Array, scores: Array) -> Array:
    nodes = view.community_nodes[rows].tolist()
    value = dict(zip(nodes, scores.tolist(), strict=True))
    beaten = set()
    for node in nodes:
        above = int(view.parents[node])
        while above >= 0:
            if above in value:
                beaten.add(node if value[above] >= value[node] else above)
            above = int(view.parents[above])
    return np.array([node not in beaten for node in nodes], bool)


_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")
RERANK: Final[Mapping[Reranker, Callable[[Pool, Ranked], Ranked]]] = {
    "mmr": mmr,
    "episode_mentions": episode_mentions,
    "node_distance": node_distance,
    "cross_encoder": cross_encoder,
    "descent": descent,
}


def _ordered(pool: Pool, fused: Ranked, value: Callable[[Question, Array], Array]) -> Ranked:
    values = np.zeros(len(fused.rows))
    for question, places, rows in pool.parts(fused.rows):
        values[places] = value(question, rows)
    return _by_value(fused, values)


def _by_value(fused: Ranked, values: Array) -> Ranked:
    rounded = np.round(values, DECIMALS)
    order = np.argsort(-rounded, kind="stable")
    return Ranked(fused.rows[order], rounded[order])


def _directions(pool: Pool, keys: Array) -> tuple[Array, Array]:
    """Return unit vectors of the question and of candidates: the snapshot's, else their words'."""
    asked = pool.questions[0].asked
    if asked.encoder is None:
        vectors = word_vectors([asked.text, *_passages(pool, keys)])
        return vectors[0], vectors[1:]
    question = asked.encoder.vector(asked.text)
    found = np.zeros((len(keys), len(question)))
    for part, places, rows in pool.parts(keys):
        found[places] = unit_vectors(part.view.group, part.scope, rows)
    return question, found


def _passages(pool: Pool, keys: Array) -> list[str]:
    texts = [""] * len(keys)
    for question, places, rows in pool.parts(keys):
        for place, row in zip(places, rows, strict=True):
            texts[place] = passage(question.view, question.scope, int(row))
    return texts


def _nearness(question: Question, rows: Array) -> Array:
    if not question.center:
        return np.zeros(len(rows))
    net = network(question.view, episodes=False)
    hops = net.distances(nodes(question.view, question.center))
    found = spread(question.view, question.scope, hops)[rows]
    return np.where(found == UNREACHED, 0, 1 / np.maximum(1 + found, 1))


def _mentions(question: Question, rows: Array) -> Array:
    view, scope = question.view, question.scope
    if scope == "facts":
        wanted = np.zeros(len(question.mask), bool)
        wanted[rows] = True
        facts, cited = view.cited_by(wanted)
        return _told_by(facts, cited, len(wanted))[rows]
    facts, cited = view.citations[:, view.facts[view.citations[0]]]
    if scope == "episodes":
        return _told_by(cited, facts, len(question.mask))[rows]
    ends = view.ends[:, facts]
    entities, told = ends[ends >= 0], np.broadcast_to(cited, ends.shape)[ends >= 0]
    if scope == "entities":
        return _told_by(entities, told, len(question.mask))[view.entity_nodes[rows]]
    order = np.argsort(entities, kind="stable")
    entities, told = entities[order], told[order]
    members, communities = view.members
    first, last = (np.searchsorted(entities, members, side=side) for side in _SIDES)
    owners, places = laid_out(first, last)
    counts = _told_by(communities[owners], told[places], len(question.mask))
    return counts[view.community_nodes[rows]]


def _told_by(whom: Array, by: Array, size: int) -> Array:
    """Return for each number below `size` how many different `by` it is paired with."""
    pairs = np.unique(np.stack([whom, by]), axis=1)
    return np.asarray(np.bincount(pairs[0], minlength=size))
