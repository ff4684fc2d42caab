"""How much it tells that two share a value: in bits, after how often it occurs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from typing import Final

CEILING: Final = 13.0
"""Bits of a value that is not listed, for it is rare: one in 8192 bears it."""
FEWEST: Final = 5
"""Profiles that bear a listed value; what fewer bear would tell of single people in the weights."""
EDGES: Final = (5.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0)
CLASSES: Final = len(EDGES) + 1
"""Classes of rarity: 0 is the most common."""


@dataclass(frozen=True)
class Rarity:
    """Bits of the common words and values by attribute; of a name or a text, of single words too.

    `words` and `values` hold what FEWEST profiles or more bear, and more than one in 2**CEILING of
    those with a value.
    """

    words: Mapping[str, Mapping[str, float]]
    values: Mapping[str, Mapping[str, float]]

    def rank(self, attribute: str, value: str) -> int:
        """Return the class of rarity of a whole value."""
        return bisect_right(EDGES, self.values[attribute].get(value, CEILING))


def bits(count: int, total: int) -> float:
    """Return the bits of what `count` of `total` bear, at a tenth of a bit."""
    return min(CEILING, round(log2(total / count), 1))
