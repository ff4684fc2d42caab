"""Hops and PageRank against networkx, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.query.network import UNREACHED, Network

SIZE = 8
NODES = st.integers(0, SIZE - 1)
LINKS = st.lists(st.tuples(NODES, NODES), max_size=20)


def network(links):
    left, right = np.array(links, np.int64).reshape(-1, 2).T
    return Network(SIZE, left, right)


@given(LINKS, st.sets(NODES, min_size=1, max_size=3), st.none() | st.integers(0, 4))
def test_distances_are_those_of_networkx(links, seeds, most):
    graph = nx.MultiGraph(links)
    graph.add_nodes_from(range(SIZE))
    wanted = nx.multi_source_dijkstra_path_length(graph, seeds, cutoff=most)
    found = network(links).distances(np.array(sorted(seeds)), most)
    assert found.tolist() == [wanted.get(node, UNREACHED) for node in range(SIZE)]


@given(LINKS, st.dictionaries(NODES, st.floats(0.1, 5), min_size=1, max_size=3))
def test_page_rank_is_the_fixed_point_of_networkx_google_matrix(links, seeds):
    graph = nx.Graph()
    graph.add_nodes_from(range(SIZE))
    for one, other in links:
        if one != other:
            weight = graph.get_edge_data(one, other, {"weight": 0})["weight"]
            graph.add_edge(one, other, weight=weight + 1)
    matrix = nx.google_matrix(graph, alpha=0.85, personalization=seeds, nodelist=range(SIZE))
    found = network(links).page_rank(np.array(list(seeds)), np.array(list(seeds.values())))
    assert found.sum() == pytest.approx(1)
    assert (found @ matrix).tolist() == pytest.approx(found.tolist(), abs=1e-9)


def test_a_pair_by_hand():
    """Of two joined nodes the seed has 1 / (1 + damping): p = .15 + .85 q and q = .85 p."""
    found = Network(2, np.array([0]), np.array([1])).page_rank(np.array([0]), np.ones(1))
    assert found.tolist() == pytest.approx([1 / 1.85, 0.85 / 1.85])
