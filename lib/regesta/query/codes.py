"""Signs of vectors as bits: a first pass over many of them, of which the nearest are compared.

Vectors at a small angle differ in few signs (Charikar, "Similarity estimation techniques from
rounding algorithms", 2002). A code is a fraction of its vector, and counting bits is quick.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_WORD: Final = 8
"""Bytes of the words that bits are counted in."""


def sign_codes(vectors: Array) -> Array:
    """Return uint64 (words, vectors): a bit for each number that is above zero."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // _WORD) * _WORD), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def differing(codes: Array, code: Array) -> Array:
    """Return uint16 (vectors,): in how many signs each of `codes` differs from `code` (words,)."""
    found = np.zeros(codes.shape[1], np.uint16)
    for each, word in zip(codes, code, strict=True):
        found += np.bitwise_count(each ^ word)
    return found


def nearest(distances: Array, count: int) -> Array:
    """Return the places of the `count` least distances, and of those as great as the last one."""
    upto = np.bincount(distances).cumsum()
    return np.flatnonzero(distances <= np.searchsorted(upto, count))
