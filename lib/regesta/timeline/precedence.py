"""Rule 6: at each instant, which of the claims that hold is believed.

A sweep over the instants at which something starts or ends. Only the triples that share slots,
directly or over others, with what changes are decided anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import attrgetter
from typing import NamedTuple

from regesta.timeline.claims import Bound, Claim, Triple
from regesta.timeline.ontology import Slot


class Cover(NamedTuple):
    """A span in which a triple gives way; what bounds it where it stops and where it resumes."""

    start: int
    end: int
    closing: Bound
    opening: Bound | None


def overlapping(claims: Iterable[Claim]) -> bool:
    """Whether any two rivals hold at one instant; takes claims by ascending start."""
    holders: dict[Slot, tuple[str, int]] = {}
    for claim in claims:
        start, end = claim.start, claim.end
        if start >= end:
            continue
        for slot, token in claim.triple.slots:
            holder = holders.get(slot)
            if holder is not None and holder[1] > start:
                if holder[0] != token:
                    return True
                if holder[1] >= end:
                    continue
            holders[slot] = (token, end)
    return False


def covers(claims: Sequence[Claim]) -> dict[Triple, list[Cover]]:
    """The spans in which triples give way to rivals of higher precedence; claims undisputed."""
    return _Sweep(claims).run() if overlapping(claims) else {}


def clip(claims: Iterable[Claim], spans: Sequence[Cover]) -> list[Claim]:
    """The parts of one triple's claims outside of these spans (disjoint, ascending)."""
    return [part for claim in claims for part in _clip_one(claim, spans)]


def _clip_one(claim: Claim, spans: Sequence[Cover]) -> Iterable[Claim]:
    start, opening = claim.start, claim.opening
    for index in range(bisect_right(spans, start, key=attrgetter("end")), len(spans)):
        cover = spans[index]
        if cover.start >= claim.end:
            break
        if cover.start > start:
            yield claim.part(start, opening, cover.start, cover.closing)
        start, opening = cover.end, cover.opening
    if start < claim.end:
        yield claim.part(start, opening, claim.end, claim.closing)


def _rank(claim: Claim) -> tuple[int, int, tuple[object, ...]]:
    return (claim.order[1], claim.start, claim.order[2:])


@dataclass(slots=True)
class _Blocked:
    """Since when and by whom a triple that holds is kept from being believed."""

    since: int
    closing: Bound
    by: Triple


@dataclass(slots=True, eq=False)
class _Sweep:
    claims: Sequence[Claim]
    holding: dict[Triple, list[tuple[int, Claim]]] = field(default_factory=dict)
    by_slot: dict[Slot, dict[Triple, None]] = field(default_factory=dict)
    blocked: dict[Triple, _Blocked] = field(default_factory=dict)
    covers: dict[Triple, list[Cover]] = field(default_factory=dict)

    def run(self) -> dict[Triple, list[Cover]]:
        """The covers of each triple, ascending; the highest claim of each is kept in a heap."""
        starting: dict[int, list[tuple[int, Claim]]] = {}
        ending: dict[int, list[Claim]] = {}
        ranked = sorted((c for c in self.claims if c.start < c.end), key=_rank, reverse=True)
        for rank, claim in enumerate(ranked):
            starting.setdefault(claim.start, []).append((rank, claim))
            ending.setdefault(claim.end, []).append(claim)
        for time in sorted(starting.keys() | ending.keys()):
            ended = {claim.triple: claim for claim in reversed(ending.get(time, []))}
            changed = dict.fromkeys(ended)
            for rank, claim in starting.get(time, []):
                self._start(rank, claim)
                changed[claim.triple] = None
            for triple in ended:
                self._stop(triple, time)
            self._decide(time, self._cluster(changed), ended)
        return self.covers

    def _start(self, rank: int, claim: Claim) -> None:
        triple = claim.triple
        if triple not in self.holding:
            self.holding[triple] = []
            for slot, _ in triple.slots:
                self.by_slot.setdefault(slot, {})[triple] = None
        heappush(self.holding[triple], (rank, claim))

    def _stop(self, triple: Triple, time: int) -> None:
        heap = self.holding[triple]
        while heap and heap[0][1].end <= time:
            heappop(heap)
        if heap:
            return
        del self.holding[triple]
        for slot, _ in triple.slots:
            del self.by_slot[slot][triple]
        blocked = self.blocked.pop(triple, None)
        if blocked is not None:
            self._cover(triple, blocked, time, None)

    def _cluster(self, changed: Iterable[Triple]) -> list[Triple]:
        """The holding triples that share slots with the changed ones, the highest first."""
        reached = dict.fromkeys(changed)
        waiting = list(reached)
        while waiting:
            for slot, _ in waiting.pop().slots:
                for triple in self.by_slot.get(slot, ()):
                    if triple not in reached:
                        reached[triple] = None
                        waiting.append(triple)
        held = [triple for triple in reached if triple in self.holding]
        return sorted(held, key=lambda triple: self.holding[triple][0][0])

    def _decide(self, time: int, cluster: Sequence[Triple], ended: dict[Triple, Claim]) -> None:
        """Take triples in order, each unless a rival already taken fills one of its slots."""
        fillers: dict[Slot, Triple] = {}
        taken: list[Triple] = []
        before = {triple: self.blocked.get(triple) for triple in cluster}
        for triple in cluster:
            rival = _rival(triple, fillers)
            if rival is None:
                taken.append(triple)
                fillers.update((slot, triple) for slot, _ in triple.slots)
            elif (known := before[triple]) is not None:
                self.blocked[triple] = _Blocked(known.since, known.closing, rival)
            else:
                self.blocked[triple] = _Blocked(time, self._taking(rival), rival)
        for triple in taken:
            blocked = before[triple]
            if blocked is not None:
                self._cover(triple, blocked, time, self._freeing(blocked.by, ended))
                del self.blocked[triple]

    def _cover(self, triple: Triple, blocked: _Blocked, end: int, opening: Bound | None) -> None:
        cover = Cover(blocked.since, end, blocked.closing, opening)
        self.covers.setdefault(triple, []).append(cover)

    def _taking(self, rival: Triple) -> Bound:
        """The closing of what gives way to a rival: by its highest claim."""
        claim = self.holding[rival][0][1]
        return Bound("covered", claim.statement.id, claim.start_precision)

    def _freeing(self, rival: Triple, ended: dict[Triple, Claim]) -> Bound | None:
        """The opening of what resumes: by what ended the rival, or by what covers it now."""
        blocked = self.blocked.get(rival)
        if blocked is not None:
            return self._taking(blocked.by)
        return ended[rival].closing if rival in ended else None


def _rival(triple: Triple, fillers: dict[Slot, Triple]) -> Triple | None:
    for slot, token in triple.slots:
        filler = fillers.get(slot)
        if filler is not None and (slot, token) not in filler.slots:
            return filler
    return None
