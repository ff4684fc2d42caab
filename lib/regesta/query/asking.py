"""From what a caller says of a search to hits: names resolved, options checked, rows read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

import numpy as np

from regesta.query.errors import QueryError, ambiguous, unknown
from regesta.query.filters import Filters
from regesta.query.found import read_hit
from regesta.query.group import View
from regesta.query.hits import Hits
from regesta.query.names import describe, matching_entities, names
from regesta.query.pool import CrossEncoder
from regesta.query.question import Asked, Origins, Scope
from regesta.query.recipes import Recipe, recipe_for
from regesta.query.searching import Search, Start, search


class Options(NamedTuple):
    """What a caller of `Graph.search` says besides the words."""

    recipe: str | Recipe | None
    scope: Scope | None
    limit: int
    filters: Filters
    center: str | None
    origins: tuple[str, ...]
    cross_encoder: CrossEncoder | None


def search_graphs(views: Sequence[View], query: str, options: Options) -> Hits:
    """Search groups as one; their as-of is the same. Raises QueryError for what is not there."""
    if options.scope is not None and options.scope not in get_args(Scope):
        raise QueryError(
            f"There is no scope {options.scope!r}; search {', '.join(get_args(Scope))}."
        )
    if options.scope is not None and options.recipe is not None:
        raise QueryError("Give a recipe or a scope: a recipe says which scopes it searches.")
    if options.limit < 1:
        raise QueryError(f"limit is {options.limit}; ask for one hit or more.")
    wanted = Search(
        asked=Asked(query),
        recipe=recipe_for(options.recipe, options.scope),
        limit=options.limit,
        filters=options.filters,
        cross_encoder=options.cross_encoder,
    )
    places = search(_starts(views, options), wanted)
    hits = tuple(read_hit(views[place.number], place) for place in places)
    return Hits(query=query, valid=views[0].valid, known=views[0].known, hits=hits)


def _starts(views: Sequence[View], options: Options) -> list[Start]:
    origins = _resolved(views, options.origins, what="entity, fact or episode")
    centers = [] if options.center is None else [options.center]
    starts = zip(views, origins, _resolved(views, centers, what="entity"), strict=True)
    return [Start(*start) for start in starts]


def _resolved(views: Sequence[View], wanted: Iterable[str], *, what: str) -> list[Origins]:
    """Return what names and ids mean in each group; each must mean something in one at least."""
    found = [Origins() for _ in views]
    for name in wanted:
        each = [_meant(view, name, entities_only=what == "entity") for view in views]
        if not any(each):
            raise unknown(what, name, (one for view in views for one in names(view)))
        found = [before.joined(more) for before, more in zip(found, each, strict=True)]
    return found


def _meant(view: View, name: str, *, entities_only: bool) -> Origins:
    rows = matching_entities(view, name)
    if len(rows) > 1:
        raise ambiguous(name, [describe(view, row) for row in rows])
    if rows:
        row = rows[0] - view.group.slice("entities").start
        return Origins(entities=(int(view.entity_nodes[row]),))
    return Origins() if entities_only else _fact_or_episode(view, name)


def _fact_or_episode(view: View, wanted: str) -> Origins:
    start = view.group.slice("facts").start
    rows = [row - start for row in view.group.run("facts", "fact_id", wanted)]
    ends = np.unique(view.ends[:, [row for row in rows if view.known_facts[row]]])
    if len(ends):
        return Origins(entities=tuple(ends[ends >= 0].tolist()))
    first = view.group.slice("episodes").start
    found = [row - first for row in view.group.run("episodes", "episode_id", wanted)]
    known = view.group.segment.cell
    told = [row for row in found if known("episodes", "known_at", first + row) <= view.known]
    return Origins(episodes=tuple(told))
