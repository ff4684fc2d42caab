"""Who is near an entity, and the shortest way from one to another, over the facts of an as-of."""

from __future__ import annotations

import numpy as np

from regesta.query.group import View
from regesta.query.network import UNREACHED
from regesta.query.walks import network


def first_row(view: View, entity_id: str) -> int:
    """Return the first row of an entity's versions."""
    return next(view.group.run("entities", "entity_id", entity_id))


def neighbor_rows(view: View, first: int, hops: int) -> list[int]:
    """Return the rows of the entities at most `hops` facts away, the nearest first, then by id.

    `first` and the rows are the segment's own; of each entity it is the version that stood then.
    """
    start = view.group.slice("entities").start
    distances = network(view, episodes=False).distances(np.array([first - start]), hops)
    found = np.flatnonzero(distances > 0)
    order = found[np.lexsort((found, distances[found]))]
    return [view.version(start + int(node)) for node in order]


def shortest_path(view: View, one: int, other: int) -> list[int] | None:
    """Return the rows of the fewest facts that lead from one entity to another; None without a way.

    The entities are given by their first rows. Of several shortest ways it is the one whose facts,
    from the first on, have the lowest rows.
    """
    start, facts = view.group.slice("entities").start, view.group.slice("facts").start
    here, goal = one - start, other - start
    distances = network(view, episodes=False).distances(np.array([goal]))
    if distances[here] == UNREACHED:
        return None
    rows = np.flatnonzero(view.facts & (view.ends[1] >= 0))
    left, right = view.ends[:, rows]
    path = []
    while here != goal:
        beside = np.where(left == here, right, np.where(right == here, left, -1))
        nearer = (beside >= 0) & (distances[beside] == distances[here] - 1)
        step = int(np.argmax(nearer))
        path.append(facts + int(rows[step]))
        here = int(beside[step])
    return path
