"""From what a caller says of a search to hits: names resolved, options checked, rows read."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from regesta.query.errors import QueryError, ambiguous, unknown
from regesta.query.filters import NO_FILTERS, Filters
from regesta.query.found import read_hit
from regesta.query.group import View
from regesta.query.hits import Hits
from regesta.query.names import describe, matching_entities, names
from regesta.query.pool import CrossEncoder
from regesta.query.question import Asked, Origins, Scope
from regesta.query.recipes import SCOPES, Recipe, recipe_for
from regesta.query.searching import Search, Start, search
from regesta.query.vectors import QueryEncoder


class Searchable(ABC):
    """One group's graph or several, searched in the same way."""

    @property
    @abstractmethod
    def views(self) -> Sequence[View]:
        """Return the groups, all as of the same instants."""

    def search(
        self,
        query: str,
        *,
        recipe: str | Recipe | None = None,
        scope: Scope | None = None,
        limit: int = 10,
        filters: Filters = NO_FILTERS,
        center: str | None = None,
        origins: Sequence[str] = (),
        cross_encoder: CrossEncoder | None = None,
    ) -> Hits:
        """Return the best rows among those that the as-of and the filters let through.

        recipe: a name of `regesta.query.RECIPES` or one's own; without it the hybrid of `scope`,
        by default of facts. limit: of hits, for each scope. center: the entity that node distance
        is measured from. origins: entities (by name or id), facts and episodes (by id) where walks
        begin instead of at the best hits. Ties go to the lower id.

        Without a recipe, the search is by words alone, with a warning, where the model of the
        snapshot's vectors can't be loaded; a recipe that needs it then raises SetupError. Raises
        QueryError for what is not there.
        """
        views = self.views
        _check(recipe, scope, limit)
        asked = Asked(query, _encoder(views[0], recipe))
        meant = recipe_for(recipe, scope, has_vectors=asked.encoder is not None)
        wanted = Search(asked, meant, limit, filters, cross_encoder)
        places = search(_starts(views, origins, center), wanted)
        hits = tuple(read_hit(views[place.number], place) for place in places)
        return Hits(query=query, valid=views[0].valid, known=views[0].known, hits=hits)


def _check(recipe: str | Recipe | None, scope: str | None, limit: int) -> None:
    if scope is not None and scope not in SCOPES:
        raise QueryError(f"There is no scope {scope!r}; search {', '.join(SCOPES)}.")
    if scope is not None and recipe is not None:
        raise QueryError("Give a recipe or a scope: a recipe says which scopes it searches.")
    if limit < 1:
        raise QueryError(f"limit is {limit}; ask for one hit or more.")


def _encoder(view: View, recipe: str | Recipe | None) -> QueryEncoder | None:
    encoder = view.group.encoder
    if encoder is None or recipe is not None or encoder.hindrance is None:
        return encoder
    warnings.warn(f"Searched by words alone: {encoder.hindrance}", stacklevel=3)
    return None


def _starts(views: Sequence[View], origins: Sequence[str], center: str | None) -> list[Start]:
    begins = _resolved(views, origins, what="entity, fact or episode")
    centers = _resolved(views, [] if center is None else [center], what="entity")
    return [Start(*start) for start in zip(views, begins, centers, strict=True)]


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
