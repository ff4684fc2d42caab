"""A search: the recipe's scopes over one or more groups, from the question to ordered rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from regesta.query.filters import Filters, check_names, scope_mask
from regesta.query.fusion import reciprocal_rank_fusion, summed_scores, with_neighbours
from regesta.query.group import View
from regesta.query.methods import METHODS
from regesta.query.pool import CrossEncoder, Pool
from regesta.query.question import Asked, Origins, Question, Ranked, Scope
from regesta.query.recipes import Recipe, ScopeRecipe
from regesta.query.rerankers import RERANK


@dataclass(frozen=True)
class Search:
    """What is searched for, how, and from where: the same for all groups."""

    asked: Asked
    recipe: Recipe
    limit: int
    filters: Filters
    cross_encoder: CrossEncoder | None = None


class Start(NamedTuple):
    """A group to be searched, where its walks begin, and what distance is measured from."""

    view: View
    origins: Origins
    center: Origins


class Place(NamedTuple):
    """A row found: which of the groups, the row from its first, score and rank by method."""

    scope: Scope
    number: int
    row: int
    score: float
    ranks: Mapping[str, int]


def search(starts: Sequence[Start], wanted: Search) -> list[Place]:
    """Return the rows found, by scope and best first; `limit` holds for each scope.

    Raises QueryError for a filter that names what is in none of the groups.
    """
    check_names([start.view for start in starts], wanted.filters)
    return [
        place
        for scope, recipe in wanted.recipe.scopes.items()
        for place in _search_scope(starts, wanted, scope, recipe)
    ]


def _search_scope(
    starts: Sequence[Start], wanted: Search, scope: Scope, recipe: ScopeRecipe
) -> list[Place]:
    recipe = replace(recipe, candidates=max(recipe.candidates, wanted.limit))
    questions = [_question(start, wanted, scope, recipe) for start in starts]
    pool = Pool(questions, recipe, wanted.cross_encoder)
    found = _ask(pool)
    fused = _fuse(pool, found)
    order = RERANK[recipe.reranker](pool, fused) if recipe.reranker else fused
    best = Ranked(order.rows[: wanted.limit], order.scores[: wanted.limit])
    ranks = [_ranks(found, key) for key in best.rows]
    return [
        Place(scope, *pool.place(key), float(score), each)
        for key, score, each in zip(best.rows, best.scores, ranks, strict=True)
    ]


def _question(start: Start, wanted: Search, scope: Scope, recipe: ScopeRecipe) -> Question:
    return Question(
        view=start.view,
        scope=scope,
        mask=scope_mask(start.view, scope, wanted.filters),
        asked=wanted.asked,
        limit=recipe.candidates,
        hops=recipe.hops,
        origins=start.origins,
        center=start.center,
    )


def _ask(pool: Pool) -> dict[str, Ranked]:
    """Return each method's list over all groups; a method sees what those before it gave."""
    lists: dict[str, list[Ranked]] = {}
    for question in pool.questions:
        found: dict[str, Ranked] = {}
        for name in pool.recipe.methods:
            found[name] = METHODS[name](replace(question, found=dict(found)))
            lists.setdefault(name, []).append(found[name])
    return {name: pool.merged(each) for name, each in lists.items()}


def _fuse(pool: Pool, found: Mapping[str, Ranked]) -> Ranked:
    recipe = pool.recipe
    lists = [(each, recipe.weights.get(name, 1.0)) for name, each in found.items()]
    if len(lists) == 1:
        fused = lists[0][0]
    elif recipe.fusion == "rrf":
        fused = reciprocal_rank_fusion(lists, recipe.constant, recipe.candidates)
    else:
        rows = sum(int(np.count_nonzero(question.mask)) for question in pool.questions)
        fused = summed_scores(lists, rows, recipe.candidates)
    return with_neighbours(pool, fused) if recipe.thread_share else fused


def _ranks(found: Mapping[str, Ranked], key: int) -> dict[str, int]:
    ranks = {}
    for name, each in found.items():
        place = np.flatnonzero(each.rows == key)
        if len(place):
            ranks[name] = int(each.ranks[place[0]])
    return ranks
