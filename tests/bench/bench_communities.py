"""Label propagation on graphs with known communities, beside networkx on the same graphs.

    python tests/bench/bench_communities.py DATA/communities

DATA/communities holds karate, football, eurosis and eu-core with their true communities; without
it only generated LFR graphs (Lancichinetti, Fortunato and Radicchi 2008) are parted. Of each graph
twenty copies with other ids, and so other salted labels, are parted in one run.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import log
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import networkx
from pyspark.sql import SparkSession

from regesta.cli.tables import print_table
from regesta.communities.propagation import propagate
from regesta.context import Batch, StepContext
from regesta.ontology import Ontology
from regesta.session import FOR_SMALL, start_session
from regesta.warehouse.warehouse import Warehouse

COPIES = 20
GRAPHS = ("karate", "football", "eurosis", "eu-core")
MIXINGS = (0.1, 0.2, 0.3, 0.4, 0.5)
PAIRS = "group_id string, low string, high string, weight long"


def main() -> None:
    """Print, for each graph, how well its communities are found and how large the largest is."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", help="graphs with known communities")
    folder: Path | None = options.parse_args().folder
    known = {name: _known(folder, name) for name in GRAPHS} if folder else {}
    graphs = known | {f"LFR, mixing {mixing}": _generated(mixing) for mixing in MIXINGS}
    spark = start_session(FOR_SMALL, name="bench communities")
    rows = []
    for name, graph in graphs.items():
        truth = networkx.get_node_attributes(graph, "community")
        found = _parted(spark, graph)
        scores = [information(truth, labels) for labels in found]
        largest = max(max(Counter(labels.values()).values()) / len(labels) for labels in found)
        rows.append(
            (
                *(name, f"{mean(scores):.3f}", f"{min(scores):.3f}", f"{largest:.2f}"),
                *(f"{information(truth, each):.3f}" for each in _by_networkx(graph)),
            )
        )
    columns = ("graph", "mean NMI", "least NMI", "largest share", "asynchronous", "Louvain")
    print_table(f"{COPIES} salts each; beside them networkx, seed 1", columns, rows)


def _known(folder: Path, name: str) -> networkx.Graph:
    graph = networkx.Graph(_table(folder / f"{name}.edges.tsv"))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    truth = {row[0]: row[1] for row in _table(folder / f"{name}.labels.tsv")}
    networkx.set_node_attributes(graph, truth, "community")
    return graph


def _table(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as text:
        rows = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row[:2] for row in rows][1:]


def _generated(mixing: float) -> networkx.Graph:
    graph = networkx.LFR_benchmark_graph(
        *(1000, 3, 1.5, mixing), average_degree=15, max_degree=50, min_community=20, seed=7
    )
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    truth = {node: min(around) for node, around in graph.nodes(data="community")}
    networkx.set_node_attributes(graph, truth, "community")
    return networkx.relabel_nodes(graph, str)


def _parted(spark: SparkSession, graph: networkx.Graph) -> list[dict[Hashable, str]]:
    """Return the labels of each copy; a copy is a group whose ids begin with its number."""
    pairs = [
        (str(copy), *sorted((f"{copy}/{one}", f"{copy}/{other}")), 1)
        for copy in range(COPIES)
        for one, other in graph.edges
    ]
    with TemporaryDirectory() as root:
        warehouse = Warehouse.open(spark, root, salt="bench")
        context = StepContext(warehouse, Batch(1, 0), Ontology(), print)
        labels = propagate(context, spark.createDataFrame(pairs, PAIRS)).labels
        told = labels.select("group_id", "entity_id", "label").collect()
    found: dict[str, dict[Hashable, str]] = defaultdict(dict)
    for copy, entity, label in told:
        found[copy][entity.partition("/")[2]] = label
    return list(found.values())


def _by_networkx(graph: networkx.Graph) -> Iterable[dict[Hashable, str]]:
    asynchronous = networkx.community.asyn_lpa_communities(graph, seed=1)
    louvain = networkx.community.louvain_communities(graph, seed=1)
    for partition in (asynchronous, louvain):
        yield {node: str(n) for n, nodes in enumerate(partition) for node in nodes}


def information(truth: dict[Hashable, str], labels: dict[Hashable, str]) -> float:
    """Return the normalised mutual information, by the arithmetic mean of the entropies."""
    pairs = [(truth[node], label) for node, label in labels.items()]
    one, other = _entropy([each for each, _ in pairs]), _entropy([each for _, each in pairs])
    return 2 * (one + other - _entropy(pairs)) / (one + other)


def _entropy(values: Sequence[Hashable]) -> float:
    return -sum(n / len(values) * log(n / len(values)) for n in Counter(values).values())


if __name__ == "__main__":
    main()
