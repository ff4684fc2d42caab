"""Entities: which records were put together, beside which belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regesta.evaluate.coded import Coded
from regesta.evaluate.coding import Array, firsts
from regesta.evaluate.measures import Score, b_cubed, pairwise


@dataclass(frozen=True)
class KindOfEntity:
    """Real entities of one kind of event.

    `right` ones have one entity of the snapshot, with all their records and no others. A wrong
    merge is an entity that shares one with the record of another; an entity that is spread over
    three has two missed merges.
    """

    kind_of_event: str
    entities: int
    right: int
    wrong_merges: int
    missed_merges: int
    records_not_found: int


@dataclass(frozen=True)
class EntityScores:
    """Scores of the clustering of records; `pairwise` counts pairs of records."""

    records: int
    records_not_found: int
    records_in_several: int
    pairwise: Score
    b_cubed_precision: float | None
    b_cubed_recall: float | None
    b_cubed_f1: float | None
    kinds: list[KindOfEntity]


@dataclass(frozen=True)
class Clusters:
    """The cluster of each record: int (records,).

    A record that several open entities bear counts for the first of them by id, one that none
    bears is -1 in `predicted`.
    """

    record: Array
    gold: Array
    predicted: Array
    several: int


def clusters(both: Coded) -> Clusters:
    """Return the real and the published clusters of the records."""
    record = np.flatnonzero(both.gold >= 0)
    places, entity = both.open_bearers.expand(record)
    borne = np.bincount(places, minlength=len(record))
    predicted = firsts(places, entity, len(record))
    return Clusters(record, both.gold[record], predicted, int((borne > 1).sum()))


def score_entities(found: Clusters, kinds: Array) -> EntityScores:
    """Score clusters; `kinds` is the kind of event of each real entity."""
    precision, recall, f1 = b_cubed(found.gold, found.predicted)
    return EntityScores(
        records=len(found.record),
        records_not_found=int((found.predicted < 0).sum()),
        records_in_several=found.several,
        pairwise=pairwise(found.gold, found.predicted),
        b_cubed_precision=precision,
        b_cubed_recall=recall,
        b_cubed_f1=f1,
        kinds=_by_kind(found, kinds),
    )


def merged(found: Clusters) -> Array:
    """Return bool (records,): the record's entity in the snapshot bears one of another entity."""
    known = found.predicted >= 0
    pairs = np.unique(np.stack([found.predicted, found.gold])[:, known], axis=1)
    size = 1 + int(found.predicted.max(initial=-1))
    several = np.bincount(pairs[0], minlength=size) > 1
    return np.asarray(known & np.append(several, False)[found.predicted])


def parts(found: Clusters, size: int) -> Array:
    """Return int (size,): over how many of the snapshot's entities each real one is spread."""
    known = found.predicted >= 0
    pairs = np.unique(np.stack([found.gold, found.predicted])[:, known], axis=1)
    return np.asarray(np.bincount(pairs[0], minlength=size))


def _by_kind(found: Clusters, kinds: Array) -> list[KindOfEntity]:
    size = len(kinds)
    spread, strangers = parts(found, size), merged(found)
    wrong = np.bincount(found.gold, strangers, minlength=size) > 0
    lost = np.bincount(found.gold, found.predicted < 0, minlength=size)
    told = np.bincount(found.gold, minlength=size) > 0
    right = told & (spread == 1) & ~wrong & (lost == 0)
    return [
        KindOfEntity(
            kind_of_event=str(kind),
            entities=int((some := told & (kinds == kind)).sum()),
            right=int(right[some].sum()),
            wrong_merges=int(wrong[some].sum()),
            missed_merges=int(np.maximum(spread[some] - 1, 0).sum()),
            records_not_found=int(lost[some].sum()),
        )
        for kind in np.unique(kinds)
    ]
