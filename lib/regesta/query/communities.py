"""Communities of one view: who is in them, what is above and below, and how one came to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regesta.query.answers import Community
from regesta.query.errors import unknown
from regesta.query.group import View
from regesta.query.read import read_community
from regesta.query.segment import Array


@dataclass(frozen=True)
class CommunityChange:
    """How a community's members changed at a known time.

    `joined` and `left` tell of how many entities, and of which community of the same level they
    were before or are since; None: of none. `size` counts its members from then on, 0 once it is
    gone.
    """

    known_at: int
    size: int
    joined: tuple[tuple[str | None, int], ...]
    left: tuple[tuple[str | None, int], ...]

    @property
    def is_birth(self) -> bool:
        """Tell whether there was no member before."""
        return self.size == sum(count for _, count in self.joined)

    @property
    def is_end(self) -> bool:
        """Tell whether there is no member since."""
        return self.size == 0


def standing(view: View) -> Iterator[Community]:
    """Yield the communities known then, by id."""
    rows, segment = view.group.slice("communities"), view.group.segment
    every = (segment.row("communities", row) for row in range(rows.start, rows.stop))
    yield from (read_community(row) for row in every if view.stands(row))


def find(view: View, community_id: str) -> Community:
    """Return a community known then.

    Raises QueryError where there is none of that id.
    """
    segment = view.group.segment
    for place in view.group.run("communities", "community_id", community_id):
        if view.stands(row := segment.row("communities", place)):
            return read_community(row)
    raise unknown("community", community_id, [each.community_id for each in standing(view)])


def member_nodes(view: View, community_id: str) -> Array:
    """Return the first rows of the versions of a community's entities, ascending."""
    entities, communities = view.members
    return np.unique(entities[communities == _node(view, community_id)])


def life(view: View, community_id: str) -> Iterator[CommunityChange]:
    """Yield each known time up to the view's at which the members of a community changed.

    Raises QueryError for an id that no community had by then.
    """
    node = _node(view, community_id)
    before = _Placed(Counter(), np.empty(0, np.int64), {})
    for moment in _moments(view):
        now = _placed(View(view.group, valid=view.valid, known=moment), node)
        change = _change(moment, node, before, now, view)
        before = now
        if change.joined or change.left:
            yield change


@dataclass(frozen=True)
class _Placed:
    """Who was in which community of one level: entity node -> community node, and one's members."""

    sizes: Counter[int]
    members: Array
    of: dict[int, int]


def _node(view: View, community_id: str) -> int:
    row = next(view.group.run("communities", "community_id", community_id), None)
    if row is None:
        ids = view.group.column("communities", "community_id")
        raise unknown("community", community_id, sorted(set(ids)))
    return int(row - view.group.slice("communities").start)


def _moments(view: View) -> list[int]:
    tables = ("community_members", "communities")
    stamps = np.concatenate([view.group.array(table, "times").ravel() for table in tables])
    return [int(each) for each in np.unique(stamps) if each <= view.known]


def _placed(view: View, node: int) -> _Placed:
    levels = np.asarray(view.group.column("communities", "level"))
    entities, communities = view.members
    same = levels[communities] == levels[node]
    of = dict(zip(entities[same].tolist(), communities[same].tolist(), strict=True))
    members = np.unique(entities[communities == node])
    return _Placed(Counter(of.values()), members, of)


def _change(moment: int, node: int, before: _Placed, now: _Placed, view: View) -> CommunityChange:
    came = np.setdiff1d(now.members, before.members).tolist()
    went = np.setdiff1d(before.members, now.members).tolist()
    return CommunityChange(
        known_at=moment,
        size=now.sizes[node],
        joined=_named(view, Counter(before.of.get(each) for each in came)),
        left=_named(view, Counter(now.of.get(each) for each in went)),
    )


def _named(view: View, nodes: Counter[int | None]) -> tuple[tuple[str | None, int], ...]:
    """Return the ids of communities with their counts, the largest first."""
    start = view.group.slice("communities").start
    cell = view.group.segment.cell
    named = [
        (None if node is None else str(cell("communities", "community_id", start + node)), count)
        for node, count in nodes.items()
    ]
    return tuple(sorted(named, key=lambda each: (-each[1], each[0] or "")))
