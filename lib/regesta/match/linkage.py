"""Which profiles of a component go together: average linkage over all evidence. Pure rules.

Connected components put two clusters together for one wrong pair. Here two clusters are joined
while the mean log-odds over all pairs between them speaks for it, the most certain ones first
(unweighted average linkage, Sokal and Michener 1958): a weak bridge between two clusters is
outweighed by the links that are missing around it. The pairs of two big clusters repeat the same
comparison, and many of them make it no surer: where both have k records, the odds must be above the
root of k. A separated pair is never in one cluster; parts that are known to be one thing stay
together, and are weighed as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import log
from typing import Final

from regesta.linked import linked

ACCEPTED: Final = 0.0
"""Log-odds above which a pair, or the mean of two clusters' pairs, speaks for one thing."""
LINKED: Final = log(19)
"""Log-odds (19 in 20) above which a pair makes its profiles hang together. Only what hangs together
is weighed: nothing is joined without a pair as likely, and components stay small."""
MOST: Final = 8.0
"""Log-odds that a single pair counts for at most, either way: one pair does not decide alone."""
ABSENT: Final = -1.0
"""Log-odds of a pair that no blocking rule proposed: not compared, and little alike."""
_UNIT: Final = 10_000
"""Sums are kept as whole numbers of this part, so that no order of adding changes them."""

Pair = tuple[str, str]
Scored = tuple[str, str, float]
Join = Callable[[str, str], bool]
"""Is given a member of each of two clusters that are about to be joined; False keeps them apart."""


@dataclass(frozen=True)
class Cluster:
    """Profiles that are one thing, in order.

    `links` are the accepted pairs among them; `weakest` is the lowest mean log-odds at which two
    parts were joined, None for a single profile.
    """

    members: tuple[str, ...]
    links: int
    weakest: float | None

    @property
    def density(self) -> float | None:
        """Accepted pairs by possible pairs, None for a single profile."""
        size = len(self.members)
        return self.links / (size * (size - 1) / 2) if size > 1 else None


def clusters(
    scored: Iterable[Scored],
    separated: Iterable[Pair] = (),
    *,
    together: Iterable[Sequence[str]] = (),
    join: Join = lambda one, other: True,  # noqa: ARG005
) -> list[Cluster]:
    """Return the clusters of the profiles of scored pairs, ordered by their first members.

    Each pair is given once. `together` are profiles that are one thing whatever else is given, each
    in one such part at most. `join` may refuse two clusters, and whatever these grow to then.
    The outcome depends on neither the order of the pairs nor that of the two within one.
    """
    linkage = _Linkage(join)
    for left, right, score in scored:
        linkage.add(left, right, score)
    for left, right in separated:
        linkage.part(left, right)
    for part in together:
        linkage.unite(sorted(part))
    return linkage.joined()


def linked_clusters(
    scored: Iterable[Scored],
    separated: Iterable[Pair] = (),
    *,
    together: Iterable[Sequence[str]] = (),
    join: Join = lambda one, other: True,  # noqa: ARG005
) -> list[Cluster]:
    """Return `clusters` of what hangs together by pairs above LINKED or in a part, each by itself.

    A profile in no such pair or part is alone, and not given.
    """
    pairs, parts = list(scored), [sorted(part) for part in together]
    links = [(left, right) for left, right, score in pairs if score > LINKED]
    links += [link for part in parts for link in pairwise(part)]
    components = linked(links)
    number = {member: place for place, members in enumerate(components) for member in members}
    within: list[_Component] = [_Component() for _ in components]
    for pair in pairs:
        if (place := number.get(pair[0])) is not None and number.get(pair[1]) == place:
            within[place].scored.append(pair)
    for left, right in separated:
        if (place := number.get(left)) is not None and number.get(right) == place:
            within[place].separated.append((left, right))
    for part in parts:
        if len(part) > 1:
            within[number[part[0]]].together.append(part)
    return [
        found
        for each in within
        for found in clusters(each.scored, each.separated, together=each.together, join=join)
    ]


