"""Rule 3: which ends shorten which claims."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from regesta.timeline.claims import Bound, Claim, End, Gathered


def end_claims(gathered: Gathered) -> None:
    """Shorten every claim to the first end that applies to it."""
    if not gathered.ends:
        return
    ends = gathered.ends
    for (subject, relation, target), triple in gathered.triples.items():
        keys = ((subject, relation, target), (subject, relation, None), ("", relation, target))
        given = [end for key in keys for end in ends.get(key, ())]
        if given:
            given.sort()
            for claim in triple.claims:
                _end_claim(claim, given)


def _end_claim(claim: Claim, given: Sequence[End]) -> None:
    first = bisect_left(given, claim.start, key=lambda end: end.time)
    for index in range(first, len(given)):
        end = given[index]
        if end.time >= claim.end:
            return
        if _applies(end, claim):
            stated = end.statement
            claim.shorten(end.time, Bound("ended", stated.id, stated.invalid_precision))
            return


def _applies(end: End, claim: Claim) -> bool:
    """Whether an end at or after the claim's start, and before its own end, ends it."""
    authority = claim.statement.authority
    if -end.below < authority:
        return False
    if end.time == claim.start and not _empties(end, claim):
        return False
    if not claim.open:
        return end.statement.polarity == "ends" and end.said > claim.said
    if end.everyone or end.start in (claim.start, claim.order[3]):
        return True
    return -end.below > authority and end.start <= claim.start < end.time


def _empties(end: End, claim: Claim) -> bool:
    """Whether an end in the instant of a claim's start leaves nothing of it.

    A span that was told with a start of its own and ends there says what came before: "buyer until
    March, director since March" at one employer is no contradiction.
    """
    stated = end.statement
    of_another_span = (
        stated.polarity == "asserts"
        and stated.valid_at is not None
        and end.start not in (claim.start, claim.order[3])
    )
    return end.said > claim.said and not of_another_span
