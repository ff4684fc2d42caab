"""Facts: triples, rectangles of valid x known time, and how exact the intervals are.

A triple or rectangle of the truth is one of a real entity: what several of its records tell alike
counts once. It is found where the snapshot believes it of an entity that bears the subject's
record, towards one that bears the object's (or the equal value). What the snapshot believes
besides is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regesta.evaluate.coded import Claims, Coded
from regesta.evaluate.coding import Array, Links, firsts, shared_codes
from regesta.evaluate.measures import Score, Spans, joined, overlap, score, share
from regesta.query.layout import FOREVER

_DAY = 86_400_000_000


@dataclass(frozen=True)
class FactScores:
    """Scores of facts: all of them, or those of one relation or kind of event.

    exact: the share of triples found whose rectangles are all there and no others; valid_overlap:
    the mean over triples found, of what is believed last, of the shared length of valid time.
    """

    triples: Score
    rectangles: Score
    exact: float | None
    overlap: float | None


@dataclass(frozen=True)
class Compared:
    """Facts of both sides, matched; rows are those of `Coded.truth` and `Coded.believed`.

    A triple of the truth ("unit") has a row that tells it. A rectangle, joined from rows that meet
    in known time, stands at the first of them. `like` leads from a believed row to a row of the
    truth of the same triple, else of the same subject and relation, else -1.
    """

    unit_row: Array
    unit_found: Array
    unit_exact: Array
    unit_overlap: Array  # NaN: neither side believes it last
    wrong_triple_row: Array
    true_row: Array
    true_found: Array
    wrong_row: Array
    like: Array


def compare(both: Coded, horizon: int) -> Compared:
    """Match the facts of both sides; an open end counts until `horizon` (microseconds)."""
    told_row, told = _as_borne(both)
    real, owned = in_real_names(both)
    unit = shared_codes(_triple(real))[0]
    units = 1 + int(unit.max(initial=-1))
    triple, holding = shared_codes(_triple(told), _triple(both.believed))
    row, of_unit = Links(triple, unit[told_row]).expand(holding)
    found = np.zeros(units, bool)
    found[of_unit] = True
    true, believed = _rectangles(both, (told_row, told), real, owned)
    right_true, right_believed = _equal(true, believed)
    wrong = believed.row[~right_believed]
    exact = found.copy()
    exact[unit[true.row[~right_true]]] = False
    exact[of_unit[np.isin(row, wrong)]] = False
    unit_row = firsts(unit, np.arange(len(unit)), units)
    placed = firsts(row, unit_row[of_unit], len(holding))
    return Compared(
        unit_row=unit_row,
        unit_found=found,
        unit_exact=exact,
        unit_overlap=_overlap(both, unit, (row, of_unit), horizon),
        wrong_triple_row=_one_of_each(shared_codes(_triple(owned))[0], placed < 0),
        true_row=true.row,
        true_found=right_true,
        wrong_row=wrong,
        like=np.where(placed < 0, _same_subject(real, owned), placed),
    )


def _triple(claims: Claims) -> tuple[Array, Array, Array]:
    return claims.subject, claims.relation, claims.target


def _shape(claims: Claims) -> tuple[Array, ...]:
    return (*_triple(claims), claims.start, claims.end)


def _as_borne(both: Coded) -> tuple[Array, Claims]:
    """Return the truth about the snapshot's entities: the row of each, and what it would state."""
    truth = both.truth
    row, subject = both.bearers.expand(truth.subject)
    named, target = both.bearers.expand(truth.target[row])
    literal = np.flatnonzero(truth.target[row] < 0)
    place = np.concatenate([named, literal])
    target = np.concatenate([target, truth.target[row[literal]]])
    rows = row[place]
    return rows, replace(_rows(truth, rows), subject=subject[place], target=target)


def _rows(claims: Claims, rows: Array) -> Claims:
    return Claims(**{name: getattr(claims, name)[rows] for name in Claims.__dataclass_fields__})


