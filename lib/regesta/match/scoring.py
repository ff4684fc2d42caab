"""Candidate pairs compared and scored in Spark, and what weights are learned from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches
from regesta.errors import InputError
from regesta.match.declaration import Compared
from regesta.match.learning import Histogram, learn
from regesta.match.levels import compare, upper_bound
from regesta.match.rarity import CEILING, FEWEST, Rarity, bits
from regesta.match.weights import Levels, Weights

MOST_DRAWN: Final = 20_000
"""Profiles that are drawn to see how often values agree by chance."""
PAIRS_DRAWN: Final = 200_000
_PAIR: Final = [("left", pa.string()), ("right", pa.string()), ("rules", pa.int64())]
LEVELLED: Final = pa.schema(
    [*_PAIR, ("levels", pa.list_(pa.int16())), ("bound", pa.float64())]  # see `levels.upper_bound`
)
SCORED: Final = pa.schema([*LEVELLED, ("score", pa.float64())])


def rarity(prepared: DataFrame, compared: Compared) -> Rarity:
    """Return how common values and words are; only those that many bear come to the driver."""
    every = prepared.select(F.posexplode("forms").alias("place", "value")).where("value != ''")
    worded = [compared.names.index(name) for name in compared.of_kind("name", "text")]
    words = every.where(F.col("place").isin(worded)).select(
        "place", F.explode(F.array_distinct(F.split("value", " "))).alias("value")
    )
    totals = every.groupBy("place").agg(F.count("*").alias("total"))
    return Rarity(words=_common(words, totals, compared), values=_common(every, totals, compared))


def levelled(
    candidates: DataFrame, prepared: DataFrame, compared: Compared, rarity: Rarity
) -> DataFrame:
    """Return LEVELLED: the candidate pairs with their levels, by attribute."""
    forms = prepared.select("profile_id", "forms")
    left, right = (
        forms.select(F.col("profile_id").alias(side), F.col("forms").alias(f"{side}_forms"))
        for side in ("left", "right")
    )
    rows = (
        candidates.join(left, on="left", how="inner")
        .join(right, on="right", how="inner")
        .select("left", "right", "rules", "left_forms", "right_forms")
    )
    level = partial(_level, compared=compared, rarity=rarity)
    return rows.mapInArrow(level, from_arrow_schema(LEVELLED))


def scored(levelled: DataFrame, weights: Weights) -> DataFrame:
    """Return SCORED: score is the log-odds (natural) that a pair matches, `bound` at most."""
    return levelled.mapInArrow(partial(_score, weights=weights), from_arrow_schema(SCORED))


def learned(
    levelled: DataFrame, prepared: DataFrame, compared: Compared, rarity: Rarity
) -> Weights:
    """Return weights learned from the candidates' patterns and from pairs drawn by hash.

    Raises:
        InputError: no two profiles are in one group.
    """
    # The patterns are counted in Spark; there are far fewer of them than pairs.
    patterns = levelled.groupBy("levels").agg(F.count("*").alias("pairs")).collect()
    sizes = prepared.groupBy("group_id").agg(F.count("*").alias("size"))
    pairs = F.sum(F.col("size") * (F.col("size") - 1) / 2)
    (total,) = sizes.agg(F.coalesce(pairs, F.lit(0.0))).first() or (0.0,)
    if total < 1:
        raise InputError("Weights are learned from pairs; give two profiles of a group or more.")
    drawn = _drawn(prepared, compared, rarity)
    return learn(compared, rarity, _histogram(patterns, compared), drawn, total)


def _common(
    values: DataFrame, totals: DataFrame, compared: Compared
) -> dict[str, dict[str, float]]:
    counted = values.groupBy("place", "value").agg(F.count("*").alias("count"))
    common = (
        counted.join(F.broadcast(totals), on="place", how="inner")
        .where((F.col("count") >= FEWEST) & (F.col("count") * 2**CEILING > F.col("total")))
        .orderBy("place", "value")
    )
    found: dict[str, dict[str, float]] = {name: {} for name in compared.names}
    for row in common.select("place", "value", "count", "total").collect():
        found[compared.names[row.place]][row.value] = bits(row[2], row.total)
    return found


def _drawn(prepared: DataFrame, compared: Compared, rarity: Rarity) -> Histogram:
    """Compare profiles, in the order of a hash of their ids, with those that follow on a circle."""
    order = (F.xxhash64("profile_id"), F.col("profile_id"))
    rows = prepared.orderBy(*order).select("forms").limit(MOST_DRAWN).collect()
    forms = [row.forms for row in rows]
    size = len(forms)
    furthest = min(max(1, PAIRS_DRAWN // size), size // 2)
    levels = [
        compare(forms[place], forms[(place + step) % size], compared, rarity)
        for step in range(1, furthest + 1)
        for place in range(size)
    ]
    patterns, counts = np.unique(np.array(levels, np.int16), axis=0, return_counts=True)
    return Histogram(patterns, counts.astype(np.float64))


def _histogram(rows: list[Row], compared: Compared) -> Histogram:
    """Return counted patterns in one order, so that sums do not depend on the partitions."""
    rows = sorted(rows, key=lambda row: tuple(row.levels))
    patterns = np.array([row.levels for row in rows], np.int16)
    counts = np.array([row.pairs for row in rows], np.float64)
    return Histogram(patterns.reshape(-1, len(compared.names)), counts)


def _level(batches: Batches, compared: Compared, rarity: Rarity) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        both = (batch[side].to_pylist() for side in ("left_forms", "right_forms"))
        sides = list(zip(*both, strict=True))
        levels = [compare(left, right, compared, rarity) for left, right in sides]
        bounds = [
            upper_bound(left, right, found, compared)
            for (left, right), found in zip(sides, levels, strict=True)
        ]
        columns = [batch["left"], batch["right"], batch["rules"]]
        columns += [pa.array(levels, LEVELLED.field("levels").type), pa.array(bounds, pa.float64())]
        yield pa.RecordBatch.from_arrays(columns, schema=LEVELLED)


def _score(batches: Batches, weights: Weights) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        scores = weights.scores(_matrix(batch["levels"], len(weights.compared.names)))
        bounds = batch["bound"].to_numpy(zero_copy_only=False)  # NaN where there is none
        columns = [*batch.columns, pa.array(np.fmin(scores, bounds))]
        yield pa.RecordBatch.from_arrays(columns, schema=SCORED)


def _matrix(levels: pa.ListArray, width: int) -> Levels:
    flat: Levels = levels.flatten().to_numpy(zero_copy_only=False).astype(np.int16)
    return flat.reshape(-1, width)
