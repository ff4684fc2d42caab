"""Nodes and links as arrays: shortest hops and personalised PageRank. Links have no direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
UNREACHED: Final = -1
DAMPING: Final = 0.85
_TOLERANCE: Final = 1e-10
_MOST_ROUNDS: Final = 200


@dataclass(frozen=True)
class Network:
    """`size` nodes, numbered from 0; a link joins `left[i]` and `right[i]`, repeated ones too."""

    size: int
    left: Array
    right: Array

    @cached_property
    def degrees(self) -> Array:
        """Return the number of links of each node, those to itself left out."""
        return np.asarray(np.bincount(np.concatenate(self._apart), minlength=self.size))

    @cached_property
    def _apart(self) -> tuple[Array, Array]:
        apart = self.left != self.right
        return self.left[apart], self.right[apart]

    def distances(self, seeds: Array, most: int | None = None) -> Array:
        """Return the fewest hops from any seed to each node; UNREACHED where more than `most`."""
        hops = np.full(self.size, UNREACHED, np.int64)
        hops[seeds] = 0
        reached, hop = hops == 0, 0
        while reached.any() and (most is None or hop < most):
            hop += 1
            beside = np.zeros(self.size, bool)
            beside[self.right[reached[self.left]]] = True
            beside[self.left[reached[self.right]]] = True
            reached = beside & (hops == UNREACHED)
            hops[reached] = hop
        return hops

    def page_rank(self, seeds: Array, weights: Array) -> Array:
        """Return the share of a walk that each node has, when the walk restarts at the seeds.

        It follows a random link with probability DAMPING, else restarts, as it does where there is
        no link (Haveliwala, "Topic-sensitive PageRank", 2002). A link counts as often as it is
        repeated, one from a node to itself not at all.
        """
        restart = np.zeros(self.size)
        np.add.at(restart, seeds, weights)
        restart /= restart.sum()
        left, right = self._apart
        share, alone = restart, self.degrees == 0
        for _ in range(_MOST_ROUNDS):
            sent = share / np.maximum(self.degrees, 1)
            moved = np.bincount(right, sent[left], minlength=self.size)
            moved += np.bincount(left, sent[right], minlength=self.size)
            after = DAMPING * (moved + share[alone].sum() * restart) + (1 - DAMPING) * restart
            if np.abs(after - share).sum() < _TOLERANCE:
                return np.asarray(after)
            share = after
        return share