def in_real_names(both: Coded) -> tuple[Claims, Claims]:
    """Return the truth and what is believed, both about real entities."""
    return _renamed(both.truth, both.gold), _renamed(both.believed, both.canonical)


def _renamed(claims: Claims, names: Array) -> Claims:
    target = np.where(claims.target < 0, claims.target, names[np.maximum(claims.target, 0)])
    return replace(claims, subject=names[claims.subject], target=target)


def _rectangles(
    both: Coded, told: tuple[Array, Claims], real: Claims, owned: Claims
) -> tuple[Spans, Spans]:
    """Return the known times of the rectangles of both sides: keys are triples with valid time.

    What the snapshot believes counts for each real triple that it states.
    """
    shape, owned_shape = shared_codes(_shape(real), _shape(owned))
    borne, holding = shared_codes(_shape(told[1]), _shape(both.believed))
    row, stated = Links(borne, shape[told[0]]).expand(holding)
    extra = np.setdiff1d(np.arange(len(holding)), row)
    above = 1 + int(shape.max(initial=-1))  # what is stated of others is no rectangle of the truth
    rows = np.concatenate([row, extra])
    keys = np.concatenate([stated, above + owned_shape[extra]])
    believed = both.believed
    spans = Spans(keys, believed.created[rows], believed.expired[rows], rows)
    true = Spans(shape, real.created, real.expired, np.arange(len(shape)))
    return joined(true), joined(spans)


def _equal(left: Spans, right: Spans) -> tuple[Array, Array]:
    one, other = shared_codes(*((spans.key, spans.start, spans.end) for spans in (left, right)))
    return np.isin(one, other), np.isin(other, one)


def _overlap(both: Coded, unit: Array, stated: tuple[Array, Array], horizon: int) -> Array:
    """Return by triple of the truth the shared length of the valid times believed last."""
    row, of_unit = stated
    truth, believed = both.truth, _rows(both.believed, row)
    true = Spans(unit, truth.start, np.minimum(truth.end, horizon), np.arange(len(unit)))
    held = Spans(of_unit, believed.start, np.minimum(believed.end, horizon), row)
    return overlap(
        true.where(truth.expired == FOREVER),
        held.where(believed.expired == FOREVER),
        1 + int(unit.max(initial=-1)),
    )


def _one_of_each(codes: Array, mask: Array) -> Array:
    """Return the first row of each code among the rows of a mask."""
    rows = np.flatnonzero(mask)
    return rows[np.unique(codes[rows], return_index=True)[1]]


def _same_subject(real: Claims, owned: Claims) -> Array:
    """Return by believed row a row of the truth with its subject and relation, or -1."""
    told, believed = shared_codes((real.subject, real.relation), (owned.subject, owned.relation))
    size = 1 + max(int(told.max(initial=-1)), int(believed.max(initial=-1)))
    return firsts(told, np.arange(len(told)), size)[believed]


def horizon_of(both: Coded, known_at: int) -> int:
    """Return until when an open end counts: a day after the last instant that anything names."""
    times = [known_at]
    for claims in (both.truth, both.believed):
        ends = claims.end[claims.end < FOREVER]
        times += [int(claims.start.max(initial=known_at)), int(ends.max(initial=known_at))]
    return max(times) + _DAY


def score_facts(found: Compared, true: Array, believed: Array) -> FactScores:
    """Score the facts that two masks over the rows of the truth and of the snapshot let through."""
    units = true[found.unit_row]
    hit, rectangles = units & found.unit_found, true[found.true_row]
    right, right_rectangles = int(hit.sum()), int((rectangles & found.true_found).sum())
    lengths = found.unit_overlap[hit & ~np.isnan(found.unit_overlap)]
    return FactScores(
        triples=score(right, int(believed[found.wrong_triple_row].sum()), int(units.sum()) - right),
        rectangles=score(
            right_rectangles,
            int(believed[found.wrong_row].sum()),
            int(rectangles.sum()) - right_rectangles,
        ),
        exact=share(int((hit & found.unit_exact).sum()), right),
        overlap=share(float(lengths.sum()), len(lengths)),
    )
