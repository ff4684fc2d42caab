"""Candidate pairs in Spark: profiles that share a blocking key, in blocks that are not too big."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, Row, as_batch, as_rows
from regesta.embed.bands import bands
from regesta.embed.encoder import Encoder
from regesta.embed.sent import SentModel
from regesta.match import keys
from regesta.match.declaration import Compared
from regesta.match.forms import forms

MOST_IN_BLOCK: Final = 60
"""Profiles of a block that are all compared with each other; a bigger block is cut."""
PREPARED: Final = pa.schema(
    [
        ("profile_id", pa.string()),
        ("group_id", pa.string()),
        ("forms", pa.list_(pa.string())),
        ("finer", pa.string()),
        ("keys", pa.list_(pa.struct([("rule", pa.int32()), ("key", pa.string())]))),
    ]
)


def prepared(profiles: DataFrame, compared: Compared, model: SentModel) -> DataFrame:
    """Return PREPARED: the compared forms of profiles and their blocking keys.

    `profiles`: profile_id, group_id and one string column per compared attribute, null where there
    is no value; `model` embeds names. What is read several times must be staged: blocks, rarity and
    comparisons read it.
    """
    values = [F.col(f"`{name}`").cast("string") for name in compared.names]
    rows = profiles.select("profile_id", "group_id", *values)
    prepare = partial(_prepare, compared=compared, model=model)
    return rows.mapInArrow(prepare, from_arrow_schema(PREPARED))


def held(prepared: DataFrame, near: DataFrame | None = None) -> DataFrame:
    """Return rule, block, finer and the columns of `prepared` but forms: a row for every key.

    `near`: profile_ids; then only blocks that hold one of them.
    """
    key = F.explode("keys").alias("key")
    others = [name for name in prepared.columns if name not in ("forms", "finer", "keys")]
    rows = prepared.select(*others, F.xxhash64("finer").alias("finer"), key).select(
        *others,
        "finer",
        F.col("key.rule").alias("rule"),
        F.xxhash64("group_id", "key.rule", "key.key").alias("block"),
    )
    if near is None:
        return rows
    theirs = rows.join(near, on="profile_id", how="left_semi").select("block").distinct()
    return rows.join(theirs, on="block", how="left_semi")


def blocks(held: DataFrame, most: int) -> DataFrame:
    """Return rule, block, part, profile_id, size and part_size, of blocks of two or more.

    A block of more than `most` profiles is cut by how names sound, so that it depends on two
    profiles alone whether they are in one part. Blocks and parts are hashes: what collides would be
    compared for nothing, no more.
    """
    rows = held.select("profile_id", "finer", "rule", "block")
    size = F.count("*").over(Window.partitionBy("rule", "block"))
    part = F.when(F.col("size") > most, F.col("finer")).otherwise(F.lit(0))
    part_size = F.count("*").over(Window.partitionBy("rule", "block", "part"))
    return (
        rows.withColumn("size", size)
        .where("size > 1")
        .withColumn("part", part)
        .withColumn("part_size", part_size)
        .select("rule", "block", "part", "profile_id", "size", "part_size")
    )


def recut(held: DataFrame, most: int) -> DataFrame:
    """Return profile_id of the members of blocks that a batch made too big, or small enough again.

    `held` has `counts` and `counted_before` besides: whether a profile counts now and did before.
    Which of the members are compared is another matter now, though nothing about them changed.
    """
    block, part = ("rule", "block"), ("rule", "block", "finer")

    def size(counted: str, *of: str) -> Column:
        return F.sum(F.col(counted).cast("int")).over(Window.partitionBy(*of))

    def way(counted: str) -> Column:
        """0: all are compared; 1: those of a part are; 2: not even these."""
        is_whole, is_part = size(counted, *block) <= most, size(counted, *part) <= most
        return F.when(is_whole, 0).when(is_part, 1).otherwise(2)

    ways = held.withColumn("now", way("counts")).withColumn("before", way("counted_before"))
    return ways.where("now != before").select("profile_id").distinct()


def candidates(blocks: DataFrame, most: int) -> DataFrame:
    """Return left, right and rules of every pair that shares a part, each pair once, left < right.

    `rules` has the bit of each rule that found the pair (bit 0: the first rule).
    """
    members = F.sort_array(F.collect_list("profile_id"))
    parts = (
        blocks.where(_is_compared(most))
        .groupBy("rule", "block", "part")
        .agg(members.alias("members"))
    )
    pairs = parts.select("rule", F.explode(_pairs(F.col("members"))).alias("pair"))
    found = F.bit_or(F.call_function("shiftleft", F.lit(1).cast("bigint"), F.col("rule")))
    return pairs.groupBy("pair.left", "pair.right").agg(found.alias("rules"))


def proposed(blocks: DataFrame, compared: Compared, most: int) -> DataFrame:
    """Return by rule: blocks, largest (profiles), proposed and skipped (pairs).

    A pair that shares several keys of a rule is proposed, or skipped, once for each of them; what
    one key skips another may propose. Both together are all pairs that share a key.
    """
    # Each pair of a block is seen from both of its profiles.
    shared = F.sum(F.col("size") - 1) / 2
    kept = F.sum(F.when(_is_compared(most), F.col("part_size") - 1).otherwise(0)) / 2
    counted = blocks.groupBy("rule").agg(
        F.count_distinct("block").alias("blocks"),
        F.max("size").alias("largest"),
        kept.cast("bigint").alias("proposed"),
        (shared - kept).cast("bigint").alias("skipped"),
    )
    return counted.select(_name(compared).alias("rule"), "blocks", "largest", "proposed", "skipped")


def found(candidates: DataFrame, compared: Compared) -> DataFrame:
    """Return by rule: pairs, each counted once, and alone, those that no other rule found."""
    each = candidates.select(
        F.explode(F.sequence(F.lit(0), F.lit(len(keys.rules(compared)) - 1))).alias("rule"), "rules"
    )
    bit = F.call_function("shiftleft", F.lit(1).cast("bigint"), F.col("rule"))
    counted = each.where(F.col("rules").bitwiseAND(bit) != 0).groupBy("rule")
    alone = F.count_if(F.bit_count("rules") == 1)
    return counted.agg(F.count("*").alias("pairs"), alone.alias("alone")).select(
        _name(compared).alias("rule"), "pairs", "alone"
    )


def _prepare(batches: Batches, compared: Compared, model: SentModel) -> Iterator[pa.RecordBatch]:
    rules, encoder = keys.rules(compared), model.opened()
    for batch in batches:
        rows = list(as_rows([batch]))
        every = [forms(compared, dict(zip(compared.names, row[2:], strict=True))) for row in rows]
        meanings = _meanings(compared, encoder, every)
        made = [
            _row(row, compared, rules, told, meaning)
            for row, told, meaning in zip(rows, every, meanings, strict=True)
        ]
        yield as_batch(made, PREPARED)


def _meanings(
    compared: Compared, encoder: Encoder, every: Sequence[Sequence[str]]
) -> list[dict[str, tuple[str, ...]]]:
    """Return for each of the forms the bands of its names, by attribute."""
    found: list[dict[str, tuple[str, ...]]] = [{} for _ in every]
    for name in compared.of_kind("name"):
        place = compared.names.index(name)
        vectors = encoder.encode([told[place] for told in every])
        for one, held in zip(found, bands(vectors), strict=True):
            one[name] = held
    return found


def _row(
    row: Row,
    compared: Compared,
    rules: tuple[keys.Rule, ...],
    told: Sequence[str],
    meanings: Mapping[str, Sequence[str]],
) -> Row:
    made = keys.keys(rules, compared, told, meanings)
    held = [{"rule": rule, "key": key} for rule, key in made]
    return row[0], row[1], list(told), keys.finer(compared, told), held


def _is_compared(most: int) -> Column:
    return F.col("part_size").between(2, most)


def _pairs(members: Column) -> Column:
    """Return the pairs of a sorted array, as structs of left and right."""

    def following(left: Column, place: Column) -> Column:
        rest = F.slice(members, place + 2, F.size(members))
        return F.transform(rest, lambda right: F.struct(left.alias("left"), right.alias("right")))

    return F.flatten(F.transform(members, following))


def _name(compared: Compared) -> Column:
    names = F.array(*(F.lit(rule.name) for rule in keys.rules(compared)))
    return F.element_at(names, F.col("rule") + 1)
