"""The measures: pure functions over integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regesta.evaluate.coding import Array, shared_codes


@dataclass(frozen=True)
class Score:
    """Counts of what is right, wrongly there and missed, and the shares that they make.

    A share of nothing is None.
    """

    right: int
    wrong: int
    missed: int
    precision: float | None
    recall: float | None
    f1: float | None


def score(right: int, wrong: int, missed: int) -> Score:
    """Return the score of counts."""
    precision, recall = share(right, right + wrong), share(right, right + missed)
    f1 = share(2 * right, 2 * right + wrong + missed)
    return Score(right, wrong, missed, precision, recall, f1)


def share(part: float, whole: float) -> float | None:
    """Return part / whole, None where there is no whole."""
    return float(part / whole) if whole else None


def pairwise(gold: Array, predicted: Array) -> Score:
    """Score two clusterings of the same items by the pairs of items that they put together.

    Both are int (items,): the cluster of each item; a predicted -1 is in no cluster.
    """
    together = _pairs(shared_codes((gold, _alone(predicted)))[0])
    believed, true = _pairs(_alone(predicted)), _pairs(gold)
    return score(together, believed - together, true - together)


def b_cubed(gold: Array, predicted: Array) -> tuple[float | None, float | None, float | None]:
    """Return B-cubed precision, recall and F1 (Bagga and Baldwin 1998) of a clustering.

    An item's precision is the share of its predicted cluster that is of its gold cluster, its
    recall the share of its gold cluster that is in its predicted one; the means are over items. An
    item that is in no predicted cluster (-1) has no precision, and a recall of 0.
    """
    found = predicted >= 0
    both = _sizes(shared_codes((gold, _alone(predicted)))[0])[found]
    precision = share(float((both / _sizes(_alone(predicted))[found]).sum()), int(found.sum()))
    recall = share(float((both / _sizes(gold)[found]).sum()), len(gold))
    total = (precision or 0) + (recall or 0)
    f1 = share(2 * (precision or 0) * (recall or 0), total)
    return precision, recall, f1


def _alone(clusters: Array) -> Array:
    """Return the clusters with one of its own for each item that has none."""
    return np.where(clusters < 0, -1 - np.arange(len(clusters)), clusters)


def _pairs(clusters: Array) -> int:
    counts = np.unique(clusters, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _sizes(clusters: Array) -> Array:
    _, codes, counts = np.unique(clusters, return_inverse=True, return_counts=True)
    return np.asarray(counts[codes])


@dataclass(frozen=True)
class Spans:
    """Spans of a time from `start` until before `end`, each of a key; `row` is where it is from."""

    key: Array
    start: Array
    end: Array
    row: Array

    def __len__(self) -> int:
        return len(self.key)

    def where(self, mask: Array) -> Spans:
        """Return some of the spans: a mask, or places."""
        return Spans(self.key[mask], self.start[mask], self.end[mask], self.row[mask])


def joined(spans: Spans) -> Spans:
    """Return the spans with those of one key joined that overlap or meet, by key and start.

    Empty spans are left out. The row of a joined span is that of the earliest one in it.
    """
    some = spans.where(spans.start < spans.end)
    key, time = np.tile(some.key, 2), np.concatenate([some.start, some.end])
    row, change = np.tile(some.row, 2), np.repeat([1, -1], len(some))
    order = np.lexsort((row, -change, time, key))
    open_spans = np.cumsum(change[order])
    first = order[(open_spans == 1) & (change[order] == 1)]
    last = order[open_spans == 0]
    return Spans(key[first], time[first], time[last], row[first])


def overlap(left: Spans, right: Spans, keys: int) -> Array:
    """Return float (keys,): the length that both hold over the length that one of them holds.

    NaN for a key of which neither holds anything. Ends must be real instants.
    """
    sides = [joined(left), joined(right)]
    key = np.concatenate([array for side in sides for array in (side.key, side.key)])
    time = np.concatenate([array for side in sides for array in (side.start, side.end)])
    change = np.concatenate([np.repeat([1, -1], len(side)) for side in sides])
    number = np.repeat([0, 1], [2 * len(side) for side in sides])
    order = np.lexsort((time, key))
    key, time, change, number = key[order], time[order], change[order], number[order]
    holding = [np.cumsum(np.where(number == each, change, 0)) > 0 for each in (0, 1)]
    length = np.append(np.diff(time.astype(np.float64)), 0)  # where a key ends nothing is held
    both = np.bincount(key, np.where(holding[0] & holding[1], length, 0), minlength=keys)
    one = np.bincount(key, np.where(holding[0] | holding[1], length, 0), minlength=keys)
    return np.asarray(np.divide(both, one, out=np.full(keys, np.nan), where=one > 0))
