"""The postings equal those of a plain loop."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from regesta.publish.index import word_index
from regesta.query.analysis import terms

TEXTS = st.lists(st.sampled_from(["red fox", "", "a red red dog", "INC0042", "fox den", "東京都"]))


@given(st.lists(TEXTS, max_size=4))
def test_postings_are_those_of_a_plain_loop(groups):
    texts = [text for group in groups for text in group]
    numbers = np.array([n for n, group in enumerate(groups) for _ in group], np.int64)
    arrays, ends = word_index(pa.array(texts, pa.string()), numbers, len(groups))
    assert len(ends) == len(groups)
    wanted = Counter(
        (int(number), term, row)
        for row, (number, text) in enumerate(zip(numbers, texts, strict=True))
        for term in terms(text)
    )
    assert read(arrays, ends) == wanted
    assert arrays["lengths"].tolist() == [len(terms(text)) for text in texts]


def read(arrays, ends):
    found, words, first = Counter(), split(arrays), 0
    for group, end in enumerate(ends.tolist()):
        pairs = arrays["pairs"][first:end].tolist()
        assert pairs == sorted(set(pairs))
        for pair in range(first, end):
            start = int(arrays["pair_ends"][pair - 1]) if pair else 0
            for place in range(start, int(arrays["pair_ends"][pair])):
                key = (group, words[arrays["pairs"][pair]], int(arrays["docs"][place]))
                found[key] = int(arrays["counts"][place])
        first = end
    return found


def split(arrays):
    ends = arrays["word_ends"].tolist()
    starts = [0, *ends][:-1]
    words = [arrays["words"][a:b].tobytes().decode() for a, b in zip(starts, ends, strict=True)]
    assert words == sorted(set(words), key=str.encode)
    return words
