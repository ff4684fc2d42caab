"""Clusters that never hold a separated pair: a union-find over profiles. Pure rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Profile:
    """What identity is decided by; times are microseconds.

    `keys` sort by strength. `exclusive` holds the values of identifiers of which an entity has
    one, by kind. `ended_at` is None for a profile that counts. `is_link`: only texts name it.
    """

    profile_id: str
    founded_at: int
    label: str = ""
    keys: tuple[str, ...] = ()
    exclusive: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ended_at: int | None = None
    is_link: bool = False

    @property
    def age(self) -> tuple[int, str]:
        """Order of founding, total."""
        return (self.founded_at, self.profile_id)


class Forest:
    """Union-find whose roots are the oldest profiles, with what each cluster holds.

    Separated are two disjoint labels, two values of an identifier of which an entity has one, and
    two profiles of which somebody said so (`part`). What was joined by somebody's word although it
    is separated goes together with whatever goes together with a part of it.
    """

    def __init__(self, profiles: Sequence[Profile], overlapping: Set[Set[str]]) -> None:
        self._overlapping = overlapping
        self._parent = list(range(len(profiles)))
        self.counting = [profile.ended_at is None for profile in profiles]
        self.settled = False
        self._labels = [{profile.label} - {""} for profile in profiles]
        self._values = [
            {kind: {values} for kind, values in profile.exclusive.items()} for profile in profiles
        ]
        self._named: dict[int, set[int]] = {}
        self._parted: dict[int, set[int]] = {}

    def root(self, member: int) -> int:
        """Return the oldest profile of a member's cluster."""
        while self._parent[member] != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def part(self, left: int, right: int) -> None:
        """Keep two profiles apart; before any is joined."""
        for one, other in ((left, right), (right, left)):
            self._named.setdefault(one, {one})
            self._parted.setdefault(one, set()).add(other)

    def join(self, left: int, right: int, *, despite_separation: bool = False) -> bool:
        """Join two clusters under the older root, unless they must stay apart.

        Profiles are numbered by age. Once all that counts is settled, two clusters that hold
        counting profiles stay apart, so that a former profile bridges none. With
        `despite_separation` only what was parted stays apart.
        """
        root, other = min(left, right), max(left, right)
        if root == other:
            return True
        both_settled = self.settled and self.counting[root] and self.counting[other]
        if both_settled or self._are_parted(root, other):
            return False
        if not despite_separation and self._are_separated(root, other):
            return False
        self._parent[other] = root
        self.counting[root] |= self.counting[other]
        self._labels[root] |= self._labels[other]
        for kind, values in self._values[other].items():
            self._values[root].setdefault(kind, set()).update(values)
        for told in (self._named, self._parted):
            if other in told:
                told.setdefault(root, set()).update(told.pop(other))
        return True

    def _are_parted(self, left: int, right: int) -> bool:
        return not self._named.get(left, set()).isdisjoint(self._parted.get(right, ()))

    def _are_separated(self, left: int, right: int) -> bool:
        if self._labels_part(self._labels[left], self._labels[right]):
            return True
        held, other = self._values[left], self._values[right]
        return any(_values_part(held[kind], other[kind]) for kind in held.keys() & other.keys())

    def _labels_part(self, mine: Set[str], theirs: Set[str]) -> bool:
        if mine & theirs and (self._disjoint(mine, mine) or self._disjoint(theirs, theirs)):
            return False
        return self._disjoint(mine, theirs)

    def _disjoint(self, mine: Set[str], theirs: Set[str]) -> bool:
        return any(
            one != other and {one, other} not in self._overlapping
            for one in mine
            for other in theirs
        )


def _values_part(mine: Set[frozenset[str]], theirs: Set[frozenset[str]]) -> bool:
    """Return whether values of one kind separate; see `Forest` for what somebody has joined."""
    if _disjoint(mine, mine) or _disjoint(theirs, theirs):
        return frozenset[str]().union(*mine).isdisjoint(frozenset[str]().union(*theirs))
    return _disjoint(mine, theirs)


def _disjoint(mine: Set[frozenset[str]], theirs: Set[frozenset[str]]) -> bool:
    return any(one.isdisjoint(other) for one in mine for other in theirs)
