"""Candidates of one scope over all groups that are asked: (group, row) as one number, its key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np

from regesta.query.network import Array
from regesta.query.question import Question, Ranked, ranked
from regesta.query.recipes import ScopeRecipe

_STRIDE: Final = 2**40


class CrossEncoder(Protocol):
    """Judges how well each passage answers a question."""

    def __call__(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return one score per passage, in their order; a higher one is better."""


class Part(NamedTuple):
    """What one group has of some candidates: its question, their places among all, its rows."""

    question: Question
    places: Array
    rows: Array


@dataclass(frozen=True)
class Pool:
    """One scope of a search: a question for each group, and how the scope is searched."""

    questions: Sequence[Question]
    recipe: ScopeRecipe
    cross_encoder: CrossEncoder | None = None

    def keys(self, number: int, rows: Array) -> Array:
        """Return the keys of rows of the group with that number."""
        return number * _STRIDE + np.asarray(rows, np.int64)

    def parts(self, keys: Array) -> Iterator[Part]:
        """Yield for each group that has some of the candidates which they are."""
        owners, rows = np.divmod(keys, _STRIDE)
        for number in np.unique(owners):
            places = np.flatnonzero(owners == number)
            yield Part(self.questions[int(number)], places, rows[places])

    def place(self, key: int) -> tuple[int, int]:
        """Return the number of the group and the row of a key."""
        number, row = divmod(int(key), _STRIDE)
        return number, row

    def merged(self, lists: Sequence[Ranked]) -> Ranked:
        """Join the lists of all groups, in their order, by the scores; rows become keys."""
        keys = [self.keys(number, each.rows) for number, each in enumerate(lists)]
        if len(lists) == 1:
            return Ranked(keys[0], lists[0].scores)
        scores = np.concatenate([each.scores for each in lists])
        return ranked(np.concatenate(keys), scores, self.recipe.candidates)
