"""Weights learned without labels, held against the mixture that made the pairs."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from regesta.match.declaration import Compared
from regesta.match.learning import Histogram, learn
from regesta.match.levels import MISSING, count
from regesta.match.rarity import CLASSES, Rarity
from regesta.match.weights import code_count, codes, read

NAMES = ("colour", "shape", "size", "maker")
COMPARED = Compared(attributes=dict.fromkeys(NAMES, "category"))
RARITY = Rarity(words={}, values={name: {} for name in NAMES})
EQUAL, DIFFERENT = CLASSES, CLASSES + 1
MATCHING, OTHERS = (0.9, 0.8, 0.95, 0.7), (0.1, 0.05, 0.02, 0.2)
SHARE, PAIRS = 0.001, 10_000_000


@pytest.fixture(scope="module")
def weights():
    patterns = np.array(list(product((EQUAL, DIFFERENT), repeat=4)), np.int16)

    def likely(equal):
        return np.prod(np.where(patterns == EQUAL, equal, 1 - np.array(equal)), axis=1)

    matching, others = likely(MATCHING) * SHARE, likely(OTHERS) * (1 - SHARE)
    all_pairs = Histogram(patterns, (matching + others) * PAIRS)
    return learn(COMPARED, RARITY, all_pairs, all_pairs, PAIRS)


def test_the_mixture_is_found_again(weights):
    assert weights.prior == pytest.approx(np.log(SHARE / (1 - SHARE)), abs=0.02)
    for factor, (m, u) in enumerate(zip(MATCHING, OTHERS, strict=True)):
        assert weights.matching[factor][EQUAL] == pytest.approx(m, abs=0.01)
        assert weights.others[factor][EQUAL] == pytest.approx(u, abs=0.001)
        assert weights.added[factor][EQUAL] == pytest.approx(np.log(m / u), abs=0.02)
        assert weights.added[factor][DIFFERENT] == pytest.approx(
            np.log((1 - m) / (1 - u)), abs=0.05
        )


def test_a_missing_value_is_neutral_and_a_level_that_was_never_seen_says_nothing(weights):
    nothing = np.full((1, 4), MISSING, np.int16)
    assert weights.scores(nothing)[0] == weights.prior
    common = np.array([[1, MISSING, MISSING, MISSING]], np.int16)
    assert weights.scores(common)[0] == weights.prior


def test_scores_are_the_sum_of_the_weights(weights):
    pattern = np.array([[EQUAL, DIFFERENT, MISSING, EQUAL]], np.int16)
    expected = weights.prior + weights.added[0][EQUAL] + weights.added[1][DIFFERENT]
    assert weights.scores(pattern)[0] == pytest.approx(expected + weights.added[3][EQUAL])


def test_weights_are_printed_and_read_again(weights):
    printed = json.dumps(weights.document())
    again = read(json.loads(printed))
    assert again.version == weights.version
    assert json.dumps(again.document()) == printed
    pattern = np.array([[EQUAL, EQUAL, DIFFERENT, MISSING]], np.int16)
    assert again.scores(pattern) == weights.scores(pattern)


def test_changed_weights_are_refused(weights):
    document = json.loads(json.dumps(weights.document()))
    document["factors"][0]["levels"][EQUAL]["weight"] += 1
    with pytest.raises(ValueError, match="learn them again"):
        read(document)


def test_what_is_together_has_a_code_for_every_joint_level():
    joint = Compared(attributes=dict.fromkeys(NAMES, "category"), together=(("shape", "size"),))
    size = count("category") + 1
    assert joint.factors == (("shape", "size"), ("colour",), ("maker",))
    assert code_count(joint, ("shape", "size")) == size * size
    found = codes(joint, np.array([[1, 2, 3, 4], [0, 0, 0, 0]], np.int16))
    assert [code.tolist() for code in found] == [[2 * size + 3, 0], [1, 0], [4, 0]]
