"""How much of the evidence of LoCoMo's questions a search over raw episodes finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from regesta.evaluate.locomo import CATEGORIES, Asked, Locomo
from regesta.evaluate.recall import Estimate, estimates, recall
from regesta.query import RECIPES, Recipe, Snapshot
from regesta.query.recipes import recipe_for

AT: Final = (5, 10, 50)
TUNED_ON: Final = 3
"""By the first so many conversations settings are chosen; what is claimed is that of the rest."""
_ALL: Final = "all"

Progress = Callable[[int], None]


SHIPPED: Final = "episode_hybrid_thread"
"""The recipe that episodes are searched by where none is named."""


def scored(snapshot: Snapshot) -> dict[str, Recipe]:
    """Return the recipes measured, part by part up to the shipped one.

    Without vectors they are those by words.
    """
    has_vectors = snapshot.manifest.embedding is not None
    shipped = recipe_for(SHIPPED, None, has_vectors=has_vectors)
    (whole,) = shipped.scopes.values()
    without_date = replace(whole, methods=[each for each in whole.methods if each != "date"])
    alone = [each for each in without_date.methods if each != "author"]
    parts = {
        "by score": replace(without_date, methods=alone, thread_share=0.0),
        "by score, with neighbours in the thread": replace(without_date, methods=alone),
        "the same, and the author": without_date,
    }
    return {
        "words (BM25)": RECIPES["episode_bm25"],
        **({"meaning (cosine)": RECIPES["episode_cosine"]} if has_vectors else {}),
        **({"both by rank": RECIPES["episode_hybrid_rrf"]} if has_vectors else {}),
        **{name: Recipe(name, {"episodes": each}) for name, each in parts.items()},
        f"the same, and the date: {SHIPPED}": shipped,
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
        for name, recipe in scored(snapshot).items()
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
