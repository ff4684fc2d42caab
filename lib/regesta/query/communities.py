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
    return map(read_community, view.standing("communities"))


def find(view: View, community_id: str) -> Community:
    """Return a community known then.

    Raises QueryError where there is none of that id.
    """
    for row in view.standing("communities", community_id):
        return read_community(row)
    raise unknown("community", community_id, [each.community_id for each in standing(view)])


def lowest_of(view: View, entity_id: str) -> Community | None:
    """Return the lowest community that an entity belonged to then; None where it did to none."""
    ids = {row["community_id"] for row in view.standing("community_members", entity_id)}
    joined = (read_community(row) for each in ids for row in view.standing("communities", each))
    return min(joined, key=lambda each: (each.level, each.community_id), default=None)


def member_nodes(view: View, community_id: str) -> Array:
    """Return the first rows of the versions of a community's entities, ascending."""
    return _members(view, _node(view, community_id))


def growth(view: View) -> dict[str, list[int]]:
    """Return the sizes that each community had up to the known time, by id, the oldest first.

    They are of the view's day, see `View.community_day`. A size that a later version of the
    community repeats is told once.
    """
    ids, sizes = (view.group.column("communities", name) for name in ("community_id", "size"))
    created, _, days = view.group.array("communities", "times")
    found: dict[str, list[int]] = {}
    known = np.flatnonzero((created <= view.known) & (days == view.community_day))
    for row in known[np.argsort(created[known], kind="stable")]:
        had = found.setdefault(ids[row], [])
        if had[-1:] != [sizes[row]]:
            had.append(sizes[row])
    return found


def life(view: View, community_id: str) -> Iterator[CommunityChange]:
    """Yield each known time up to the view's at which the members of a community changed.

    Raises QueryError for an id that no community had by then.
    """
    node = _node(view, community_id)
    for moment in _moments(view, node):
        before, now = (
            View(view.group, valid=view.valid, known=known) for known in (moment - 1, moment)
        )
        change = _change(node, before, now)
        if change.joined or change.left:
            yield change


def _node(view: View, community_id: str) -> int:
    row = next(view.group.run("communities", "community_id", community_id), None)
    if row is None:
        ids = view.group.column("communities", "community_id")
        raise unknown("community", community_id, sorted(set(ids)))
    return int(row - view.group.slice("communities").start)


def _moments(view: View, node: int) -> list[int]:
    """Return when a membership or a community began or ended that is, or ever was, beneath `node`.

    That is when its members may have changed.
    """
    group, nodes = view.group, view.community_nodes
    ids = group.column("communities", "community_id")
    node_of = dict(zip(ids, nodes.tolist(), strict=True))
    parents = group.column("communities", "parent")
    above = np.array([node_of.get(each, -1) for each in parents], np.int64)
    beneath = np.array([node])
    while (more := np.union1d(beneath, nodes[np.isin(above, beneath)])).size > beneath.size:
        beneath = more
    places = group.array("community_members", "communities") - group.slice("communities").start
    concerned = {"communities": nodes, "community_members": places}
    stamps = np.concatenate(
        [
            group.array(table, "times")[:2, np.isin(owners, beneath)].ravel()
            for table, owners in concerned.items()
        ]
    )
    return [int(each) for each in np.unique(stamps) if each <= view.known]


def _change(node: int, before: View, now: View) -> CommunityChange:
    members_before, members = (_members(view, node) for view in (before, now))
    came, went = np.setdiff1d(members, members_before), np.setdiff1d(members_before, members)
    return CommunityChange(
        known_at=now.known,
        size=len(members),
        joined=_named(now, _placed(before, node, came)),
        left=_named(now, _placed(now, node, went)),
    )


def _members(view: View, node: int) -> Array:
    entities, communities = view.members
    return np.unique(entities[communities == node])


def _placed(view: View, node: int, members: Array) -> Counter[int | None]:
    """Return how many entities are in which community of the level of `node`; None: in none."""
    levels = np.asarray(view.group.column("communities", "level"))
    entities, communities = view.members
    same = (levels[communities] == levels[node]) & np.isin(entities, members)
    place_of = dict(zip(entities[same].tolist(), communities[same].tolist(), strict=True))
    return Counter(place_of.get(each) for each in members.tolist())


def _named(view: View, nodes: Counter[int | None]) -> tuple[tuple[str | None, int], ...]:
    """Return the ids of communities with their counts, the largest first."""
    start = view.group.slice("communities").start
    cell = view.group.segment.cell
    named = [
        (None if node is None else str(cell("communities", "community_id", start + node)), count)
        for node, count in nodes.items()
    ]
    return tuple(sorted(named, key=lambda each: (-each[1], each[0] or "")))
