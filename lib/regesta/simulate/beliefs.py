"""What is believed of one subject and relation, from the rows that told it: simple and literal.

For every moment at which a row arrived the whole is worked out anew from the rows known by then;
what stays the same from one moment to the next is one rectangle. Times are seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeVar

Target = tuple[str | None, str | None]
"""The object's record identifier or None, the literal value or None."""

NOTHING: Target = (None, None)
UNKNOWN: Target = ("", "")
"""What an extract shows that says it does not know."""

Action = Literal["says", "retracts", "removed"]


class Span(NamedTuple):
    """A target holds from `start` until before `end` (None: still)."""

    target: Target
    start: int
    end: int | None


class Rectangle(NamedTuple):
    """A span, and the known time from which until before which it is believed."""

    target: Target
    start: int
    end: int | None
    created: int
    expired: int | None


class Told(NamedTuple):
    """A row of a log: what is so from `at` on. A later revision of an item replaces it whole.

    `says` with NOTHING ends what held; `retracts` takes back every equal saying that is not later;
    `removed` leaves nothing of the item.
    """

    item: str
    revision: int
    known: int
    at: int
    target: Target
    action: Action = "says"


class Record(NamedTuple):
    """A version of a record with a start and an end (None: open); `removed`: it never held."""

    item: str
    revision: int
    known: int
    target: Target
    start: int
    end: int | None = None
    temporary: bool = False
    removed: bool = False


_Version = TypeVar("_Version", Told, Record)


class Shown(NamedTuple):
    """What an extract shows: a target, NOTHING (emptied, or the record is missing) or UNKNOWN."""

    at: int
    known: int
    target: Target


def log_beliefs(rows: Sequence[Told]) -> list[Rectangle]:
    """Return the rectangles of a log: a value holds until the next row."""
    return _rectangles({row.known for row in rows}, lambda known: _log_at(rows, known))


def record_beliefs(rows: Sequence[Record]) -> list[Rectangle]:
    """Return the rectangles of records of which many hold side by side."""
    return _rectangles({row.known for row in rows}, lambda known: _records_at(rows, known))


def post_beliefs(rows: Sequence[Record]) -> list[Rectangle]:
    """Return the rectangles of a post: an open record lasts until the next open one, a temporary
    one covers it."""
    return _rectangles({row.known for row in rows}, lambda known: _post_at(rows, known))


def extract_beliefs(rows: Sequence[Shown]) -> list[Rectangle]:
    """Return the rectangles of extracts: a value holds until an extract shows another."""
    return _rectangles({row.known for row in rows}, lambda known: _shown_at(rows, known))


def _rectangles(
    moments: Iterable[int], spans_at: Callable[[int], Iterable[Span]]
) -> list[Rectangle]:
    believed: dict[Span, int] = {}
    done: list[Rectangle] = []
    for moment in sorted(moments):
        now = set(spans_at(moment))
        gone = [span for span in believed if span not in now]
        done += [Rectangle(*span, believed.pop(span), moment) for span in gone]
        for span in now - believed.keys():
            believed[span] = moment
    done += [Rectangle(*span, created, None) for span, created in believed.items()]
    return sorted(done, key=lambda one: (one.start, one.created, str(one.target)))


def _log_at(rows: Sequence[Told], known: int) -> list[Span]:
    standing = _latest(rows, known)
    back = [row for row in standing if row.action == "retracts"]
    said = [
        row
        for row in standing
        if row.action == "says"
        and not any(one.target == row.target and row.at <= one.at for one in back)
    ]
    return _changes([(row.at, row.target) for row in sorted(said, key=lambda row: row.at)])


def _changes(points: Sequence[tuple[int, Target]]) -> list[Span]:
    """Return the spans between changes of value; UNKNOWN changes nothing."""
    spans: list[Span] = []
    current, since = NOTHING, 0
    for at, target in points:
        if target in (current, UNKNOWN):
            continue
        if current != NOTHING:
            spans.append(Span(current, since, at))
        current, since = target, at
    if current != NOTHING:
        spans.append(Span(current, since, None))
    return spans


def _shown_at(rows: Sequence[Shown], known: int) -> list[Span]:
    return _changes([(row.at, row.target) for row in rows if row.known <= known])


def _latest(rows: Sequence[_Version], known: int) -> list[_Version]:
    """Return of each item the highest revision known by then."""
    latest: dict[str, _Version] = {}
    for row in rows:
        if row.known <= known:
            other = latest.get(row.item)
            if other is None or other.revision < row.revision:
                latest[row.item] = row
    return list(latest.values())


def _standing(rows: Sequence[Record], known: int) -> list[Record]:
    latest = (row for row in _latest(rows, known) if not row.removed)
    return sorted(latest, key=lambda row: row.start)


def _records_at(rows: Sequence[Record], known: int) -> list[Span]:
    by_target: dict[Target, list[Span]] = {}
    for row in _standing(rows, known):
        spans = by_target.setdefault(row.target, [])
        last = spans[-1] if spans else None
        if last is not None and (last.end is None or row.start <= last.end):
            spans[-1] = Span(row.target, last.start, _later(last.end, row.end))
        else:
            spans.append(Span(row.target, row.start, row.end))
    return [span for spans in by_target.values() for span in spans]


def _later(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else max(left, right)


def _post_at(rows: Sequence[Record], known: int) -> list[Span]:
    standing = _standing(rows, known)
    bounds = {row.start for row in standing} | {row.end for row in standing if row.end is not None}
    return _changes([(at, _holder(standing, at)) for at in sorted(bounds)])


def _holder(standing: Sequence[Record], at: int) -> Target:
    """Return who holds a post at an instant: a stand-in, else the last appointed."""
    begun = [row for row in standing if row.start <= at]
    posts = [row for row in begun if not row.temporary]
    since = posts[-1].start if posts else 0
    covering = [row for row in begun if row.temporary and row.end is not None and at < row.end]
    if covering and covering[-1].start > since:
        return covering[-1].target
    return posts[-1].target if posts else NOTHING
