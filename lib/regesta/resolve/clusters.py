"""Which profiles are one entity: a union-find that never joins what is separated. Pure rules.

Profiles that share a key are joined, the strongest keys first, unless that would put a separated
pair into one cluster: two disjoint labels, or two values of an identifier of which an entity has
one. So separation beats transitivity, and the outcome depends on the profiles alone, not on their
order.

Profiles that no longer count join nobody. They are placed afterwards, with the one cluster that
took them over, because an entity keeps the id of its founding profile when a later version of a
record replaces the words that founded it.

What only texts name, where records name all that there is (`is_link`), is left out: `links`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

LINKING = "4"
"""Begins the keys that join nobody: by them names in texts find their entity (`links`)."""
MOST_ALTERNATIVES = 64
"""Of the mutually separated clusters under one key, how many a further profile is tried with."""


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


class _Forest:
    """Union-find whose roots are the oldest profiles, with what each cluster holds."""

    def __init__(self, profiles: Sequence[Profile], overlapping: Set[Set[str]]) -> None:
        self._overlapping = overlapping
        self._parent = list(range(len(profiles)))
        self.counting = [profile.ended_at is None for profile in profiles]
        self.settled = False
        self.labels = [{profile.label} - {""} for profile in profiles]
        self.values = [
            {kind: {values} for kind, values in profile.exclusive.items()} for profile in profiles
        ]

    def root(self, member: int) -> int:
        while self._parent[member] != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def separated(self, left: int, right: int) -> bool:
        """Return whether two clusters hold a separated pair."""
        if any(
            one != other and {one, other} not in self._overlapping
            for one in self.labels[left]
            for other in self.labels[right]
        ):
            return True
        held, other = self.values[left], self.values[right]
        return any(
            mine.isdisjoint(theirs)
            for kind in held.keys() & other.keys()
            for mine in held[kind]
            for theirs in other[kind]
        )

    def join(self, left: int, right: int) -> bool:
        """Join two clusters under the older root, unless they must stay apart.

        Profiles are numbered by age. Once all that counts is settled, two clusters that hold
        counting profiles stay apart, so that a former profile bridges none.
        """
        root, other = min(left, right), max(left, right)
        both_settled = self.settled and self.counting[root] and self.counting[other]
        if both_settled or self.separated(root, other):
            return False
        self._parent[other] = root
        self.counting[root] |= self.counting[other]
        self.labels[root] |= self.labels[other]
        for kind, values in self.values[other].items():
            self.values[root].setdefault(kind, set()).update(values)
        return True


def cluster(
    profiles: Iterable[Profile], overlapping: Set[Set[str]] = frozenset()
) -> dict[str, str]:
    """Return the founding profile of the cluster of every profile but links, by profile id.

    `overlapping` are the pairs of labels that one entity may bear.
    """
    founding = (profile for profile in profiles if not profile.is_link)
    by_age = sorted(founding, key=lambda profile: profile.age)
    forest = _Forest(by_age, overlapping)
    counting: dict[str, list[int]] = defaultdict(list)
    former: dict[str, list[int]] = defaultdict(list)
    for number, profile in enumerate(by_age):
        for key in profile.keys:
            if key.startswith(LINKING):
                continue
            (counting if profile.ended_at is None else former)[key].append(number)
    for key in sorted(counting):
        _join_all(forest, counting[key])
    forest.settled = True
    _place_former(forest, by_age, counting)
    for key in sorted(former):
        _join_all(forest, former[key])
    return {
        profile.profile_id: by_age[forest.root(number)].profile_id
        for number, profile in enumerate(by_age)
    }


def _join_all(forest: _Forest, members: Sequence[int]) -> None:
    """Join each member to the oldest cluster of the others that takes it."""
    clusters: list[int] = []
    for member in members:
        clusters = list(dict.fromkeys(forest.root(one) for one in clusters))
        root = forest.root(member)
        if root in clusters:
            continue
        if not any(forest.join(other, root) for other in clusters[:MOST_ALTERNATIVES]):
            clusters.append(root)


def _place_former(
    forest: _Forest, by_age: Sequence[Profile], counting: Mapping[str, Sequence[int]]
) -> None:
    """Put a former profile with the one that replaced it, else with the oldest under a key."""
    began: dict[tuple[str, int], int] = {}
    clusters: dict[str, list[int]] = {}
    for key, members in counting.items():
        clusters[key] = sorted({forest.root(member) for member in members})[:MOST_ALTERNATIVES]
        for member in members:
            began.setdefault((key, by_age[member].founded_at), member)
    for number, profile in enumerate(by_age):
        if profile.ended_at is None:
            continue
        replaced_by = [began.get((key, profile.ended_at)) for key in sorted(profile.keys)]
        sharing = [one for key in sorted(profile.keys) for one in clusters.get(key, ())]
        for other in (*(one for one in replaced_by if one is not None), *sharing):
            if forest.join(forest.root(number), forest.root(other)):
                break
