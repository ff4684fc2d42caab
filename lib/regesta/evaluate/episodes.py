"""The episodes that facts of a snapshot rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Final

from regesta.evaluate.published import Published
from regesta.query import Evidence, Fact, show

EPISODES: Final = 4
"""How many episodes an error is told with."""

Period = tuple[str, int | None, int]
"""A period of a fact: the fact's id, its start, and when it was first believed (microseconds)."""

_EXCERPT: Final = 320


@dataclass(frozen=True)
class Episode:
    """An episode that an error comes from: the words cited, and its content around them."""

    episode_id: str
    source: str
    source_id: str
    reference_time: str
    known_at: str
    quote: str
    excerpt: str


def cited(published: Published, group: str, periods: Iterable[Period]) -> tuple[Episode, ...]:
    """Return the first episodes that periods rest on, in turn one of each; without excerpts."""
    found: dict[str, Evidence] = {}
    for turn in zip_longest(*(_evidence(published, group, period) for period in periods)):
        for evidence in turn:
            if evidence is not None:
                found.setdefault(evidence.episode_id, evidence)
    return tuple(_episode(each) for each in islice(found.values(), EPISODES))


def start_of(fact: Fact) -> int | None:
    """Return when a fact began to hold, or was first seen."""
    return fact.seen_from if fact.valid_at is None else fact.valid_at


def excerpt(content: str, quote: str) -> str:
    """Return the content on one line; of a long one what surrounds the quote."""
    text, words = " ".join(content.split()), " ".join(quote.split())
    middle = max(text.find(words), 0) + min(len(words), _EXCERPT) // 2
    start = max(0, min(middle - _EXCERPT // 2, len(text) - _EXCERPT))
    ends = ("..." if start else "", "..." if start + _EXCERPT < len(text) else "")
    return f"{ends[0]}{text[start : start + _EXCERPT]}{ends[1]}"


def _evidence(published: Published, group: str, period: Period) -> tuple[Evidence, ...]:
    fact_id, start, created = period
    graph = published.snapshot.group(group).as_of(known=created)
    told = [each for each in graph.why(fact_id) if start_of(each.fact) == start]
    return tuple(evidence for each in told for evidence in each.evidence)


def _episode(evidence: Evidence) -> Episode:
    return Episode(
        episode_id=evidence.episode_id,
        source=evidence.source,
        source_id=evidence.source_id,
        reference_time=show(evidence.reference_time),
        known_at=show(evidence.known_at),
        quote=evidence.quote or "",
        excerpt="",
    )
