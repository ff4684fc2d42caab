"""Label propagation on GraphFrames: synchronous, weighted, the same for every partitioning.

After Raghavan, Albert and Kumara (2007), with what makes it terminate and repeatable: labels are
salted hashes of entity ids, so that ties fall to no entity for its age; every vertex votes for its
own label with the weight of its strongest edge, without which pairs and stars swap labels for ever;
vertices with very many neighbours sit out and join the plurality afterwards, because one hub would
otherwise swallow the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

from graphframes import GraphFrame
from graphframes.lib import AggregateMessages
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.communities.graph import both_ways, plurality
from regesta.context import StepContext

MOST_ROUNDS = 12
HUB_SHARE = 10
"""A hub has more neighbours than a tenth of its group's vertices ..."""
HUB_MINIMUM = 50
"""... and more than this; beyond HUB_MAXIMUM neighbours any vertex is one."""
HUB_MAXIMUM = 5000
_VERTEX_BITS = 2**62 - 1
Stage = Callable[[str, DataFrame], DataFrame]


@dataclass(frozen=True)
class Partition:
    """entity_id, group_id and label of every vertex with an edge, and how it came about."""

    labels: DataFrame
    rounds: int
    hubs: int


def propagate(context: StepContext, pairs: DataFrame, *, step: str = "communities") -> Partition:
    """Return a label for every entity of `pairs` (group_id, low, high, weight).

    A label is the id of an entity of its community. The same pairs give the same labels, whatever
    their order and partitioning. What is staged on the way is staged under `step`.
    """
    stage = partial(context.stage, step)
    neighbours = stage("neighbours", both_ways(pairs))
    hubs = stage("hubs", _hubs(neighbours))
    core = _without(pairs, hubs, "low", "high")
    vertices, links = _hashed(stage, context.salt, core)
    settled, rounds = _settle(stage, vertices, links)
    labels = stage("core_labels", _named(settled, vertices))
    hub_count = hubs.count()
    if hub_count:
        labels = _attach(stage, context.salt, neighbours, hubs, labels)
    return Partition(labels, rounds, hub_count)


def _hubs(neighbours: DataFrame) -> DataFrame:
    degrees = neighbours.groupBy("group_id", "entity_id").agg(F.count("*").alias("degree"))
    sizes = degrees.groupBy("group_id").agg(F.count("*").alias("size"))
    share = F.greatest(F.col("size") / HUB_SHARE, F.lit(HUB_MINIMUM))
    return (
        degrees.join(sizes, on="group_id", how="inner")
        .where(F.col("degree") > F.least(share, F.lit(HUB_MAXIMUM)))
        .select("entity_id")
    )


def _without(rows: DataFrame, hubs: DataFrame, *columns: str) -> DataFrame:
    for column in columns:
        rows = rows.join(hubs.withColumnRenamed("entity_id", column), on=column, how="left_anti")
    return rows


