"""Rows found to hits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from regesta.query.group import View
from regesta.query.hits import Hit
from regesta.query.read import (
    evidence_rows,
    read_community,
    read_entity,
    read_episode,
    read_evidence,
    read_fact,
)
from regesta.query.searching import Place

_CITATIONS_PER_HIT: Final = 3


def read_hit(view: View, place: Place) -> Hit:
    """Return the hit at a place of a group."""
    row = view.group.slice(place.scope).start + place.row
    parts = _PARTS[place.scope](view, row)
    return Hit(score=place.score, ranks=place.ranks, group=view.group.name, **parts)


def _fact(view: View, row: int) -> dict[str, Any]:
    firsts = view.group.segment.array("facts", "entities")[:, row]
    ends = dict.fromkeys(view.version(int(first)) for first in firsts if first >= 0)
    cited = list(evidence_rows(view, row))[:_CITATIONS_PER_HIT]
    return {
        "fact": read_fact(view, row),
        "entities": tuple(read_entity(view, place) for place in ends),
        "citations": tuple(read_evidence(view, each, quoted=True) for each in cited),
    }


def _entity(view: View, row: int) -> dict[str, Any]:
    return {"entities": (read_entity(view, row),)}


def _community(view: View, row: int) -> dict[str, Any]:
    return {"community": read_community(view.group.segment.row("communities", row))}


def _episode(view: View, row: int) -> dict[str, Any]:
    return {"episode": read_episode(view, row)}


_PARTS: Final[Mapping[str, Any]] = {
    "facts": _fact,
    "entities": _entity,
    "communities": _community,
    "episodes": _episode,
}
