"""What a search lets through besides the as-of: labels, relations, sources, episodes, stamps.

Filters are masks over the rows of a scope, applied before anything is ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from regesta.query.analysis import fold
from regesta.query.errors import QueryError, unknown
from regesta.query.group import Mask, View
from regesta.query.layout import FOREVER
from regesta.query.network import Array
from regesta.query.question import Scope
from regesta.query.segment import numbers
from regesta.query.stamps import Stamp, StampCondition, parse_condition

Disputed = Literal["exclude", "include", "only"]


@dataclass(frozen=True)
class Filters:
    """What to let through; an empty filter lets everything through.

    labels      entities of these labels, facts that join one of them
    relations   facts of these relations
    sources     episodes of these sources, facts that cite one
    episodes    these episodes (by id), facts that cite one
    dates       a condition on stamps, see `stamps.parse_condition`; of episodes valid_at is the
                reference time and created_at the known time
    disputed    facts that are told but not believed: exclude, include, or only these
    all_times   facts of any valid time, not just those that hold at the as-of's
    all_beliefs also facts that were believed before the as-of's known time and given up since

    What is said of facts holds for an entity that a fact passing it joins, for an episode that such
    a fact cites, and for a community with a member that passes.
    """

    labels: Sequence[str] = ()
    relations: Sequence[str] = ()
    sources: Sequence[str] = ()
    episodes: Sequence[str] = ()
    dates: str | None = None
    disputed: Disputed = "exclude"
    all_times: bool = False
    all_beliefs: bool = False

    def __post_init__(self) -> None:
        for name in ("labels", "relations", "sources", "episodes"):
            if isinstance(getattr(self, name), str):
                raise QueryError(f"{name} is one text; give a list of texts.")
        if self.disputed not in ("exclude", "include", "only"):
            raise QueryError(f"disputed is {self.disputed!r}; say exclude, include or only.")
        _ = self.condition  # a mistake in it is told at once

    @cached_property
    def condition(self) -> StampCondition | None:
        """Return the condition on stamps."""
        return None if self.dates is None else parse_condition(self.dates)


NO_FILTERS: Final = Filters()


def check_names(views: Sequence[View], filters: Filters) -> None:
    """Raise QueryError where a label, relation, source or episode is in none of the groups."""
    for what, names, column in (
        ("label", filters.labels, ("entities", "label")),
        ("relation", filters.relations, ("facts", "relation")),
        ("source", filters.sources, ("episodes", "source")),
        ("episode", filters.episodes, ("episodes", "episode_id")),
    ):
        if names:
            told = sorted({name for view in views for name in _told(view, *column)})
            known = {fold(name) for name in told}
            for name in names:
                if fold(name) not in known:
                    raise unknown(what, name, told)


def scope_mask(view: View, scope: Scope, filters: Filters) -> Mask:
    """Return the rows of a scope that the as-of and the filters let through."""
    return _MASKS[scope](view, filters)


def _facts(view: View, filters: Filters) -> Mask:
    mask = _in_time(view, filters) & _as_disputed(view, filters.disputed)
    if filters.relations:
        mask &= _among(view, "facts", "relation", filters.relations)
    if filters.labels:
        mask &= _joining(view, _labelled(view, filters.labels))
    if filters.condition is not None:
        mask &= filters.condition.holds(_fact_stamps(view, filters.condition.stamps))
    if filters.sources or filters.episodes:
        facts, cited = view.cited_by(mask)
        passing = np.zeros_like(mask)
        passing[facts[_own_episodes(view, filters)[cited]]] = True
        mask &= passing
    return mask


def _in_time(view: View, filters: Filters) -> Mask:
    if filters.all_beliefs:
        return view.told if filters.all_times else view.told & view.at_valid
    return view.known_facts if filters.all_times else view.holding


def _as_disputed(view: View, disputed: Disputed) -> Mask:
    if disputed == "include":
        return np.ones_like(view.disputed)
    return view.disputed if disputed == "only" else ~view.disputed


def _entities(view: View, filters: Filters) -> Mask:
    mask = view.mask("entities")
    if filters.labels:
        mask = mask & _among(view, "entities", "label", filters.labels)
    if _about_facts(filters):
        joined = np.zeros(len(mask), bool)
        ends = view.ends[:, _facts(view, filters)]
        joined[ends[ends >= 0]] = True
        mask = mask & joined[view.entity_nodes]
    return mask


def _communities(view: View, filters: Filters) -> Mask:
    mask = view.mask("communities")
    if not (filters.labels or _about_facts(filters)):
        return mask
    passing = np.zeros(len(view.entity_nodes), bool)
    passing[view.entity_nodes[_entities(view, filters)]] = True
    entities, communities = view.members
    having = np.zeros(len(mask), bool)
    having[communities[passing[entities]]] = True
    return mask & having[view.community_nodes]


def _episodes(view: View, filters: Filters) -> Mask:
    mask = view.mask("episodes") & _own_episodes(view, filters)
    if filters.condition is not None:
        mask &= filters.condition.holds(_episode_stamps(view))
    if filters.labels or filters.relations or filters.disputed == "only":
        _, cited = view.cited_by(_facts(view, filters))
        told = np.zeros(len(mask), bool)
        told[cited] = True
        mask &= told
    return mask


_MASKS: Final[dict[Scope, Callable[[View, Filters], Mask]]] = {
    "facts": _facts,
    "entities": _entities,
    "communities": _communities,
    "episodes": _episodes,
}


def _about_facts(filters: Filters) -> bool:
    wanted = (filters.relations, filters.sources, filters.episodes, filters.dates)
    return any(wanted) or filters.disputed == "only"


def _own_episodes(view: View, filters: Filters) -> Mask:
    mask = np.ones(len(view.group.array("episodes", "dates")), bool)
    if filters.sources:
        mask &= _among(view, "episodes", "source", filters.sources)
    if filters.episodes:
        mask &= _among(view, "episodes", "episode_id", filters.episodes)
    return mask


def _labelled(view: View, labels: Iterable[str]) -> Mask:
    """Return, by first row, the entities that had one of the labels then."""
    mask = np.zeros(len(view.entity_nodes), bool)
    rows = view.entities & _among(view, "entities", "label", labels)
    mask[view.entity_nodes[rows]] = True
    return mask


def _joining(view: View, entities: Mask) -> Mask:
    joined = np.append(entities, False)[view.ends]  # the last one is a literal's
    return np.asarray(joined.any(axis=0))


def _among(view: View, table: str, column: str, names: Iterable[str]) -> Mask:
    """Return the rows of the group whose text in a column is one of the names."""
    texts = view.group.values(table, column).dictionary_encode()
    wanted = {fold(name) for name in names}
    matches = [fold(each) in wanted for each in texts.dictionary.to_pylist()]
    codes = numbers(texts.indices, len(matches))
    return np.asarray(np.array([*matches, False], bool)[codes])


def _told(view: View, table: str, column: str) -> set[str]:
    """Return the texts in a column of rows written by the known time."""
    written = view.group.values(table, "known_at" if table == "episodes" else "created_at")
    known = numbers(written) <= view.known
    found = view.group.values(table, column).dictionary_encode()
    codes = numbers(found.indices)
    words = found.dictionary.to_pylist()
    return {words[code] for code in np.unique(codes[known]) if code >= 0}


def _fact_stamps(view: View, stamps: Iterable[Stamp]) -> dict[Stamp, Array]:
    """Return stamps of all facts as far as they were known then."""
    expired = view.group.array("facts", "times")[3]
    own = {"created_at": view.group.array("facts", "times")[2]}
    own["expired_at"] = np.where(expired <= view.known, expired, FOREVER)
    return {stamp: own[stamp] if stamp in own else _moments(view, stamp) for stamp in stamps}


def _moments(view: View, column: str) -> Array:
    return numbers(view.group.values("facts", column), FOREVER)


def _episode_stamps(view: View) -> dict[Stamp, Array]:
    known, superseded = view.group.array("episodes", "times")
    return {
        "valid_at": view.group.array("episodes", "dates"),
        "invalid_at": np.full(len(known), FOREVER),
        "created_at": known,
        "expired_at": np.where(superseded <= view.known, superseded, FOREVER),
    }
