"""Ids that follow the largest overlap with the communities of before. Pure rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Overlap(NamedTuple):
    """How many entities a new community, named by its label, shares with an old one."""

    label: str
    community_id: str
    members: int


def matched(overlaps: Iterable[Overlap]) -> dict[str, str]:
    """Return the old id that each new community keeps, by label; one to one.

    Pairs are taken in the order of their overlap, the largest first, then of both ids; a label that
    is absent from the answer is a new community.
    """
    kept: dict[str, str] = {}
    taken: set[str] = set()
    for label, community_id, _ in sorted(
        overlaps, key=lambda one: (-one.members, one.community_id, one.label)
    ):
        if label not in kept and community_id not in taken:
            kept[label] = community_id
            taken.add(community_id)
    return kept