@dataclass(frozen=True)
class _Component:
    scored: list[Scored] = field(default_factory=list)
    separated: list[Pair] = field(default_factory=list)
    together: list[Sequence[str]] = field(default_factory=list)


class _Linkage:
    """Clusters, each named by its first member, and what is between them."""

    def __init__(self, join: Join) -> None:
        self._may_join = join
        self._members: dict[str, list[str]] = {}
        self._evidence: dict[str, dict[str, int]] = defaultdict(dict)
        self._apart: dict[str, set[str]] = defaultdict(set)
        self._links: dict[str, int] = defaultdict(int)
        self._linking: dict[Pair, int] = defaultdict(int)
        self._weakest: dict[str, float] = {}

    def add(self, left: str, right: str, score: float) -> None:
        """Put in a compared pair; evidence is kept above ABSENT, which all other pairs have."""
        clipped = min(max(score, -MOST), MOST) - ABSENT
        for one, other in ((left, right), (right, left)):
            self._members[one] = [one]
            self._evidence[one][other] = round(clipped * _UNIT)
        if score > ACCEPTED:
            self._linking[_ordered(left, right)] += 1

    def unite(self, part: Sequence[str]) -> None:
        """Put profiles, in order, into one cluster whatever the evidence."""
        for member in part:
            self._members.setdefault(member, [member])
        for member in part[1:]:
            self._join(part[0], member)

    def part(self, left: str, right: str) -> None:
        """Keep two clusters apart."""
        self._apart[left].add(right)
        self._apart[right].add(left)

    def joined(self) -> list[Cluster]:
        """Join what belongs together and return the clusters."""
        heap = [
            (-self._mean(one, other), one, other)
            for one, others in self._evidence.items()
            for other in others
            if one < other and self._mean(one, other) > self._required(one, other)
        ]
        heapify(heap)
        while heap:
            negative, kept, gone = heappop(heap)
            if not self._is_current(kept, gone, -negative):
                continue
            if self._may_join(kept, gone):
                self._join(kept, gone)
                lowest = (self._weakest.get(kept), self._weakest.pop(gone, None), -negative)
                self._weakest[kept] = min(mean for mean in lowest if mean is not None)
                for other in self._evidence[kept]:
                    if (mean := self._mean(kept, other)) > self._required(kept, other):
                        heappush(heap, (-mean, *_ordered(kept, other)))
            else:
                self.part(kept, gone)
        return [self._cluster(first) for first in sorted(self._members)]

    def _mean(self, one: str, other: str) -> float:
        pairs = len(self._members[one]) * len(self._members[other])
        return (self._evidence[one][other] / pairs) / _UNIT + ABSENT

    def _required(self, one: str, other: str) -> float:
        smaller = min(len(self._members[one]), len(self._members[other]))
        return ACCEPTED + log(smaller) / 2

    def _is_current(self, kept: str, gone: str, mean: float) -> bool:
        """Return whether two clusters are still there, with this mean, and may be joined."""
        return (
            kept in self._members
            and gone in self._members
            and gone not in self._apart[kept]
            and self._mean(kept, gone) == mean > self._required(kept, gone)
        )

    def _join(self, kept: str, gone: str) -> None:
        self._evidence[kept].pop(gone, None)
        for other, evidence in self._evidence.pop(gone, {}).items():
            if other != kept:
                del self._evidence[other][gone]
                total = self._evidence[kept].get(other, 0) + evidence
                self._evidence[kept][other] = self._evidence[other][kept] = total
                links = self._linking.pop(_ordered(gone, other), 0)
                self._linking[_ordered(kept, other)] += links
        for other in self._apart.pop(gone, set()):
            self._apart[other].discard(gone)
            if other != kept:
                self.part(kept, other)
        self._members[kept] += self._members.pop(gone)
        self._links[kept] += self._links.pop(gone, 0) + self._linking.pop(_ordered(kept, gone), 0)

    def _cluster(self, first: str) -> Cluster:
        members = tuple(sorted(self._members[first]))
        return Cluster(members, self._links.get(first, 0), self._weakest.get(first))


def _ordered(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)
