"""BM25 over the rows of one group that an as-of lets through.

The statistics (number of documents, document frequency, mean length) are those of the visible rows,
so a score as known at a past time never changes and tells nothing of what is hidden.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

K1: Final = 1.2
B: Final = 0.75
DECIMALS: Final = 6
"""Scores are rounded to these before they are ordered: the last bits depend on the processor."""

Postings = tuple[npt.NDArray[Any], npt.NDArray[Any]]


def scores(
    query: Sequence[str],
    postings: Mapping[str, Postings],
    lengths: npt.NDArray[Any],
    mask: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """Return one score per row, 0 where no term occurs or the row is masked.

    `postings` gives rows and counts per term, `lengths` the terms per row. The formula is that of
    Robertson and Zaragoza (2009), with an idf that can't be negative: ln(1 + (N-n+.5)/(n+.5)).
    """
    total = np.zeros(len(lengths))
    visible = int(np.count_nonzero(mask))
    mean = int(lengths[mask].sum()) / visible if visible else 0.0
    for term, repeats in sorted(Counter(query).items()):
        rows, counts = postings[term]
        keep = mask[rows]
        rows, counts = rows[keep], counts[keep].astype(np.float64)
        if len(rows):
            rarity = math.log(1 + (visible - len(rows) + 0.5) / (len(rows) + 0.5))
            norm = K1 * (1 - B + B * lengths[rows] / mean)
            total[rows] += repeats * rarity * counts * (K1 + 1) / (counts + norm)
    return np.round(total, DECIMALS)
