"""The word index of a table's rows: postings per group, built with numpy."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from regesta.query.analysis import chunk_terms, chunks

Array = npt.NDArray[Any]
_MOST: Final = 2**16 - 1


def word_index(texts: pa.Array, groups: Array, count: int) -> tuple[dict[str, Array], Array]:
    """Return the arrays of `layout.array_name` for `texts`, and the pairs' ends per group.

    `groups` is int64 (rows,): the number of each row's group, ascending, below `count`. The second
    result is int64 (count,): where the pairs of each end. Each distinct text is analysed once.
    """
    encoded = texts.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    words, ends, vocabulary = _analyse(encoded.dictionary.to_pylist())
    order = np.array(sorted(range(len(vocabulary)), key=vocabulary.__getitem__), np.int64)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    lengths = np.diff(ends, prepend=0)[codes]
    rows = np.repeat(np.arange(len(codes)), lengths)
    tokens = ranks[words[_expanded(ends, codes, lengths)]]
    encoded_words = [vocabulary[place].encode() for place in order]
    arrays, pair_groups = _postings(rows, tokens, groups, len(order))
    arrays["lengths"] = lengths.astype(np.int32)
    arrays["words"] = np.frombuffer(b"".join(encoded_words), np.uint8)
    arrays["word_ends"] = np.cumsum([len(word) for word in encoded_words], dtype=np.int64)
    return arrays, np.searchsorted(pair_groups, np.arange(count), side="right")


def _analyse(texts: Sequence[str]) -> tuple[Array, Array, list[str]]:
    """Return term numbers of all texts in a row, where each text's end, and the terms by number."""
    numbers: dict[str, int] = {}
    known: dict[str, tuple[int, ...]] = {}
    words, ends = array("i"), array("q")
    for text in texts:
        for chunk in chunks(text):
            found = known.get(chunk)
            if found is None:
                each = chunk_terms.__wrapped__(chunk)
                found = known[chunk] = tuple(numbers.setdefault(t, len(numbers)) for t in each)
            words.extend(found)
        ends.append(len(words))
    return np.array(words, np.int64), np.array(ends, np.int64), list(numbers)


def _expanded(ends: Array, codes: Array, lengths: Array) -> Array:
    """Return the places of each row's words: the ranges of its text, one after another."""
    starts = np.concatenate([[0], ends])[codes]
    before = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    return np.asarray(np.arange(total) + np.repeat(starts - before, lengths), np.int64)


def _postings(
    rows: Array, tokens: Array, groups: Array, words: int
) -> tuple[dict[str, Array], Array]:
    """Sort (group, term, row) and count repetitions; also return the group of each pair."""
    pairs = groups[rows] * max(words, 1) + tokens
    order = np.argsort(pairs, kind="stable")
    pairs, rows = pairs[order], rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = (pairs[1:] != pairs[:-1]) | (rows[1:] != rows[:-1])
    places = np.flatnonzero(first)
    counts = np.diff(places, append=len(rows))
    pairs = pairs[places]
    last = np.flatnonzero(np.append(pairs[1:] != pairs[:-1], True)) if len(pairs) else places
    arrays: dict[str, Array] = {
        "pairs": (pairs[last] % max(words, 1)).astype(np.int32),
        "pair_ends": (last + 1).astype(np.int64),
        "docs": rows[places].astype(np.int32),
        "counts": np.minimum(counts, _MOST).astype(np.uint16),
    }
    return arrays, pairs[last] // max(words, 1)
