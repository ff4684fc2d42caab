"""Several ranked lists to one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from regesta.query.group import View
from regesta.query.network import Array
from regesta.query.pool import Pool
from regesta.query.question import Ranked, ranked

Weighted = Sequence[tuple[Ranked, float]]


def reciprocal_rank_fusion(lists: Weighted, constant: float, limit: int) -> Ranked:
    """Sum weight / (constant + rank) over the lists that have a row.

    (Cormack, Clarke, Büttcher, "Reciprocal rank fusion", 2009.) Rows that a list scores alike share
    a rank.
    """
    return _summed(((each, weight / (constant + each.ranks)) for each, weight in lists), limit)


def summed_scores(lists: Weighted, rows: int, limit: int) -> Ranked:
    """Sum weight * score, each list's divided by their standard deviation over all `rows`.

    What a list lacks has its least score if it was cut off at the limit, else 0.
    """
    scaled = ((each, weight * _standardised(each, rows, limit)) for each, weight in lists)
    return _summed(scaled, limit)


def _standardised(found: Ranked, rows: int, limit: int) -> Array:
    floor = found.scores[-1] if len(found.rows) == limit else 0.0
    above = found.scores - floor
    mean = above.sum() / rows
    deviation = np.sqrt(max((above**2).sum() / rows - mean**2, 0))
    return above / deviation if deviation > 0 else above


def _summed(lists: Iterable[tuple[Ranked, Array]], limit: int) -> Ranked:
    parts = [(each.rows, scores) for each, scores in lists]
    rows, scores = (np.concatenate(each) for each in zip(*parts, strict=True))
    return _total(rows, scores, limit)


def _total(rows: Array, scores: Array, limit: int) -> Ranked:
    """Sum the scores of equal rows."""
    keys, places = np.unique(rows, return_inverse=True)
    return ranked(keys, np.bincount(places, scores, minlength=len(keys)), limit)


def with_neighbours(pool: Pool, fused: Ranked) -> Ranked:
    """Lend each episode a share of its best neighbour's score in its thread, filters permitting.

    Of the best one beyond the neighbours it is the square of the share.
    """
    totals = [np.zeros(len(question.mask)) for question in pool.questions]
    for question, places, rows in pool.parts(fused.rows):
        number = pool.place(fused.rows[places[0]])[0]
        own = np.zeros(len(question.mask))
        own[rows] = fused.scores[places]
        total = own.copy()
        for hops, neighbours in enumerate(thread_neighbours(question.view), 1):
            best = np.where(neighbours >= 0, own[neighbours], 0).max(axis=0)
            total += pool.recipe.thread_share**hops * best
        totals[number] = np.where(question.mask, total, 0)
    found = [np.flatnonzero(total > 0) for total in totals]
    keys = [pool.keys(number, rows) for number, rows in enumerate(found)]
    scores = [total[rows] for total, rows in zip(totals, found, strict=True)]
    return ranked(np.concatenate(keys), np.concatenate(scores), pool.recipe.candidates)


def thread_neighbours(view: View) -> Array:
    """Return which visible episodes are beside each in its thread: (2, 2, rows of the group).

    First those right before and after it, then those beyond them; -1 where there is none.
    """
    order, threads = view.group.array("episodes", "threads").astype(np.int64)
    rows = order - view.group.slice("episodes").start
    shown = view.mask("episodes")[rows]
    rows, threads = rows[shown], threads[shown]
    neighbours = np.full((2, 2, len(shown)), -1, np.int64)
    for hops, beside in enumerate(neighbours, 1):
        joined = (threads[hops:] == threads[:-hops]) & (threads[hops:] >= 0)
        beside[0, rows[hops:][joined]] = rows[:-hops][joined]
        beside[1, rows[:-hops][joined]] = rows[hops:][joined]
    return neighbours
