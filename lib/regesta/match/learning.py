"""Weights learned without labels: expectation maximisation over patterns of levels. Pure numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from regesta.match.declaration import Compared
from regesta.match.rarity import Rarity
from regesta.match.weights import Codes, Levels, Numbers, Weights, code_count, codes, log_odds

MOST_ROUNDS: Final = 1000
CONVERGED: Final = 1e-6
"""Of the probability of any pattern, the change in a round at which learning ends."""
FAR_MORE: Final = 10.0
"""Times as many pairs as by chance: then the first guess is that they match."""
FEW: Final = 5.0
"""Pairs at a level; one that is seen as often has half the weight that they would give it."""
_DIGITS: Final = 12


@dataclass(frozen=True)
class Histogram:
    """Patterns of levels (patterns, attributes) and how many pairs have each."""

    patterns: Levels
    counts: Numbers


@dataclass(frozen=True)
class _Factor:
    """The candidates' patterns as codes, and how many of all pairs have each code by chance."""

    codes: Codes
    drawn: Numbers

    def by_code(self, pairs: Numbers) -> Numbers:
        """Return pairs by code; those without a value do not count."""
        counted = np.bincount(self.codes, weights=pairs, minlength=len(self.drawn))
        counted[0] = 0.0
        return np.asarray(counted)


@dataclass(frozen=True)
class _Evidence:
    compared: Compared
    rarity: Rarity
    factors: Sequence[_Factor]
    counts: Numbers
    pairs: float

    def first_guess(self) -> Numbers:
        """Return 1 for a pattern that far more pairs have than are expected to by chance."""
        expected = np.full(len(self.counts), np.log(self.pairs))
        for factor in self.factors:
            missing = max(self.pairs - factor.drawn.sum(), 0.0)
            shares = np.concatenate([[missing], factor.drawn[1:]]) + 1.0
            expected += np.log(shares / shares.sum())[factor.codes]
        return np.asarray(np.log(self.counts / FAR_MORE) > expected, np.float64)

    def weights(self, probable: Numbers) -> Weights:
        """Return the weights that make the patterns most likely, given how probably they match."""
        matches = self.counts * probable
        share = min(max(matches.sum(), 1.0) / self.pairs, 0.5)
        columns = [_columns(factor, matches, self.counts - matches) for factor in self.factors]
        matching, others, added = zip(*columns, strict=True)
        return Weights(self.compared, self.rarity, log_odds(share), matching, others, added)


def learn(
    compared: Compared, rarity: Rarity, candidates: Histogram, drawn: Histogram, pairs: float
) -> Weights:
    """Return the weights for which the candidates' patterns are most likely.

    `drawn` are pairs drawn at random from all `pairs`; what no blocking rule proposes is taken for
    no match. Levels of what doesn't match come from the pairs at random, less the matches among
    them (which are many where every record has duplicates), and are at least as frequent as the
    candidates that do not match show. All factors are taken for independent. The first guess: what
    far more pairs agree on than would by chance matches.
    """
    factors = _factors(compared, candidates, drawn, pairs)
    evidence = _Evidence(compared, rarity, factors, candidates.counts, pairs)
    probable = evidence.first_guess()
    for _ in range(MOST_ROUNDS):
        weights = evidence.weights(probable)
        before, probable = probable, _probable(weights, candidates.patterns)
        if np.abs(probable - before).max(initial=0.0) < CONVERGED:
            break
    return weights


def _factors(
    compared: Compared, candidates: Histogram, drawn: Histogram, pairs: float
) -> list[_Factor]:
    scale = pairs / drawn.counts.sum()
    found = []
    for factor, code, by_chance in zip(
        compared.factors,
        codes(compared, candidates.patterns),
        codes(compared, drawn.patterns),
        strict=True,
    ):
        size = code_count(compared, factor)
        counted = np.bincount(by_chance, weights=drawn.counts, minlength=size)
        # Less a standard deviation: a few pairs at a rare level are chance, or they match.
        counted = (counted - np.sqrt(counted)) * scale
        counted[0] = 0.0
        found.append(_Factor(code, np.asarray(counted)))
    return found


def _columns(
    factor: _Factor, matches: Numbers, rest: Numbers
) -> tuple[list[float], list[float], list[float]]:
    """Return the shares of matching and of other pairs, and the weights, by code."""
    joined, parted = factor.by_code(matches), factor.by_code(rest)
    m = _shares(joined + 0.5)
    u = _shares(np.maximum(factor.drawn - joined, parted) + 1.0)
    known = joined + parted
    weight = np.log(m / u) * known / (known + FEW)
    weight[0] = 0.0
    return (
        np.round(m, _DIGITS).tolist(),
        np.round(u, _DIGITS).tolist(),
        np.round(weight, _DIGITS).tolist(),
    )


def _shares(counted: Numbers) -> Numbers:
    """Return each code's share of the pairs that have a value; code 0 has none, and gives 1."""
    shares = counted / counted[1:].sum()
    shares[0] = 1.0
    return np.asarray(shares)


def _probable(weights: Weights, patterns: Levels) -> Numbers:
    return np.asarray(1.0 / (1.0 + np.exp(-weights.scores(patterns))))
