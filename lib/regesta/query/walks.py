"""Methods that walk the graph: breadth first, from recent episodes, personalised PageRank.

The nodes are the entities and episodes of the as-of; a fact joins its two entities, an episode is
joined with the entities of the facts that cite it. A fact lies one hop beyond the nearer of its
ends and episodes, a community beyond its nearest member.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from regesta.query.bm25 import DECIMALS
from regesta.query.group import View
from regesta.query.network import UNREACHED, Array, Network
from regesta.query.question import Origins, Question, Ranked, ranked
from regesta.query.seeds import named_entities

SEEDING_HITS: Final = 5
RECENT_EPISODES: Final = 4
_FAR: Final = 2**31


def breadth_first(question: Question) -> Ranked:
    """Rank by the hops from the origins, or else from the best hits of the methods before.

    At the cut-off the newest of the equally far go first.
    """
    origins = question.origins or _best_hits(question)
    if not origins:
        return Ranked(np.empty(0, np.int64), np.empty(0))
    view = question.view
    hops = network(view).distances(nodes(view, origins), question.hops)
    hops = spread(view, question.scope, hops)
    rows = np.flatnonzero(question.mask & (hops != UNREACHED) & (hops <= question.hops))
    order = np.lexsort((rows, -_moments(view, question.scope)[rows], hops[rows]))
    rows = rows[order][: question.limit]
    return Ranked(rows, np.round(1 / (1 + hops[rows]), DECIMALS))


def recent_episodes(question: Question) -> Ranked:
    """Rank by the hops from the episodes that are the latest at the valid time.

    Messages and texts count, and what facts of the as-of cite.
    """
    view = question.view
    dates = view.group.array("episodes", "dates")
    told = view.mask("episodes")
    told[view.citations[1]] = True
    rows = np.flatnonzero(told & (dates <= view.valid))
    latest = rows[np.lexsort((rows, -dates[rows]))][:RECENT_EPISODES]
    return breadth_first(replace(question, origins=Origins(episodes=latest.tolist()), found={}))


def page_rank(question: Question) -> Ranked:
    """Rank by personalised PageRank from the entities that the question names.

    A fact has what crosses it: of each end the share by its links. A community has the sum of its
    members. Scores are relative to the best.
    """
    seeds, weights = named_entities(question.view, question.asked)
    if not len(seeds):
        return Ranked(np.empty(0, np.int64), np.empty(0))
    net = network(question.view)
    scores = _shared(question.view, question.scope, net, net.page_rank(seeds, weights))
    rows = np.flatnonzero(question.mask & (scores > 0))
    return ranked(rows, scores[rows] / scores[rows].max(initial=0), question.limit)


def network(view: View, *, episodes: bool = True) -> Network:
    """Return the graph of the as-of; nodes are entities by first row, then, if asked, episodes."""
    left, right = view.ends[:, view.facts & (view.ends[1] >= 0)]
    size = len(view.entity_nodes)
    if not episodes:
        return Network(size, left, right)
    facts, cited = view.citations[:, view.facts[view.citations[0]]]
    told = view.ends[:, facts]
    both = told >= 0
    places = np.broadcast_to(size + cited, told.shape)
    total = size + len(view.group.array("episodes", "dates"))
    return Network(total, np.concatenate([left, places[both]]), np.concatenate([right, told[both]]))


def nodes(view: View, origins: Origins) -> Array:
    """Return the numbers of origins as nodes of the network with episodes."""
    episodes = np.array(origins.episodes, np.int64) + len(view.entity_nodes)
    return np.concatenate([np.array(origins.entities, np.int64), episodes])


def spread(view: View, scope: str, hops: Array) -> Array:
    """Return hops of a network's nodes as hops of a scope's rows.

    `hops` may lack the episodes; UNREACHED stays.
    """
    near = np.where(hops == UNREACHED, _FAR, hops)
    found = _AT[scope](view, near)
    return np.where(found >= _FAR, UNREACHED, found)


def _at_facts(view: View, near: Array) -> Array:
    left, right = view.ends
    found = np.minimum(near[left], np.where(right < 0, _FAR, near[right]))
    if len(near) > (size := len(view.entity_nodes)):
        facts, cited = view.citations
        np.minimum.at(found, facts, near[size + cited])
    return np.asarray(found + 1)


def _at_entities(view: View, near: Array) -> Array:
    return np.asarray(near[view.entity_nodes])


def _at_communities(view: View, near: Array) -> Array:
    entities, communities = view.members
    found = np.full(len(view.community_nodes), _FAR)
    np.minimum.at(found, communities, near[entities] + 1)
    return found[view.community_nodes]


def _at_episodes(view: View, near: Array) -> Array:
    if len(near) > (size := len(view.entity_nodes)):
        return np.asarray(near[size:])
    found = np.full(len(view.group.array("episodes", "dates")), _FAR)
    facts, cited = view.citations
    np.minimum.at(found, cited, _at_facts(view, near)[facts])
    return found


_AT: Final = {
    "facts": _at_facts,
    "entities": _at_entities,
    "communities": _at_communities,
    "episodes": _at_episodes,
}


def _shared(view: View, scope: str, net: Network, shares: Array) -> Array:
    """Return the shares of a network's nodes as scores of a scope's rows."""
    if scope == "entities":
        return shares[view.entity_nodes]
    if scope == "episodes":
        return shares[len(view.entity_nodes) :]
    if scope == "facts":
        crossing = np.append(shares / np.maximum(net.degrees, 1), 0)  # the last one is a literal's
        return np.asarray(crossing[view.ends].sum(axis=0))
    entities, communities = view.members
    found = np.bincount(communities, shares[entities], minlength=len(view.community_nodes))
    return np.asarray(found[view.community_nodes])


def _best_hits(question: Question) -> Origins:
    view, best = question.view, [each.rows[:SEEDING_HITS] for each in question.found.values()]
    rows = np.unique(np.concatenate([*best, np.empty(0, np.int64)]))
    if question.scope == "episodes":
        return Origins(episodes=rows.tolist())
    if question.scope == "entities":
        return Origins(entities=np.unique(view.entity_nodes[rows]).tolist())
    if question.scope == "facts":
        ends = np.unique(view.ends[:, rows])
        return Origins(entities=ends[ends >= 0].tolist())
    entities, communities = view.members
    inside = np.isin(communities, view.community_nodes[rows])
    return Origins(entities=np.unique(entities[inside]).tolist())


def _moments(view: View, scope: str) -> Array:
    """Return what "newest" means of a scope's rows."""
    name = "dates" if scope == "episodes" else "times"
    moments = view.group.array(scope, name)
    return moments if scope == "episodes" else moments[0]
