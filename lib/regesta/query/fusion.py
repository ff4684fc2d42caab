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

    What a list lacks has its least score if it was cut off at the limit, else 0; so it has where
    all scores are alike.
    """
    scaled = ((each, weight * _standardised(each, rows, limit)) for each, weight in lists)
    return _summed(scaled, limit)


def _standardised(found: Ranked, rows: int, limit: int) -> Array:
    if not len(found.rows):
        return found.scores
    is_cut_off = len(found.rows) == limit and found.scores[0] > found.scores[-1]
    floor = found.scores[-1] if is_cut_off else 0.0
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
        total = own + _lent(question.view, own, pool.recipe.thread_share)
        totals[number] = np.where(question.mask, total, 0)
    found = [np.flatnonzero(total > 0) for total in totals]
    keys = [pool.keys(number, rows) for number, rows in enumerate(found)]
    scores = [total[rows] for total, rows in zip(totals, found, strict=True)]
    return ranked(np.concatenate(keys), np.concatenate(scores), pool.recipe.candidates)


def _lent(view: View, own: Array, share: float) -> Array:
    """Return what each of the group's episodes is lent, given the scores of them all."""
    rows, threads = view.threads
    scores, sums = own[rows], np.zeros(len(rows))
    for hops in (1, 2):
        joined = (threads[hops:] == threads[:-hops]) & (threads[hops:] >= 0)
        best = np.zeros(len(rows))
        best[hops:] = scores[:-hops] * joined
        best[:-hops] = np.maximum(best[:-hops], scores[hops:] * joined)
        sums += share**hops * best
    found = np.zeros(len(own))
    found[rows] = sums
    return found
