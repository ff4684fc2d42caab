"""Rules 4 and 5: claims that end their rivals for good, and claims that are disputed.

Both are judged from the highest authority down: what disputes or ends a claim is of no lower
authority, and so has been judged before it or together with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from regesta.timeline.claims import Bound, Claim
from regesta.timeline.ontology import Slot

Successor = tuple[int, str, Claim]
"""When it takes a slot, with which token, by which claim."""


def succeed(claims: Sequence[Claim]) -> None:
    """Mark disputed claims and shorten superseded ones, in place.

    Takes claims that fill slots, in ascending order, ends already applied. Whether a higher claim
    holds at a start is judged by its span alone, covered or not: rule 5 comes after ends only.
    """
    levels = sorted({claim.statement.authority for claim in claims}, reverse=True)
    for level in levels:
        heard = [claim for claim in claims if claim.statement.authority >= level]
        if level != levels[0]:
            _dispute(heard, level)
        _supersede(heard, level)


def _dispute(claims: Sequence[Claim], level: int) -> None:
    higher = [c for c in claims if c.statement.authority > level and not c.disputed]
    higher.sort(key=attrgetter("start"), reverse=True)
    holding: dict[Slot, dict[str, int]] = {}
    for claim in claims:
        if claim.statement.authority == level:
            while higher and higher[-1].start <= claim.start:
                _hold(holding, higher.pop())
            claim.disputed = _rival_holds(holding, claim)


def _hold(holding: dict[Slot, dict[str, int]], claim: Claim) -> None:
    for slot, token in claim.triple.slots:
        ends = holding.setdefault(slot, {})
        ends[token] = max(claim.end, ends.get(token, claim.end))


def _rival_holds(holding: dict[Slot, dict[str, int]], claim: Claim) -> bool:
    held = False
    for slot, token in claim.triple.slots:
        ends = holding.get(slot, {})
        for past in [other for other, end in ends.items() if end <= claim.start]:
            del ends[past]
        held = held or bool(ends.keys() - {token})
    return held


def _supersede(claims: Sequence[Claim], level: int) -> None:
    """Shorten the claims of a level to the next successor of another token in any of their slots.

    Walks from the last claim to the first; of each slot it keeps the next successor and the next
    one of another token than that, which is all that an earlier claim can need. A disputed claim
    is met before the successors of its instant: only later ones end it, or it would not be kept.
    """
    nearest: dict[Slot, Successor] = {}
    second: dict[Slot, Successor] = {}
    backwards = sorted(claims, key=attrgetter("start", "disputed"))
    backwards.reverse()
    for claim in backwards:
        for slot, token in claim.triple.slots:
            if claim.statement.authority == level:
                _shorten(claim, token, nearest.get(slot), second.get(slot))
        if claim.succeeds and not claim.disputed:
            for slot, token in claim.triple.slots:
                _keep(slot, (claim.start, token, claim), nearest, second)


def _shorten(claim: Claim, token: str, nearest: Successor | None, second: Successor | None) -> None:
    successor = second if nearest is not None and nearest[1] == token else nearest
    if successor is not None and successor[0] < claim.end:
        by = successor[2]
        claim.shorten(by.start, Bound("superseded", by.statement.id, by.start_precision))


def _keep(
    slot: Slot,
    successor: Successor,
    nearest: dict[Slot, Successor],
    second: dict[Slot, Successor],
) -> None:
    """Of successors that start together the last one in order, which prevails, is kept."""
    first = nearest.get(slot)
    if first is None or (successor[1] == first[1] and successor[0] < first[0]):
        nearest[slot] = successor
    elif successor[1] != first[1]:
        if successor[0] < first[0]:
            nearest[slot], second[slot] = successor, first
        elif slot not in second or successor[0] < second[slot][0]:
            second[slot] = successor
