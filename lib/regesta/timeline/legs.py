"""Facts over more than two entities: several triples, the legs, that live and end together.

The legs of one telling carry the same `hyperedge`. They count together, are disputed together and
are believed only while every one of them would be by itself; nothing holds longer than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from regesta.timeline.claims import Bound, Claim, Gathered, Triple
from regesta.timeline.precedence import Cover, clip
from regesta.timeline.statement import Statement


class _Span(NamedTuple):
    """When a leg is believed by itself, and what bounds it."""

    start: int
    opening: Bound | None
    end: int
    closing: Bound | None


def whole(told: Sequence[Statement], counted: Sequence[Statement]) -> Sequence[Statement]:
    """The counted statements without the legs of a fact of which another leg was taken back."""
    if counted is told:
        return counted
    kept = {statement.id for statement in counted}
    broken = {
        one.hyperedge
        for one in told
        if one.hyperedge and one.polarity == "asserts" and one.id not in kept
    }
    return [one for one in counted if one.hyperedge not in broken] if broken else counted


def legs_of(statements: Iterable[Statement], gathered: Gathered) -> list[list[list[Claim]]]:
    """The claims of every fact over more than two entities, leg by leg; a leg may claim nothing."""
    found: dict[str, dict[str, list[Claim]]] = {}
    for told in statements:
        if told.hyperedge is not None and told.polarity == "asserts":
            found.setdefault(told.hyperedge, {})[told.id] = []
    if not found:
        return []
    for triple in gathered.triples.values():
        for claim in triple.claims:
            told = claim.statement
            if told.hyperedge is not None:
                found[told.hyperedge][told.id].append(claim)
    return [[claims for _, claims in sorted(legs.items())] for _, legs in sorted(found.items())]


def dispute(facts: Iterable[Sequence[Sequence[Claim]]]) -> None:
    """Let all legs of a fact be disputed where one is."""
    for legs in facts:
        claims = list(chain.from_iterable(legs))
        if any(claim.disputed for claim in claims):
            for claim in claims:
                claim.disputed = True


def bind(
    facts: Iterable[Sequence[Sequence[Claim]]], given_way: Mapping[Triple, Sequence[Cover]]
) -> None:
    """Cut the undisputed claims of a fact's legs to the time in which all of them are believed.

    What a leg loses, it loses by what ended or covered the other one.
    """
    for legs in facts:
        if any(claim.disputed for claim in chain.from_iterable(legs)):
            continue
        spans = [_spans(claims, given_way) for claims in legs]
        for place, claims in enumerate(legs):
            others = [leg for other, leg in enumerate(spans) if other != place]
            _cut(claims, others)


def _spans(claims: Sequence[Claim], given_way: Mapping[Triple, Sequence[Cover]]) -> list[_Span]:
    """When one leg's claims hold, as disjoint spans in order."""
    parts = clip(claims, given_way.get(claims[0].triple, ())) if claims else []
    held = [_Span(part.start, part.opening, part.end, part.closing) for part in parts]
    spans: list[_Span] = []
    for span in sorted(held, key=_in_order):
        if span.start >= span.end:
            continue
        if not spans or span.start > spans[-1].end:
            spans.append(span)
        elif span.end > spans[-1].end:
            spans[-1] = spans[-1]._replace(end=span.end, closing=span.closing)
    return spans


def _in_order(span: _Span) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    bounds = (span.opening, span.closing)
    told = [() if bound is None else (bound.reason, bound.by) for bound in bounds]
    return (span.start, span.end, told[0], told[1])


def _cut(claims: Sequence[Claim], others: Sequence[Sequence[_Span]]) -> None:
    if not claims:
        return
    parts = list(claims)
    for spans in others:
        parts = [piece for part in parts for piece in _within(part, spans)]
    held = claims[0].triple.claims
    for claim in claims:
        held.remove(claim)
    held.extend(parts)


def _within(claim: Claim, spans: Sequence[_Span]) -> Iterable[Claim]:
    for span in spans:
        start, opening = max((claim.start, claim.opening), span[:2], key=lambda bound: bound[0])
        end, closing = min((claim.end, claim.closing), span[2:], key=lambda bound: bound[0])
        if start < end:
            yield claim.part(start, opening if start > claim.start else claim.opening, end, closing)
