"""Blocking, scoring and clustering in Spark, held against the pure rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from regesta.embed.bands import bands
from regesta.embed.sent import sent
from regesta.embed.static import SPACE
from regesta.errors import InputError
from regesta.java import JvmParts
from regesta.match import blocking, scoring
from regesta.match.declaration import Compared
from regesta.match.forms import forms
from regesta.match.keys import finer, keys, rules
from regesta.match.levels import compare
from regesta.match.linkage import linked_clusters

pytestmark = pytest.mark.spark
COMPARED = Compared(attributes={"name": "name", "born": "date", "town": "text"})
GIVEN = ("Frank", "Emily", "Gerald", "Louise", "William", "Ada", "Horace", "Beatrice")
LAST = ("Brightman", "Clifford", "Burn", "Hengler", "Watts", "Osborne", "Kamienski", "Tills")
MOST = 4


def _people():
    """Sixteen people of three records each: whole, with a typing error, without a town."""
    rows = []
    for number in range(16):
        name = f"{GIVEN[number % 8]} {LAST[(number * 3 + number // 8) % 8]}"
        born, town = f"18{20 + number}-0{1 + number % 9}-17", "York" if number % 2 else "Leeds"
        rows += [
            (f"{number:02}a", "g", name, born, town),
            (f"{number:02}b", "g", name[:-2] + name[-1], born, town),
            (f"{number:02}c", "g", name, born, None),
        ]
    return [*rows, ("99x", "other", *rows[0][2:]), ("99y", "other", None, None, None)]


@pytest.fixture(scope="module")
def stage(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("match")

    def write(name, table):
        path = str(folder / name)
        table.write.mode("overwrite").parquet(path)
        return spark.read.parquet(path)

    return write


@pytest.fixture(scope="module")
def model(spark):
    return sent(spark, SPACE, JvmParts())


@pytest.fixture(scope="module")
def prepared(spark, stage, model):
    schema = "profile_id string, group_id string, name string, born string, town string"
    people = spark.createDataFrame(_people(), schema)
    return stage("prepared", blocking.prepared(people, COMPARED, model))


def _by_hand(encoder):
    """Return the pairs with their rules' bits, and proposed and skipped pairs by rule."""
    blocks, made = defaultdict(list), rules(COMPARED)
    for profile_id, group_id, *values in _people():
        compared = forms(COMPARED, dict(zip(COMPARED.names, values, strict=True)))
        [meaning] = bands(encoder.encode([compared[0]]))
        for rule, key in keys(made, COMPARED, compared, {"name": meaning}):
            blocks[group_id, rule, key].append((profile_id, finer(COMPARED, compared)))
    bits, proposed, skipped = Counter(), Counter(), Counter()
    for (_, rule, _), members in blocks.items():
        cut = len(members) > MOST
        for (left, sound), (right, other) in combinations(sorted(members), 2):
            part = [one for one in members if one[1] == sound]
            if not cut or (sound == other and len(part) <= MOST):
                bits[left, right] |= 1 << rule
                proposed[made[rule].name] += 1
            else:
                skipped[made[rule].name] += 1
    return bits, proposed, skipped


def test_candidates_are_those_of_the_rules_and_every_skipped_pair_is_counted(prepared, model):
    bits, proposed, skipped = _by_hand(model.opened())
    blocks = blocking.blocks(blocking.held(prepared), MOST).cache()
    found = blocking.candidates(blocks, MOST)
    assert {(row.left, row.right): row.rules for row in found.collect()} == bits
    told = {row.rule: row for row in blocking.proposed(blocks, COMPARED, MOST).collect()}
    assert {rule: row.proposed for rule, row in told.items() if row.proposed} == proposed
    assert {rule: row.skipped for rule, row in told.items() if row.skipped} == skipped
    assert sum(skipped.values()) > 0
    by_rule = {
        row.rule: (row.pairs, row.alone) for row in blocking.found(found, COMPARED).collect()
    }
    names = [rule.name for rule in rules(COMPARED)]
    assert by_rule == {
        name: (
            sum(each >> number & 1 for each in bits.values()),
            sum(each == 1 << number for each in bits.values()),
        )
        for number, name in enumerate(names)
        if any(each >> number & 1 for each in bits.values())
    }


def _candidates(prepared):
    blocks = blocking.blocks(blocking.held(prepared), blocking.MOST_IN_BLOCK)
    return blocking.candidates(blocks, blocking.MOST_IN_BLOCK)


def _learned(stage, prepared):
    rarity = scoring.rarity(prepared, COMPARED)
    candidates = _candidates(prepared)
    levelled = stage("levelled", scoring.levelled(candidates, prepared, COMPARED, rarity))
    return levelled, scoring.learned(levelled, prepared, COMPARED, rarity)


def test_weights_depend_on_neither_order_nor_partitions(prepared, stage):
    turned = prepared.orderBy("finer", "profile_id", ascending=False).repartition(3)
    assert _learned(stage, turned)[1].version == _learned(stage, prepared)[1].version


def test_records_of_one_person_end_in_one_cluster_but_for_separated_ones(prepared, stage):
    levelled, weights = _learned(stage, prepared)
    rarity = weights.rarity
    assert rarity.words["name"]["frank"] == pytest.approx(np.log2(49 / 7), abs=0.05)
    assert "brightmn" not in rarity.words["name"]  # one or two bear it
    by_id = {row.profile_id: row.forms for row in prepared.collect()}
    for row in levelled.collect():
        expected = compare(by_id[row.left], by_id[row.right], COMPARED, rarity)
        assert tuple(row.levels) == expected
    scored = stage("scored", scoring.scored(levelled, weights))
    pairs = [tuple(row) for row in scored.select("left", "right", "score").collect()]
    together = [set(one.members) for one in linked_clusters(pairs, [("00a", "00b")])]
    for number in range(1, 16):
        assert {f"{number:02}{record}" for record in "abc"} in together
    assert not any({"00a", "00b"} <= members for members in together)


def test_weights_need_pairs_to_be_learned_from(spark, model):
    schema = "profile_id string, group_id string, name string, born string, town string"
    alone = spark.createDataFrame([("a", "g", "Ada", None, None)], schema)
    prepared = blocking.prepared(alone, COMPARED, model)
    rarity = scoring.rarity(prepared, COMPARED)
    nothing = scoring.levelled(_candidates(prepared), prepared, COMPARED, rarity)
    with pytest.raises(InputError, match="two profiles"):
        scoring.learned(nothing, prepared, COMPARED, rarity)
