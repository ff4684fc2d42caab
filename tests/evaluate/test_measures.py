"""The measures, by hand and against the definitions spelled out over all items and instants."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from itertools import pairwise as pairwise_of

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.evaluate.coding import Links, shared_codes
from regesta.evaluate.measures import Spans, b_cubed, joined, overlap, pairwise, score

TEN = range(10)


def test_pairs_by_hand():
    # gold {a b c} {d e} {f}; predicted {a b} {c d} {e f}: 4 and 3 pairs, of which a-b is in both.
    gold, predicted = np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 6, 6, 7, 7])
    found = pairwise(gold, predicted)
    assert (found.right, found.wrong, found.missed) == (1, 2, 3)
    assert (found.precision, found.recall, found.f1) == (1 / 3, 1 / 4, 2 / 7)


def test_b_cubed_by_hand():
    # The example of Bagga and Baldwin (1998): 12 mentions, {1-5} {6-7} {8-A} and C; the response
    # that joins the two small clusters has precision 0.76, the one that joins two large ones 0.58.
    gold = np.array([0] * 5 + [1] * 2 + [2] * 5)
    small = np.array([0] * 5 + [1] * 7)
    large = np.array([0] * 5 + [1] * 2 + [0] * 5)
    assert b_cubed(gold, small)[:2] == (pytest.approx(0.7619, abs=5e-5), 1.0)
    assert b_cubed(gold, large)[:2] == (pytest.approx(0.5833, abs=5e-5), 1.0)


def test_what_is_in_no_cluster_is_missed_and_not_wrong():
    gold, predicted = np.array([0, 0, 1]), np.array([3, -1, -1])
    found = pairwise(gold, predicted)
    assert (found.right, found.wrong, found.missed) == (0, 0, 1)
    assert b_cubed(gold, predicted)[:2] == (1.0, pytest.approx(1 / 6))


def test_shares_of_nothing_are_no_numbers():
    assert (score(0, 0, 0).precision, score(0, 0, 3).recall, score(0, 0, 0).f1) == (None, 0, None)
    assert score(0, 2, 0).recall is None


clusterings = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), min_size=1, max_size=12)


@given(clusterings)
def test_pairs_are_those_of_all_pairs_of_items(items):
    gold = {p for p in combinations(range(len(items)), 2) if items[p[0]][0] == items[p[1]][0]}
    predicted = {
        p
        for p in combinations(range(len(items)), 2)
        if items[p[0]][1] == items[p[1]][1] and items[p[0]][1] >= 0
    }
    found = pairwise(*np.array(items).T)
    assert found.right == len(gold & predicted)
    assert (found.wrong, found.missed) == (len(predicted - gold), len(gold - predicted))


@given(clusterings)
def test_b_cubed_is_the_mean_over_items_of_the_overlap_of_their_clusters(items):
    real = [{j for j, (g, _) in enumerate(items) if g == gold} for gold, _ in items]
    told = [{j for j, (_, p) in enumerate(items) if p == own and p >= 0} for _, own in items]
    precisions = [Fraction(len(r & t), len(t)) for r, t in zip(real, told, strict=True) if t]
    recalls = [Fraction(len(r & t), len(r)) for r, t in zip(real, told, strict=True)]
    precision, recall, f1 = b_cubed(*np.array(items).T)
    if precisions:
        expected = sum(precisions) / len(precisions)
        assert precision == pytest.approx(float(expected))
        whole = sum(recalls) / len(recalls)
        assert f1 == pytest.approx(float(2 * expected * whole / (expected + whole)))
    else:
        assert precision is None
    assert recall == pytest.approx(float(sum(recalls) / len(recalls)))


def spans(rows):
    """Return (key, start, end) as spans that remember their places."""
    table = np.array(rows, np.int64).reshape(-1, 3)
    return Spans(table[:, 0], table[:, 1], table[:, 2], np.arange(len(table)))


some_spans = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)))


def held(rows, key):
    return {at for k, start, end in rows if k == key for at in TEN if start <= at < end}


def test_spans_that_meet_are_joined_and_others_are_not():
    found = joined(spans([(7, 3, 5), (7, 1, 3), (7, 6, 8), (8, 5, 6), (7, 6, 6)]))
    assert list(zip(found.key, found.start, found.end, found.row, strict=True)) == [
        (7, 1, 5, 1),
        (7, 6, 8, 2),
        (8, 5, 6, 3),
    ]


@given(some_spans)
def test_joined_spans_hold_the_same_instants_with_gaps_between(rows):
    found = joined(spans(rows))
    after = list(zip(found.key, found.start, found.end, strict=True))
    for key in range(3):
        assert held(after, key) == held(rows, key)
        ends = sorted((start, end) for k, start, end in after if k == key)
        assert all(one[1] < other[0] for one, other in pairwise_of(ends))
    for k, start, row in zip(found.key, found.start, found.row, strict=True):
        assert rows[row][:2] == (k, start)


def test_overlap_by_hand():
    # 10 days of which the first 5 are believed, and 5 more that nobody tells of: 5 of 15.
    found = overlap(spans([(0, 0, 10)]), spans([(0, 0, 5), (0, 10, 15), (1, 0, 1)]), 3)
    assert found[:2].tolist() == [pytest.approx(1 / 3), 0.0]
    assert np.isnan(found[2])


@given(some_spans, some_spans)
def test_overlap_is_that_of_the_instants_held(left, right):
    found = overlap(spans(left), spans(right), 3)
    for key in range(3):
        both, one = held(left, key) & held(right, key), held(left, key) | held(right, key)
        if one:
            assert found[key] == pytest.approx(len(both) / len(one))
        else:
            assert np.isnan(found[key])


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-(2**62), 2**62)), max_size=8))
def test_codes_are_equal_where_rows_are(rows):
    table = np.array(rows, np.int64).reshape(-1, 2)
    first, second = shared_codes((table[:, 0], table[:, 1]), (table[::-1, 0], table[::-1, 1]))
    codes = [*first, *second]
    every = [*rows, *rows[::-1]]
    for i, j in combinations(range(len(every)), 2):
        assert (codes[i] == codes[j]) == (every[i] == every[j])


def test_links_give_all_that_a_code_stands_for():
    links = Links(np.array([4, 2, 4, 4]), np.array([1, 9, 0, 1]))
    places, values = links.expand(np.array([4, 3, 2]))
    assert (places.tolist(), values.tolist()) == ([0, 0, 2], [0, 1, 9])
