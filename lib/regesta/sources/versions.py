"""Which arrivals are new versions, and what they supersede: pure rules over one series.

A series is all that is known of one record of a source: one item, or in snapshot mode one item per
reference time. Times are microseconds since 1970 in UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, Literal

EPISODE: Final = 0
HEARTBEAT: Final = 1
ARRIVAL: Final = 2
LISTED: Final = 3
ABSENT: Final = 4
"""What a Version is: in the tables, in the tables as a heartbeat, just arrived, a rejected row of a
complete delivery that still tells that its record is listed, or what tells that a document which
came again has a section no more."""

BY_ARRIVAL: Final = "@"
"""What the places of versions begin with that nothing but their arrival orders."""

LOWEST_PLACE: Final = ""

_ARRIVED: Final = (ARRIVAL, ABSENT)
_SUPERSEDING_NOTHING: Final = ("ended", "no_information")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of one item, or what stands for it (see the kinds above).

    `place` begins with BY_ARRIVAL where only arrival orders the versions. `arrival` (file, row)
    tells arrivals apart and orders nothing. `own_known_at` is the source's word, None where it
    gives none. `published` tells that its group or item was published before this batch;
    `superseded`, that it is recorded as such. A heartbeat has the lowest place, and the id and
    content hash of the episode that it repeats.
    """

    kind: int
    item_id: str
    reference_time: int
    place: str
    known_at: int
    own_known_at: int | None
    content_hash: str
    group_id: str
    removed: str | None
    arrival: tuple[int, int] | None = None
    episode_id: str = ""
    published: bool = False
    superseded: bool = False

    @property
    def said(self) -> tuple[str, str, str | None]:
        """What must be equal for two versions to say the same."""
        return self.content_hash, self.group_id, self.removed

    @property
    def rank(self) -> tuple[object, ...]:
        """The order of the versions of one item, lowest first; total."""
        own = self.known_at if self.own_known_at is None else self.own_known_at
        said = (self.content_hash, self.group_id, self.removed or "")
        return (self.place, self.known_at, own, *said, self.episode_id)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of an arrival (`version`), of an episode, or of a record that is gone.

    unchanged, restamped (a new version whose known_at is the batch's), heartbeat (of the episode
    whose id it has), superseded (an episode, by `other_id`, at `at`; by a removal that means
    `removal`, or by None), gone (absent from a complete
    delivery or a document: `version` is a new episode that says so). Arrivals without a verdict are
    new versions as they are.
    """

    kind: Literal["unchanged", "restamped", "heartbeat", "superseded", "gone"]
    version: Version
    other_id: str | None = None
    at: int | None = None
    removal: str | None = None


@dataclass(frozen=True)
class Night:
    """The batch as the rules see it.

    `known_at` and `previous_known_at` are those of this batch and of the last (None: none).
    `name` gives the id of a new episode, `item_at` that of the record's item at a reference time;
    `ended_hash` is the content hash of an episode that only tells that its record is gone.
    """

    known_at: int
    previous_known_at: int | None
    name: Callable[[Version], str]
    item_at: Callable[[int], str] = str
    ended_hash: str = ""
    deliveries: Sequence[Delivery] = ()
    by_time: Mapping[int, Delivery] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_time", {one.reference_time: one for one in self.deliveries})

    def stamp(self, known_at: int, *, published: bool) -> int:
        """Return when a version can be known: not before what was published already."""
        late = self.previous_known_at is not None and known_at <= self.previous_known_at
        return self.known_at if published and late else known_at


@dataclass(frozen=True, slots=True)
class Delivery:
    """All rows of one reference time of a complete source; `new` if this batch brought some."""

    reference_time: int
    known_at: int
    new: bool


def judge_item_series(versions: Iterable[Version], night: Night) -> Iterator[Verdict]:
    """Return the verdicts over the one item of a record in event or interval mode."""
    standing, arrivals = _stamped(versions, night)
    verdicts, new = _judge_versions(standing, arrivals)
    yield from (verdict for verdict in verdicts if verdict.version.kind != ABSENT)
    yield from (Verdict("gone", version) for version in new if version.kind == ABSENT)
    yield from _supersessions([*standing, *new])


def judge_snapshot_series(versions: Iterable[Version], night: Night) -> Iterator[Verdict]:
    """Return the verdicts over the items of a record in snapshot mode, by reference time.

    With `night.deliveries` (a complete source) a record that the delivery before listed and this
    one doesn't is gone; only what this batch's deliveries tell is reported.
    """
    at_time = {
        time: list(group)
        for time, group in groupby(
            sorted(versions, key=lambda version: version.reference_time),
            key=lambda version: version.reference_time,
        )
    }
    before: Version | None = None
    passed: list[tuple[Delivery, Version | None]] = []
    for time in sorted({*at_time, *night.by_time}):
        delivery = night.by_time.get(time)
        if time in at_time:
            verdicts, before = _judge_snapshot_item(at_time[time], before, night)
            yield from verdicts
        elif before is not None and delivery is not None:
            missed = _missed(passed, delivery)
            if missed is not None and (delivery.new or missed.listed_by.new):
                yield _gone(missed, delivery, night)
            before = replace(before, removed="ended")
        if delivery is not None:
            listed = before if before is not None and before.removed is None else None
            passed.append((delivery, listed))


@dataclass(frozen=True, slots=True)
class _Missed:
    """From when on it is known that a record is absent from a delivery but was in one before."""

    known_at: int
    version: Version
    listed_by: Delivery


def _missed(
    passed: Sequence[tuple[Delivery, Version | None]], delivery: Delivery
) -> _Missed | None:
    """Tell when it is first known that the delivery before this one lists a record; None: never.

    `passed` are the deliveries of earlier reference times with what each lists of the record. One
    that is known late counts only from then on, as it would if batches had come night by night.
    """
    late = {one.known_at for one, _ in passed if one.known_at > delivery.known_at}
    for moment in sorted({delivery.known_at, *late}):
        for one, version in reversed(passed):
            if one.known_at <= moment:
                if version is not None:
                    return _Missed(moment, version, one)
                break
    return None


def _gone(missed: _Missed, delivery: Delivery, night: Night) -> Verdict:
    before, known_at = missed.version, missed.known_at
    absent = replace(
        before,
        kind=ARRIVAL,
        item_id=night.item_at(delivery.reference_time),
        reference_time=delivery.reference_time,
        place=LOWEST_PLACE,
        known_at=known_at,
        own_known_at=known_at,
        content_hash=night.ended_hash,
        removed="ended",
        arrival=None,
        superseded=False,
    )
    published = before.published or before.kind != ARRIVAL
    return Verdict("gone", _named(absent, night, published=published))


def _judge_snapshot_item(
    versions: Sequence[Version], before: Version | None, night: Night
) -> tuple[list[Verdict], Version | None]:
    """Judge the versions of one item; return the verdicts and what now stands."""
    standing, arrivals = _stamped(versions, night)
    if not standing and not arrivals:  # a rejected row: listed, with what stood before
        return [], before
    verdicts, new = _judge_versions(standing, arrivals)
    if not standing and len(new) == 1 and before is not None and _repeats(new[0], before):
        beat = replace(new[0], kind=HEARTBEAT, episode_id=before.episode_id)
        dropped = [verdict for verdict in verdicts if verdict.kind != "restamped"]
        return [*dropped, Verdict("heartbeat", beat)], beat
    verdicts += _supersessions([*standing, *new])
    return verdicts, max([*standing, *new], key=_rank)


def _repeats(version: Version, before: Version) -> bool:
    known_in_time = before.known_at <= version.known_at
    return known_in_time and version.removed is None and version.said == before.said


def _stamped(versions: Iterable[Version], night: Night) -> tuple[list[Version], list[Version]]:
    """Return what stands and what arrived (with its known_at and id), each in its order."""
    held = list(versions)
    standing = [version for version in held if version.kind in (EPISODE, HEARTBEAT)]
    arrivals = [
        _named(version, night, published=version.published or bool(standing))
        for version in held
        if version.kind in _ARRIVED
    ]
    return sorted(standing, key=_rank), sorted(arrivals, key=_rank)


def _named(version: Version, night: Night, *, published: bool) -> Version:
    known_at = night.stamp(version.known_at, published=published)
    stamped = replace(version, known_at=known_at, published=published)
    return replace(stamped, episode_id=night.name(stamped))


def _rank(version: Version) -> tuple[object, ...]:
    return version.rank


def _judge_versions(
    standing: Sequence[Version], arrivals: Sequence[Version]
) -> tuple[list[Verdict], list[Version]]:
    """Return verdicts over the arrivals of one item, and those that are new versions."""
    verdicts: list[Verdict] = []
    new: list[Version] = []
    for place, group in groupby(arrivals, key=_bucket):
        there = [one for one in standing if _bucket(one) == place or one.kind == HEARTBEAT]
        came = list(group)
        kept = _new_at_place(there, came)
        kept_arrivals = {version.arrival for version in kept}
        verdicts += [Verdict("unchanged", one) for one in came if one.arrival not in kept_arrivals]
        new += kept
    own = [version for version in new if _is_restamped(version)]
    verdicts += [Verdict("restamped", version) for version in own]
    return verdicts, new


def _bucket(version: Version) -> str:
    """Return what versions share that are compared one after another."""
    return BY_ARRIVAL if version.place.startswith(BY_ARRIVAL) else version.place


def _is_restamped(version: Version) -> bool:
    return version.own_known_at is not None and version.known_at != version.own_known_at


def _new_at_place(standing: Sequence[Version], arrivals: Sequence[Version]) -> list[Version]:
    """Return the arrivals at one place that say something else than what stands there."""
    if any(one.own_known_at is None for one in arrivals):
        return _new_by_arrival(standing, arrivals)
    return _new_by_own_time(standing, arrivals)


def _new_by_own_time(standing: Sequence[Version], arrivals: Sequence[Version]) -> list[Version]:
    """Leave out what repeats the version that the source itself knew before it."""
    kept: list[Version] = []
    before: Version | None = None
    for version in sorted([*standing, *arrivals], key=_own_rank):
        arrived = version.kind in _ARRIVED
        if arrived and before is not None and before.said == version.said:
            continue
        before = version
        if arrived:
            kept.append(version)
    return kept


def _own_rank(version: Version) -> tuple[int, str, str, str, int]:
    own = version.known_at if version.own_known_at is None else version.own_known_at
    content, group, removed = version.said
    return own, content, group, removed or "", version.kind


def _new_by_arrival(standing: Sequence[Version], arrivals: Sequence[Version]) -> list[Version]:
    """Leave out what repeats the arrival before it, and the longest beginning that repeats the end
    of what stands: the same file under another name."""
    sequence: list[Version] = []
    for version in arrivals:
        if not (sequence and sequence[-1].said == version.said):
            sequence.append(version)
    return sequence[_overlap([one.said for one in standing], [one.said for one in sequence]) :]


def _overlap(ends: Sequence[object], begins: Sequence[object]) -> int:
    """Return the length of the longest beginning of `begins` that is an end of `ends`."""
    longest = min(len(ends), len(begins))
    return next(n for n in range(longest, -1, -1) if ends[len(ends) - n :] == begins[:n])


def _supersessions(versions: Iterable[Version]) -> Iterator[Verdict]:
    """Return for each episode of one item when a higher version was first known, if one is.

    A removal that means an end or no information supersedes nothing.
    """
    best: Version | None = None
    episodes = [version for version in versions if version.kind != HEARTBEAT]
    for version in sorted(episodes, key=_rank, reverse=True):
        if best is not None and not version.superseded:
            other = {"other_id": best.episode_id, "removal": best.removed}
            yield Verdict("superseded", version, at=best.known_at, **other)
        counts = version.removed not in _SUPERSEDING_NOTHING
        if counts and (best is None or version.known_at < best.known_at):
            best = version
