"""Scores against a plain implementation; order worked out by hand."""

from __future__ import annotations

import math

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.query.bm25 import K1, B, scores
from regesta.query.question import Ranked, ranked

WORDS = st.sampled_from("abcde")
DOCUMENTS = st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=12)


def plain(query, documents, visible):
    """BM25 as in Robertson and Zaragoza, a sum over the words of the query."""
    shown = [document for document, see in zip(documents, visible, strict=True) if see]
    mean = sum(map(len, shown)) / len(shown) if shown else 0
    result = []
    for document, see in zip(documents, visible, strict=True):
        score = 0.0
        for word in query if see else []:
            having = sum(word in each for each in shown)
            count = document.count(word)
            if count:
                idf = math.log(1 + (len(shown) - having + 0.5) / (having + 0.5))
                score += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(document) / mean))
        result.append(score)
    return result


def indexed(query, documents, visible):
    postings = {}
    for word in query:
        rows = [row for row, document in enumerate(documents) if word in document]
        counts = [documents[row].count(word) for row in rows]
        postings[word] = (np.array(rows, np.int32), np.array(counts, np.uint16))
    lengths = np.array([len(document) for document in documents], np.int32)
    return scores(query, postings, lengths, np.array(visible, bool))


@given(st.lists(WORDS, max_size=4), DOCUMENTS, st.data())
def test_scores_equal_a_plain_implementation(query, documents, data):
    size = len(documents)
    visible = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    wanted = plain(query, documents, visible)
    assert indexed(query, documents, visible) == pytest.approx(wanted, abs=1e-6)


@given(st.lists(WORDS, min_size=1, max_size=4), DOCUMENTS.filter(any))
def test_scores_equal_those_of_bm25s(query, documents):
    """Its "lucene" method leaves out the constant factor k1 + 1; it sums in 32 bits."""
    theirs = bm25s.BM25(method="lucene", k1=K1, b=B)
    theirs.index(documents, show_progress=False)
    known = [word for word in query if any(word in each for each in documents)]
    wanted = theirs.get_scores(known) * (K1 + 1) if known else np.zeros(len(documents))
    found = indexed(query, documents, [True] * len(documents))
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-4)


def test_order_by_hand():
    documents = [["fox"], ["fox", "dog"], ["fox", "fox"], ["dog"], ["cat"]]
    found = indexed(["fox"], documents, [True] * 5)
    # Twice in two words beats once in one word; once in two words comes last.
    assert ranked(np.arange(3), found[:3], 10).rows.tolist() == [2, 0, 1]
    # N = 5, n = 3, mean length 7/5: idf = ln(1 + 2.5/3.5); length 1.
    assert found[0] == round(math.log(12 / 7) * 2.2 / (1 + 1.2 * (0.25 + 0.75 / 1.4)), 6)


def test_ties_go_to_the_earlier_row():
    rows, scores = np.arange(1, 7), np.array([2.0, 1.0, 2.0, 1.0, 1.0, 2.0])
    assert ranked(rows, scores, 2).rows.tolist() == [1, 3]
    assert ranked(rows, scores, 4).rows.tolist() == [1, 3, 6, 2]
    assert ranked(rows, scores, 99).rows.tolist() == [1, 3, 6, 2, 4, 5]
    assert ranked(rows[::-1], scores[::-1], 4).rows.tolist() == [1, 3, 6, 2]


def test_equal_scores_share_a_rank():
    found = Ranked(np.arange(5), np.array([3.0, 2.0, 2.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 2, 2, 2, 5]
