"""As-of questions and their right answers, drawn from the rectangles of what is believed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, Literal, NamedTuple

from regesta.simulate.beliefs import Rectangle
from regesta.simulate.desk import Series
from regesta.simulate.plan import DAY

Axis = Literal["valid", "known", "both"]
_AXES: Final[tuple[Axis, ...]] = ("valid", "known", "both")
_NEAR: Final = (-1, 0, 1)
_FAR: Final = 40 * DAY


class Question(NamedTuple):
    """What is believed at `known` of a subject's relation at `valid` (seconds)."""

    subject: str
    relation: str
    valid: int
    known: int
    answers: list[str]
    kind: str
    axis: Axis


def draw(
    random: Random, series: Sequence[Series], count: int, first: int, last: int
) -> list[Question]:
    """Return `count` questions over all kinds of events, asked at known times first to last.

    valid: about another time, as known last; known: as known at another time; both.
    """
    by_kind: dict[str, list[Series]] = {}
    believed: dict[tuple[str, str], list[Rectangle]] = {}
    for one in series:
        if one.rectangles:
            by_kind.setdefault(one.kind, []).append(one)
            believed.setdefault(one[:2], []).extend(one.rectangles)
    kinds = sorted(by_kind)
    if not kinds:
        return []
    offset = random.randrange(len(kinds))
    found = []
    for number in range(count):
        about = random.choice(by_kind[kinds[(number + offset) % len(kinds)]])
        axis = random.choice(_AXES)
        valid, known = _point(random, random.choice(about.rectangles), axis, first, last)
        answers = answered(believed[about[:2]], valid, known)
        found.append(Question(*about[:2], valid, known, answers, about.kind, axis))
    return found


def _point(
    random: Random, rectangle: Rectangle, axis: Axis, first: int, last: int
) -> tuple[int, int]:
    valid = _near(random, rectangle.start, rectangle.end, within=axis == "known")
    known = last
    if axis != "valid":
        known = _near(random, rectangle.created, rectangle.expired, within=False)
    return valid, min(max(known, first), last)


def _near(random: Random, start: int, end: int | None, *, within: bool) -> int:
    """Return an instant inside, or near one of the two ends, or far off."""
    inside = random.randrange(start, end if end is not None else start + _FAR)
    if within or random.random() < 0.25:
        return inside
    edge = start if end is None or random.random() < 0.5 else end
    if random.random() < 0.15:
        return edge + random.choice((-_FAR, _FAR))
    return edge + random.choice(_NEAR)


def answered(rectangles: Sequence[Rectangle], valid: int, known: int) -> list[str]:
    """Return the objects and values believed at `known` to hold at `valid`, sorted."""
    return sorted(
        row.target[0] or row.target[1] or ""
        for row in rectangles
        if row.start <= valid
        and (row.end is None or valid < row.end)
        and row.created <= known
        and (row.expired is None or known < row.expired)
    )
