"""A name, an identifier, an id or an old id to the entity that it means."""

from __future__ import annotations

from functools import reduce

import numpy as np

from regesta.query.analysis import fold, terms
from regesta.query.changes import Change
from regesta.query.errors import ambiguous, unknown
from regesta.query.group import View
from regesta.query.segment import Row

_MOST_SUGGESTIONS_FROM = 20_000


def find_entity(view: View, name: str) -> int:
    """Return the entity row that stood then; raises QueryError where none or several match."""
    rows = matching_entities(view, name)
    if not rows:
        raise unknown("entity", name, names(view))
    if len(rows) > 1:
        raise ambiguous(name, [describe(view, row) for row in rows])
    return rows[0]


def matching_entities(view: View, name: str) -> list[int]:
    """Return the rows that stood then of the entities that `name` means.

    An id wins over a redirect, that over names, aliases and identifiers (as "kind:value" or the
    value alone), which match without regard to case and accents.
    """
    return by_id(view, current_id(view, name)) or _by_name(view, name)


def by_id(view: View, entity_id: str) -> list[int]:
    """Return the row of that entity which stood then, if any."""
    start = view.group.slice("entities").start
    rows = view.group.run("entities", "entity_id", entity_id)
    return [row for row in rows if view.entities[row - start]]


def current_id(view: View, entity_id: str) -> str:
    """Follow the redirects of an old id, as they stood then."""
    seen: set[str] = set()
    while entity_id not in seen and not by_id(view, entity_id):
        seen.add(entity_id)
        links = view.standing("redirects", entity_id)
        entity_id = next((each["entity_id"] for each in links), entity_id)
    return entity_id


def former_ids(view: View, entity_id: str) -> set[str]:
    """Return the id with every old id that leads to it, as known then."""
    links = list(view.standing("redirects"))
    ids, before = {entity_id}, 0
    while len(ids) > before:
        before = len(ids)
        ids |= {row["old_entity_id"] for row in links if row["entity_id"] in ids}
    return ids


def moved_entities(earlier: View, later: View, ids: set[str] | None) -> list[Change]:
    """Return which entities of the one view are one with another in the other, and the reverse.

    With `ids` only those that concern one of these.
    """
    found = []
    for link in later.group.rows("redirects"):
        was, now = earlier.stands(link), later.stands(link)
        if was == now or (ids is not None and ids.isdisjoint(_ends(link))):
            continue
        apart, together = (earlier, later) if now else (later, earlier)
        one = _name(apart, link["old_entity_id"])
        # As both were called while they were two: afterwards they have one name.
        other = _name(apart, link["entity_id"]) or _name(together, link["entity_id"])
        if one is not None and other is not None:  # else it came and went between the two
            words = f"{one} is one with {other}" if now else f"{one} is not {other}"
            found.append(Change("merged" if now else "split", words, None, None))
    return sorted(found, key=lambda change: (change.kind, change.text))


def _ends(link: Row) -> tuple[str, str]:
    return link["old_entity_id"], link["entity_id"]


def _name(view: View, entity_id: str) -> str | None:
    rows = by_id(view, current_id(view, entity_id))
    return view.group.segment.cell("entities", "name", rows[0]) if rows else None


def _by_name(view: View, name: str) -> list[int]:
    wanted = _plain(name)
    start = view.group.slice("entities").start
    candidates = (start + int(each) for each in _candidates(view, name))
    return [row for row in candidates if wanted in called(view, row)]


def _candidates(view: View, name: str) -> np.ndarray:
    words = terms(name)
    if not words:
        return np.flatnonzero(view.entities)
    found = view.group.postings("entities", words).values()
    rows = reduce(_common, sorted((rows for rows, _ in found), key=len))
    return rows[view.entities[rows]]


def _common(few: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Return the rows that are in both; each holds a row once, ascending."""
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return np.asarray(few[many[places] == few])


def called(view: View, row: int) -> set[str]:
    """Return what an entity row is called, folded: name, aliases, identifiers and their values."""
    cell = view.group.segment.cell
    identifiers = cell("entities", "identifiers", row) or []
    values = [each.partition(":")[2] for each in identifiers]
    aliases = cell("entities", "aliases", row) or []
    names = [cell("entities", "name", row), *aliases, *identifiers, *values]
    return {_plain(each) for each in names if each}


def _plain(name: str) -> str:
    return " ".join(fold(name).split())


def names(view: View) -> list[str]:
    """Return names and aliases known then, of a large group the first of them."""
    start = view.group.slice("entities").start
    rows = np.flatnonzero(view.entities)[:_MOST_SUGGESTIONS_FROM]
    cell = view.group.segment.cell
    return [
        name
        for row in rows
        for name in (
            cell("entities", "name", start + int(row)),
            *(cell("entities", "aliases", start + int(row)) or ()),
        )
    ]


def describe(view: View, row: int) -> str:
    """Return an entity row's id, name, label and identifiers on one line."""
    cell = view.group.segment.cell
    entity_id, label = cell("entities", "entity_id", row), cell("entities", "label", row)
    identifiers = ", ".join(cell("entities", "identifiers", row) or [])
    tail = f", {identifiers}" if identifiers else ""
    return f"{entity_id} ({cell('entities', 'name', row)}, {label}{tail})"
