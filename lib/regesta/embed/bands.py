"""Bands of a vector's signs: texts of near meaning are likely to share one. Pure.

Locality-sensitive hashing of Charikar (2002): each of `BITS` fixed planes gives a bit, the side on
which the vector lies, and the bits of a band are one key. Whether two texts share a band depends on
these two alone: with a cosine of .95 four in five do, with .9 two in five, with .6 one in a
hundred.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from regesta.embed.encoder import Array

BITS: Final = 20
BANDS: Final = 12
_SEED: Final = 20
_POWERS: Final = 2 ** np.arange(BITS, dtype=np.int64)


def bands(vectors: Array) -> list[tuple[str, ...]]:
    """Return the keys of each of the rows, each with its band's number; none for zeros."""
    sides = vectors @ _planes(vectors.shape[1]) > 0
    codes = sides.reshape(len(vectors), BANDS, BITS) @ _POWERS
    found = np.any(vectors, axis=1)
    return [
        tuple(f"{number:x}.{code:x}" for number, code in enumerate(row)) if is_any else ()
        for row, is_any in zip(codes.tolist(), found, strict=True)
    ]


@cache
def _planes(dimension: int) -> Array:
    # The legacy generator gives the same numbers in every release of numpy.
    drawn = np.random.RandomState(_SEED).standard_normal((dimension, BITS * BANDS))
    return np.asarray(drawn, np.float32)
