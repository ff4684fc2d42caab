"""How much of the evidence of LoCoMo's questions a search over raw episodes finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from regesta.evaluate.locomo import CATEGORIES, Asked, Locomo
from regesta.evaluate.recall import Estimate, estimates, recall
from regesta.query import Recipe, ScopeRecipe, Snapshot

AT: Final = (5, 10, 50)
TUNED_ON: Final = 3
"""By the first so many conversations settings are chosen; what is claimed is that of the rest."""
_ALL_TURNS: Final = 1000
_ALL: Final = "all"

Progress = Callable[[int], None]


def _recipe(methods: Sequence[str], **settings: Any) -> Recipe:
    scope = ScopeRecipe(tuple(methods), candidates=_ALL_TURNS, **settings)
    return Recipe("locomo", {"episodes": scope})


SCORED: Final[Mapping[str, Recipe]] = {
    "words (BM25)": _recipe(["bm25"]),
    "words, with neighbours": _recipe(["bm25"], thread_share=0.5),
}


@dataclass(frozen=True)
class Recall:
    """What one recipe finds of one category in one part of the conversations."""

    recipe: str
    part: str
    category: str
    questions: int
    at: Mapping[int, Estimate]


def score_locomo(locomo: Locomo, snapshot: Snapshot, progress: Progress) -> list[Recall]:
    """Return recall by recipe, part and category; `progress` is told of each question asked."""
    return [
        each
        for name, recipe in SCORED.items()
        for each in _parts(name, locomo, _shares(locomo.questions, snapshot, recipe, progress))
    ]


def _shares(
    questions: Iterable[Asked], snapshot: Snapshot, recipe: Recipe, progress: Progress
) -> list[list[float]]:
    graphs = {name: snapshot.group(name) for name in snapshot.groups()}
    found = []
    for asked in questions:
        hits = graphs[asked.conversation].search(asked.text, recipe=recipe, limit=max(AT))
        ids = [hit.episode.source_id for hit in hits if hit.episode]
        found.append(recall(asked.evidence, ids, AT))
        progress(1)
    return found


def _parts(name: str, locomo: Locomo, shares: Sequence[Sequence[float]]) -> list[Recall]:
    order = locomo.conversations
    owners = np.array([order.index(asked.conversation) for asked in locomo.questions])
    categories = np.array([asked.category for asked in locomo.questions])
    every, found = np.array(shares), []
    for part, inside in (("tuned on", owners < TUNED_ON), ("held out", owners >= TUNED_ON)):
        for category in (_ALL, *CATEGORIES.values()):
            rows = inside & ((categories == category) | (category == _ALL))
            if rows.any():
                estimated = estimates(every[rows], owners[rows])
                at = dict(zip(AT, estimated, strict=True))
                found.append(Recall(name, part, category, int(rows.sum()), at))
    return found
