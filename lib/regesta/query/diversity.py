"""Maximal marginal relevance over unit vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from regesta.query.analysis import terms
from regesta.query.bm25 import DECIMALS
from regesta.query.network import Array


def maximal_marginal_relevance(
    question: Array, rows: Array, diversity: float
) -> tuple[Array, Array]:
    """Return the places of `rows` in the order in which they are taken, and their scores then.

    `question` is a unit vector (d,), `rows` are unit vectors (n, d). Taken is each time the row
    with the greatest (1 - diversity) * cosine to the question - diversity * greatest cosine to a
    row already taken (Carbonell and Goldstein, 1998); of equal ones the earlier.
    """
    relevance, likeness = rows @ question, rows @ rows.T
    nearest = np.zeros(len(rows))
    left = np.ones(len(rows), bool)
    order, scores = np.empty(len(rows), np.int64), np.empty(len(rows))
    for turn in range(len(rows)):
        worth = np.round((1 - diversity) * relevance - diversity * nearest, DECIMALS)
        order[turn] = taken = int(np.argmax(np.where(left, worth, -np.inf)))
        scores[turn], left[taken] = worth[taken], False
        nearest = np.maximum(nearest, likeness[taken]) if turn else likeness[taken]
    return order, scores


def word_vectors(texts: Sequence[str]) -> Array:
    """Return unit vectors (texts, terms) of how often each term occurs; no term, no direction."""
    counted = [Counter(terms(text)) for text in texts]
    numbers = {word: n for n, word in enumerate(sorted(set().union(*counted)))}
    vectors = np.zeros((len(texts), len(numbers)))
    for row, counts in enumerate(counted):
        for word, count in counts.items():
            vectors[row, numbers[word]] = count
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
