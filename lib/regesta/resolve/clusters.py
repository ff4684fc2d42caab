"""Which profiles are one entity: what is joined, in which order. Pure rules.

What somebody said of two profiles counts first, whatever else is known of them; of one that was
replaced it counts for the one that replaced it. Then profiles that share a key are joined, the
strongest keys first, and clusters whose profiles were scored by average linkage (`match.linkage`),
which weighs what keys have joined as a whole. Nothing joins what is separated (`forest`):
separation beats transitivity, and the outcome depends on the profiles alone, not on their order.

Profiles that no longer count join nobody. They are placed afterwards, with the one cluster that
took them over, because an entity keeps the id of its founding profile when a later version of a
record replaces the words that founded it.

What only texts name, where records name all that there is (`is_link`), is left out: `links`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from regesta.match import linkage
from regesta.resolve.forest import Forest, Profile

LINKING = "4"
"""Begins the keys that join nobody: by them names in texts find their entity (`links`)."""
SCORED = "5"
"""Begins the keys that only say that a pair was scored as one entity; the scores decide."""
SAID = "6"
"""Begins the keys that only say that somebody said of two profiles that they are one."""
_GLUE = (LINKING, SCORED, SAID)
MOST_ALTERNATIVES = 64
"""Of the mutually separated clusters under one key, how many a further profile is tried with."""


class Word(NamedTuple):
    """What somebody said of two profiles: that they are one entity, or that they are not."""

    left: str
    right: str
    is_same: bool


def cluster(
    profiles: Iterable[Profile],
    overlapping: Set[Set[str]] = frozenset(),
    scored: Iterable[linkage.Scored] = (),
    words: Sequence[Word] = (),
) -> dict[str, str]:
    """Return the founding profile of the cluster of every profile but links, by profile id.

    `overlapping` are the pairs of labels that one entity may bear, `scored` pairs of profile ids
    with the log-odds that they are one entity, `words` what somebody said, the newest first; pairs
    of profiles that are not given are passed over.
    """
    founding = (profile for profile in profiles if not profile.is_link)
    by_age = sorted(founding, key=lambda profile: profile.age)
    forest = Forest(by_age, overlapping)
    counting: dict[str, list[int]] = defaultdict(list)
    former: dict[str, list[int]] = defaultdict(list)
    for number, profile in enumerate(by_age):
        for key in _joining(profile):
            (counting if profile.ended_at is None else former)[key].append(number)
    _obey(forest, by_age, words)
    for key in sorted(counting):
        _join_all(forest, counting[key])
    _join_scored(forest, by_age, scored)
    forest.settled = True
    _place_former(forest, by_age, counting)
    for key in sorted(former):
        _join_all(forest, former[key])
    return {
        profile.profile_id: by_age[forest.root(number)].profile_id
        for number, profile in enumerate(by_age)
    }


def _obey(forest: Forest, by_age: Sequence[Profile], words: Sequence[Word]) -> None:
    """Part and join what somebody said; where words contradict each other, parting wins."""
    if not words:
        return
    number = {one.profile_id: place for place, one in enumerate(by_age)}
    heirs = _heirs(by_age)
    ends = [
        (heirs.get(number[word.left], number[word.left]), heirs.get(right, right), word.is_same)
        for word in words
        if word.left in number and (right := number.get(word.right)) is not None
    ]
    for left, right, is_same in ends:
        if not is_same and left != right:
            forest.part(left, right)
    for left, right, is_same in ends:
        if is_same:
            forest.join(forest.root(left), forest.root(right), despite_separation=True)


def _heirs(by_age: Sequence[Profile]) -> dict[int, int]:
    """Return what replaced each former profile at last: what shares a key and began then."""
    began = _began(by_age, range(len(by_age)))
    heirs: dict[int, int] = {}
    # The latest first, so that the heir of an heir is known.
    for number in sorted(range(len(by_age)), key=lambda one: by_age[one].age, reverse=True):
        ended_at = by_age[number].ended_at
        if ended_at is None or ended_at <= by_age[number].founded_at:
            continue
        found = (began.get((key, ended_at)) for key in _joining(by_age[number]))
        heir = next((one for one in found if one is not None), None)
        if heir is not None:
            heirs[number] = heirs.get(heir, heir)
    return heirs


def _began(by_age: Sequence[Profile], numbers: Iterable[int]) -> dict[tuple[str, int], int]:
    """Return the oldest of the numbered profiles that began to share a key at a time."""
    began: dict[tuple[str, int], int] = {}
    for number in numbers:
        for key in _joining(by_age[number]):
            began.setdefault((key, by_age[number].founded_at), number)
    return began


def _joining(profile: Profile) -> list[str]:
    return sorted(key for key in profile.keys if not key.startswith(_GLUE))


def _join_all(forest: Forest, members: Sequence[int]) -> None:
    """Join each member to the oldest cluster of the others that takes it."""
    clusters: list[int] = []
    for member in members:
        clusters = list(dict.fromkeys(forest.root(one) for one in clusters))
        root = forest.root(member)
        if root in clusters:
            continue
        if not any(forest.join(other, root) for other in clusters[:MOST_ALTERNATIVES]):
            clusters.append(root)


def _join_scored(
    forest: Forest, by_age: Sequence[Profile], scored: Iterable[linkage.Scored]
) -> None:
    """Join clusters of counting profiles by the scores of the pairs between them."""
    number = {one.profile_id: place for place, one in enumerate(by_age) if one.ended_at is None}
    pairs = [pair for pair in scored if pair[0] in number and pair[1] in number]
    if not pairs:
        return
    parts: dict[int, list[str]] = defaultdict(list)
    for profile_id, place in number.items():
        parts[forest.root(place)].append(profile_id)

    def join(one: str, other: str) -> bool:
        return forest.join(forest.root(number[one]), forest.root(number[other]))

    linkage.linked_clusters(pairs, together=parts.values(), join=join)


def _place_former(
    forest: Forest, by_age: Sequence[Profile], counting: Mapping[str, Sequence[int]]
) -> None:
    """Put a former profile with the one that replaced it, else with the oldest under a key."""
    numbers = [number for number, one in enumerate(by_age) if one.ended_at is None]
    began = _began(by_age, numbers)
    clusters = {
        key: sorted({forest.root(member) for member in members})[:MOST_ALTERNATIVES]
        for key, members in counting.items()
    }
    for number, profile in enumerate(by_age):
        if profile.ended_at is None:
            continue
        replaced_by = [began.get((key, profile.ended_at)) for key in _joining(profile)]
        sharing = [one for key in _joining(profile) for one in clusters.get(key, ())]
        for other in (*(one for one in replaced_by if one is not None), *sharing):
            if forest.join(forest.root(number), forest.root(other)):
                break
