"""Label propagation: against a plain implementation, for every partitioning, on known graphs."""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter, defaultdict
from math import log

import pytest
from pyspark.sql import functions as F

from regesta.communities.propagation import MOST_ROUNDS, propagate, vertex_id

pytestmark = pytest.mark.spark
SALT = "salt"


def clique(names):
    return list(itertools.combinations(names, 2))


TWO_CLIQUES = [*clique("abcde"), *clique("vwxyz"), ("a", "z")]
GRAPHS = {
    "pair": [("a", "b")],
    "star": [("hub", f"leaf{n}") for n in range(8)],
    "path": [(str(n), str(n + 1)) for n in range(9)],
    "bipartite": [(a, b) for a in "abc" for b in "xyz"],
    "two cliques and a bridge": TWO_CLIQUES,
    "random": sorted({tuple(sorted(random.Random(n).sample(range(40), 2))) for n in range(60)}),
}


def weighted(pairs):
    counted = Counter(tuple(sorted(map(str, pair))) for pair in pairs)
    return [("g", low, high, weight) for (low, high), weight in counted.items()]


def frame(spark, rows, partitions=2):
    pairs = spark.createDataFrame(rows, "group_id string, low string, high string, weight long")
    return pairs.repartition(partitions)


def found(graphs, spark, rows, partitions=2):
    labels = propagate(graphs.context(), frame(spark, rows, partitions)).labels.collect()
    assert len({row["entity_id"] for row in labels}) == len(labels)
    return {row["entity_id"]: row["label"] for row in labels}


def plain_votes(spark, rows):
    """The same voting rule with dicts, without hubs."""
    neighbours = defaultdict(dict)
    for _, low, high, weight in rows:
        neighbours[low][high] = neighbours[high][low] = weight
    names = spark.createDataFrame([(name,) for name in neighbours], "name string")
    ids = dict(names.select("name", vertex_id(SALT, 0, "name")).collect())
    labels = {name: name for name in neighbours}
    for _ in range(MOST_ROUNDS // 2):
        start = labels
        for _ in range(2):
            before, labels = labels, _round(neighbours, labels, ids)
        if labels == start:
            break
    return {
        name: min(label, before[name], key=ids.get) if start[name] == label else label
        for name, label in labels.items()
    }


def _round(neighbours, labels, ids):
    elected = {}
    for name, around in neighbours.items():
        votes = Counter({labels[name]: max(around.values())})
        for other, weight in around.items():
            votes[labels[other]] += weight
        elected[name] = min(votes, key=lambda label: (-votes[label], ids[label]))
    return elected


@pytest.mark.parametrize("name", GRAPHS)
def test_equals_plain_votes(graphs, spark, name):
    rows = weighted(GRAPHS[name])
    assert found(graphs, spark, rows) == plain_votes(spark, rows)


def test_nothing_stays_in_the_cache(graphs, spark):
    spark.catalog.clearCache()
    found(graphs, spark, weighted(TWO_CLIQUES))
    assert spark._jsparkSession.sharedState().cacheManager().isEmpty()


def test_weights_count(graphs, spark):
    rows = [
        (g, low, high, 1 + (n * 7) % 5) for n, (g, low, high, _) in enumerate(weighted(TWO_CLIQUES))
    ]
    assert found(graphs, spark, rows) == plain_votes(spark, rows)


def test_pair_star_and_cliques_are_what_they_look_like(graphs, spark):
    labels = found(graphs, spark, weighted([*GRAPHS["pair"], *GRAPHS["star"]]))
    assert labels["a"] == labels["b"]
    assert len({label for name, label in labels.items() if name not in "ab"}) == 1
    cliques = found(graphs, spark, weighted(TWO_CLIQUES))
    assert len({cliques[name] for name in "abcde"}) == 1
    assert len({cliques[name] for name in "vwxyz"}) == 1
    assert cliques["a"] != cliques["z"]


def test_partitions_and_order_change_nothing(graphs, spark):
    rows = weighted(GRAPHS["random"])
    answers = []
    for partitions in (1, 2, 7):
        shuffled = random.Random(partitions).sample(rows, len(rows))
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        answers.append(found(graphs, spark, shuffled, partitions))
    spark.conf.set("spark.sql.shuffle.partitions", 2)
    assert answers[0] == answers[1] == answers[2]


def test_a_hub_joins_without_swallowing_the_graph(graphs, spark):
    """The hub touches everything in eight cliques and has the smallest id, the worst case."""
    cliques = [[f"{letter}{n}" for n in range(10)] for letter in "abcdefgh"]
    pairs = [pair for names in cliques for pair in clique(names)]
    pairs += [("0", name) for names in cliques for name in names]
    pairs += [("0", f"lone{n}") for n in range(3)]
    labels = found(graphs, spark, weighted(pairs))
    assert [len({labels[name] for name in names}) for names in cliques] == [1] * 8
    assert len({labels[names[0]] for names in cliques}) == 8
    assert labels["lone0"] == labels["lone1"] == labels["0"]


@pytest.mark.parametrize(("graph", "pass_mark"), [("football", 0.83), ("eurosis", 0.65)])
def test_known_communities(graphs, spark, lent, graph, pass_mark):
    folder = lent("data", "communities")
    edges = _table(folder / f"{graph}.edges.tsv")
    truth = {row[0]: row[1] for row in _table(folder / f"{graph}.labels.tsv")}
    labels = found(graphs, spark, weighted((one, other) for one, other in edges))
    score = information([(truth[name], label) for name, label in labels.items()])
    assert score >= pass_mark


def _table(path):
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def information(pairs):
    """Normalised mutual information, by the arithmetic mean of the entropies."""
    total = len(pairs)

    def entropy(values):
        return -sum(n / total * log(n / total) for n in Counter(values).values())

    one, other = entropy(a for a, _ in pairs), entropy(b for _, b in pairs)
    return 2 * (one + other - entropy(pairs)) / (one + other)


def test_equal_hashes_are_told_apart(spark):
    names = spark.createDataFrame([("a",)], "name string")
    row = names.select(vertex_id(SALT, 0, "name"), vertex_id(SALT, 1, "name")).first()
    assert row[0] != row[1]
    assert 0 <= min(row) <= max(row) < 2**62
    assert names.where(F.col("name") == "a").count() == 1