def _hashed(stage: Stage, salt: str, pairs: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Return vertices (id, entity_id, group_id, own) and edges (src, dst, weight) by hashed ids.

    Two entities of one hash would be one vertex, so another hash is taken then.
    """
    members = both_ways(pairs).groupBy("entity_id", "group_id").agg(F.max("weight").alias("own"))
    for attempt in count():
        vertices = stage(
            "vertices", members.withColumn("id", vertex_id(salt, attempt, "entity_id"))
        )
        found = vertices.agg(F.count("id"), F.countDistinct("id")).first() or (0, 0)
        if found[0] == found[1]:
            break
    links = stage(
        "links",
        pairs.select(
            vertex_id(salt, attempt, "low").alias("src"),
            vertex_id(salt, attempt, "high").alias("dst"),
            "weight",
        ),
    )
    return vertices, links


def vertex_id(salt: str, attempt: int, column: str) -> Column:
    """Return the number that stands for an entity as vertex and as label; order is by chance."""
    return F.xxhash64(F.lit(salt), F.lit(attempt), F.col(column)).bitwiseAND(_VERTEX_BITS)


def _settle(stage: Stage, vertices: DataFrame, links: DataFrame) -> tuple[DataFrame, int]:
    """Vote until nothing changes, or all that changes goes to and fro, or the rounds are over.

    Votes of equal weight from both sides end in a period of one or two rounds (Goles and Olivos
    1981), so a label that is the same after two rounds has got there.
    """
    state = vertices.select("id", "own", *(F.col("id").alias(n) for n in ("label", "previous")))
    for rounds in range(1, MOST_ROUNDS + 1):
        state = _voted(stage, rounds, state, links)
        if rounds % 2 == 0 and state.where(F.col("label") != F.col("before")).isEmpty():
            break
    to_and_fro = F.col("label") == F.col("before")
    settled = F.when(to_and_fro, F.least("label", "previous")).otherwise(F.col("label"))
    return state.select("id", settled.alias("label")), rounds


def _voted(stage: Stage, rounds: int, state: DataFrame, links: DataFrame) -> DataFrame:
    """Run one round; `previous` and `before` are the labels of one and of two rounds ago.

    Every vertex has an edge, so each gets ballots, in one row.
    """
    ballot, back = (
        F.struct(end["label"].alias("label"), AggregateMessages.edge["weight"].alias("weight"))
        for end in (AggregateMessages.src, AggregateMessages.dst)
    )
    ballots = GraphFrame(state.select("id", "label"), links).aggregateMessages(
        F.collect_list(AggregateMessages.msg).alias("ballots"), sendToDst=ballot, sendToSrc=back
    )
    voted = state.join(ballots, on="id", how="inner").select(
        *("id", "own", _elected().alias("label")),
        *(F.col("label").alias("previous"), F.col("previous").alias("before")),
    )
    staged = stage(f"round_{rounds}", voted)
    ballots.unpersist()  # GraphFrames caches what it returns
    return staged


def _elected() -> Column:
    """Return the heaviest label among the ballots and the own vote, of equal ones the smallest.

    The ballots are folded in the order of their labels, so that the cost is that of a sort, and
    only a strictly heavier label replaces a smaller one.
    """
    own = F.struct(F.col("label").alias("label"), F.col("own").alias("weight"))
    ballots = F.sort_array(F.concat("ballots", F.array(own)))
    none = F.lit(0).cast("long")
    start = F.struct(
        none.alias("best"), none.alias("most"), (none - 1).alias("label"), none.alias("sum")
    )

    def count_ballot(so_far: Column, ballot: Column) -> Column:
        """Add a ballot to its label's sum, which begins anew where the label changes."""
        same = so_far["label"] == ballot["label"]
        total = F.when(same, so_far["sum"]).otherwise(none) + ballot["weight"]
        leads = total > so_far["most"]
        return F.struct(
            F.when(leads, ballot["label"]).otherwise(so_far["best"]).alias("best"),
            F.when(leads, total).otherwise(so_far["most"]).alias("most"),
            ballot["label"].alias("label"),
            total.alias("sum"),
        )

    return F.aggregate(ballots, start, count_ballot, lambda counted: counted["best"])


def _named(settled: DataFrame, vertices: DataFrame) -> DataFrame:
    """Return entity_id, group_id and, as label, the entity whose hash is the label."""
    names = vertices.select(F.col("id").alias("label"), F.col("entity_id").alias("name"))
    return (
        settled.join(vertices.select("id", "entity_id", "group_id"), on="id", how="inner")
        .join(names, on="label", how="inner")
        .select("entity_id", "group_id", F.col("name").alias("label"))
    )


def _attach(
    stage: Stage, salt: str, neighbours: DataFrame, hubs: DataFrame, labels: DataFrame
) -> DataFrame:
    """Add the hubs, by the plurality of their neighbours, then what has only hubs around it."""
    voting = labels.select(F.col("entity_id").alias("neighbour"), "label")
    of_hubs = neighbours.join(hubs, on="entity_id", how="left_semi")
    joined = plurality(of_hubs.join(voting, on="neighbour", how="inner"), salt=salt)
    alone = (
        of_hubs.select("entity_id", "group_id")
        .distinct()
        .join(joined, on="entity_id", how="left_anti")
        .withColumn("label", F.col("entity_id"))
    )
    placed = stage("hub_labels", joined.unionByName(alone))
    leading = placed.select(F.col("entity_id").alias("neighbour"), "label")
    rest = neighbours.join(hubs, on="entity_id", how="left_anti").join(
        labels, on="entity_id", how="left_anti"
    )
    following = plurality(rest.join(leading, on="neighbour", how="inner"), salt=salt)
    return stage("labels", labels.unionByName(placed).unionByName(following))
