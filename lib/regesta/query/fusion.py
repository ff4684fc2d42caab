"""Several ranked lists to one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from regesta.query.group import View
from regesta.query.network import Array
from regesta.query.pool import Pool
from regesta.query.question import Ranked, ranked


def reciprocal_rank_fusion(lists: Sequence[Ranked], constant: float, limit: int) -> Ranked:
    """Sum 1 / (constant + rank) over the lists that have a row (Cormack, Clarke, Büttcher, 2009).

    Rows that a list scores alike share a rank.
    """
    return _summed(((each, 1 / (constant + each.ranks)) for each in lists), limit)


def summed_scores(lists: Sequence[Ranked], rows: int, limit: int) -> Ranked:
    """Sum the scores, each list's divided by their standard deviation over all `rows` asked about.

    What a list lacks has its least score if it was cut off at the limit, else 0.
    """
    return _summed(((each, _standardised(each, rows, limit)) for each in lists), limit)


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
    """Lend to each episode's neighbours in its thread a share of its score, filters permitting."""
    keys, scores = [fused.rows], [fused.scores]
    for question, places, rows in pool.parts(fused.rows):
        number = pool.place(fused.rows[places[0]])[0]
        for beside in thread_neighbours(question.view)[:, rows]:
            lent = (beside >= 0) & question.mask[beside]
            keys.append(pool.keys(number, beside[lent]))
            scores.append(pool.recipe.thread_share * fused.scores[places][lent])
    return _total(np.concatenate(keys), np.concatenate(scores), pool.recipe.candidates)


def thread_neighbours(view: View) -> Array:
    """Return for each episode row of a group the visible ones before and after it: (2, n).

    The order is that of the thread; -1 where there is none.
    """
    order, threads = view.group.array("episodes", "threads").astype(np.int64)
    rows = order - view.group.slice("episodes").start
    shown = view.mask("episodes")[rows]
    rows, threads = rows[shown], threads[shown]
    joined = (threads[1:] == threads[:-1]) & (threads[1:] >= 0)
    neighbours = np.full((2, len(view.mask("episodes"))), -1, np.int64)
    neighbours[0, rows[1:][joined]] = rows[:-1][joined]
    neighbours[1, rows[:-1][joined]] = rows[1:][joined]
    return neighbours
