"""Recall at k with intervals of confidence, where questions belong to conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_ROUNDS: Final = 1000
_SEED: Final = 1
_MIDDLE: Final = (0.025, 0.975)


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval of 95% confidence."""

    mean: float
    low: float
    high: float


def recall(wanted: frozenset[str], found: Sequence[str], at: Sequence[int]) -> list[float]:
    """Return which share of what is wanted is among the first so many found."""
    return [len(wanted.intersection(found[:most])) / len(wanted) for most in at]


def estimates(shares: Array, owners: Array) -> list[Estimate]:
    """Return the mean of each column of `shares` (questions, columns) with its interval.

    Questions of one conversation (`owners`) resemble each other, so conversations are drawn with
    replacement and then their questions (the two-stage bootstrap of Davison and Hinkley, 1997,
    section 3.8); the draws are the same every time.
    """
    parts = [shares[owners == each] for each in np.unique(owners)]
    generator = np.random.default_rng(_SEED)
    means = np.stack([_drawn(parts, generator) for _ in range(_ROUNDS)])
    low, high = np.quantile(means, _MIDDLE, axis=0)
    rows = zip(shares.mean(axis=0), low, high, strict=True)
    return [Estimate(*(round(float(each), 4) for each in row)) for row in rows]


def _drawn(parts: Sequence[Array], generator: np.random.Generator) -> Array:
    chosen = (parts[number] for number in generator.integers(len(parts), size=len(parts)))
    drawn = [each[generator.integers(len(each), size=len(each))] for each in chosen]
    return np.asarray(np.concatenate(drawn).mean(axis=0))
