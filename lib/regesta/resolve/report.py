"""What matching did of a label, and what it probably got wrong: for a person to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.errors import InputError
from regesta.match import blocking, scoring
from regesta.match.blocking import MOST_IN_BLOCK
from regesta.match.declaration import Compared
from regesta.match.linkage import LINKED
from regesta.resolve.matching import compared_of, standing_weights, stored
from regesta.resolve.steward import Waiting, described, with_entities

EXTREMES: Final = 5
"""Of the weakest pairs that were joined and the strongest that were not, how many are shown."""
LOWEST, HIGHEST = -20, 20
"""Bands of scores; what is below or above counts to the last one."""


@dataclass(frozen=True)
class RuleFigures:
    """A blocking rule: its blocks and the largest; pairs it proposed, a cap skipped, only it found.

    `proposed` and `skipped` count a pair for each key that it shares, `pairs` and `alone` once.
    """

    rule: str
    blocks: int
    largest: int
    proposed: int
    skipped: int
    pairs: int
    alone: int


@dataclass(frozen=True)
class Band:
    """Pairs whose score (log-odds) is from `low` to a unit more, and the matches expected of them.

    `wrong` and `missed` are those expected if all pairs from `low` on were joined and no others.
    """

    low: int
    pairs: int
    matches: float
    wrong: float
    missed: float


@dataclass(frozen=True)
class MatchReport:
    """The figures of one label, by the weights that stand."""

    label: str
    weights: str
    profiles: int
    pairs: int
    rules: Sequence[RuleFigures]
    bands: Sequence[Band]
    sizes: Sequence[tuple[int, int]]
    weakest: Sequence[Waiting]
    strongest: Sequence[Waiting]


def report(context: StepContext, label: str) -> MatchReport:
    """Compare the counting profiles of a label again and tell what comes of it.

    `sizes`: how many entities have so many profiles; `weakest`: the least likely pairs above LINKED
    that are one entity, `strongest`: the likeliest that are two.

    Raises:
        InputError: the ontology does not say how the label is matched, or nothing is learned yet.
    """
    compared = compared_of(context, label)
    weights = standing_weights(context, label, compared)
    if weights is None:
        raise InputError(f"No weights are learned for {label!r} yet: it has too few profiles.")
    now = context.warehouse.open_now("entity_members").select("profile_id", "group_id", "entity_id")
    rows = stored(context, label, compared).join(now, on="profile_id", how="inner")
    prepared = context.stage("report", "prepared", rows)
    blocks = context.stage(
        "report", "blocks", blocking.blocks(blocking.held(prepared), MOST_IN_BLOCK)
    )
    candidates = blocking.candidates(blocks, MOST_IN_BLOCK)
    levelled = scoring.levelled(candidates, prepared, compared, weights.rarity)
    scored = context.stage("report", "scored", scoring.scored(levelled, weights))
    return MatchReport(
        label=label,
        weights=weights.version,
        profiles=prepared.count(),
        pairs=scored.count(),
        rules=_rules(blocks, scored, compared),
        bands=_bands(scored),
        sizes=_sizes(prepared),
        weakest=_extremes(context, scored, prepared, one_entity=True),
        strongest=_extremes(context, scored, prepared, one_entity=False),
    )


def _rules(blocks: DataFrame, scored: DataFrame, compared: Compared) -> list[RuleFigures]:
    proposed = blocking.proposed(blocks, compared, MOST_IN_BLOCK)
    both = proposed.join(blocking.found(scored, compared), on="rule", how="left").fillna(0)
    return [RuleFigures(**row.asDict()) for row in both.orderBy("rule").collect()]


def _bands(scored: DataFrame) -> list[Band]:
    """Count by units of log-odds; a few dozen rows come to the driver."""
    low = F.least(F.greatest(F.floor("score"), F.lit(LOWEST)), F.lit(HIGHEST)).cast("int")
    probability = 1 / (1 + F.exp(-F.col("score")))
    counted = scored.groupBy(low.alias("low")).agg(
        F.count(F.lit(1)).alias("pairs"), F.sum(probability).alias("matches")
    )
    rows = counted.orderBy("low").collect()
    return [
        Band(
            row["low"],
            row["pairs"],
            round(row["matches"], 1),
            wrong=round(sum(one["pairs"] - one["matches"] for one in rows[place:]), 1),
            missed=round(sum((one["matches"] for one in rows[:place]), 0.0), 1),
        )
        for place, row in enumerate(rows)
    ]


def _sizes(members: DataFrame) -> list[tuple[int, int]]:
    sizes = members.groupBy("entity_id").agg(F.count(F.lit(1)).alias("size"))
    counted = sizes.groupBy("size").agg(F.count(F.lit(1)).alias("entities")).orderBy("size")
    return [(row["size"], row["entities"]) for row in counted.collect()]


def _extremes(
    context: StepContext, scored: DataFrame, prepared: DataFrame, *, one_entity: bool
) -> list[Waiting]:
    sides = with_entities(scored, prepared.select("profile_id", "entity_id"))
    is_one = F.col("left_entity") == F.col("right_entity")
    chosen = sides.where(is_one & (F.col("score") > LINKED) if one_entity else ~is_one)
    order = F.asc("score") if one_entity else F.desc("score")
    first = chosen.orderBy(order, "left", "right").limit(EXTREMES)
    features = F.to_json(F.struct("levels")).alias("features")
    groups = prepared.select(F.col("profile_id").alias("left"), "group_id")
    rows = first.join(groups, on="left", how="inner").select(
        "group_id", "left", "right", "score", features
    )
    return described(context, rows.orderBy(order, "left", "right"))
