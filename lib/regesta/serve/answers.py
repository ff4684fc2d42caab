"""What agents are told: answers of `query` as JSON objects with their dates and citations.

Dates are UTC texts; a key whose value is not known is left out. The types become the tools'
schemas, for which pydantic asks for the TypedDict of typing_extensions before Python 3.12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Any, Final, NotRequired, cast

from typing_extensions import TypedDict

from regesta.query import (
    Community,
    Entity,
    Episode,
    Evidence,
    Explanation,
    Fact,
    Hit,
    show,
)

LONGEST_TEXT: Final = 2000
"""Characters of a quote or of an episode's words; what is cut off is marked by "..."."""


class AsOf(TypedDict):
    """The two times that an answer is for: of the world, and of what was known about it."""

    valid: str
    known: str


class Citation(TypedDict):
    """Where something is said: a source's item, its author, its date, the words."""

    episode_id: str
    source: str
    source_id: str
    author: NotRequired[str]
    date: str
    quote: NotRequired[str]


class FactTold(TypedDict):
    """One period of a fact: when it held, since when it is believed, and what it rests on."""

    fact_id: str
    text: str
    subject: str
    subject_id: str
    relation: str
    object: str
    object_id: NotRequired[str]
    kind: str
    dates: str
    believed: str
    disputed: NotRequired[bool]
    why_ended: NotRequired[str]
    why_no_longer_believed: NotRequired[str]
    citations: list[Citation]
    more_citations: NotRequired[int]


class EntityTold(TypedDict):
    """An entity under its names; `believed` says since when it is known so."""

    entity_id: str
    name: str
    aliases: list[str]
    label: NotRequired[str]
    identifiers: list[str]
    summary: NotRequired[str]
    attributes: dict[str, str]
    believed: str


class CommunityTold(TypedDict):
    """A group of entities that belong together."""

    community_id: str
    name: str
    level: int
    summary: NotRequired[str]
    key_terms: list[str]
    size: int
    believed: str


class EpisodeTold(TypedDict):
    """A message or a text, in its own words."""

    episode_id: str
    source: str
    source_id: str
    author: NotRequired[str]
    date: str
    text: str


class HitTold(TypedDict):
    """One hit: its graph, its score, and what was found."""

    group: str
    score: float
    fact: NotRequired[FactTold]
    entity: NotRequired[EntityTold]
    community: NotRequired[CommunityTold]
    episode: NotRequired[EpisodeTold]


class Found(TypedDict):
    """The answer of a search, best hits first; `note` says what hindered it."""

    as_of: AsOf
    hits: list[HitTold]
    note: NotRequired[str]


class Facts(TypedDict):
    """Facts of one graph; `left_out` says how many more there are."""

    group: str
    as_of: AsOf
    facts: list[FactTold]
    left_out: int


class Named(TypedDict):
    """An entity of one graph."""

    group: str
    as_of: AsOf
    entity: EntityTold


def as_of(valid: int, known: int) -> AsOf:
    """Return the two times of an answer, given in microseconds."""
    return {"valid": show(valid), "known": show(known)}


def hit(found: Hit) -> HitTold:
    """Return a hit of a search."""
    told: dict[str, Any] = {"group": found.group, "score": found.score}
    if found.fact:
        told["fact"] = fact(found.fact, found.citations)
    elif found.community:
        told["community"] = community(found.community)
    elif found.episode:
        told["episode"] = episode(found.episode)
    elif found.entity:
        told["entity"] = entity(found.entity)
    return cast("HitTold", told)


def explained(found: Explanation, *, most: int) -> FactTold:
    """Return a period with why it ended, why it is believed no more, and its first citations."""
    told = fact(found.fact, found.evidence[:most])
    if found.ended:
        told["why_ended"] = found.ended.words
    if found.expired:
        told["why_no_longer_believed"] = found.expired.words
    if len(found.evidence) > most:
        told["more_citations"] = len(found.evidence) - most
    return told


def fact(found: Fact, cited: Sequence[Evidence]) -> FactTold:
    """Return a period of a fact with citations."""
    told = {
        "fact_id": found.fact_id,
        "text": found.text,
        "subject": found.subject,
        "subject_id": found.subject_id,
        "relation": found.relation,
        "object": found.object or found.value,
        "object_id": found.object_id,
        "kind": found.kind,
        "dates": found.dates,
        "believed": believed(found.created_at, found.expired_at),
        "disputed": found.disputed or None,
        "citations": citations(cited),
    }
    return cast("FactTold", _known(told))


def citations(cited: Iterable[Evidence]) -> list[Citation]:
    """Return citations with the words cited."""
    return [
        cast("Citation", _known({**_source(each), "quote": _text(each.quote)})) for each in cited
    ]


def entity(found: Entity) -> EntityTold:
    """Return an entity."""
    told = {
        "entity_id": found.entity_id,
        "name": found.name,
        "aliases": [*found.aliases],
        "label": found.label,
        "identifiers": [*found.identifiers],
        "summary": found.summary,
        "attributes": dict(found.attributes),
        "believed": believed(found.created_at, found.expired_at),
    }
    return cast("EntityTold", _known(told))


def community(found: Community) -> CommunityTold:
    """Return a community."""
    told = {
        "community_id": found.community_id,
        "name": found.name,
        "level": found.level,
        "summary": found.summary,
        "key_terms": [*found.key_terms],
        "size": found.size,
        "believed": believed(found.created_at, None),
    }
    return cast("CommunityTold", _known(told))


def episode(found: Episode) -> EpisodeTold:
    """Return a message or a text."""
    return cast("EpisodeTold", _known({**_source(found), "text": _text(found.own_words)}))


def believed(created_at: int, expired_at: int | None) -> str:
    """Return the known times between which something was believed."""
    if expired_at is None:
        return f"since {show(created_at)}"
    return f"{show(created_at)} to {show(expired_at)}"


def _source(found: Evidence | Episode) -> dict[str, Any]:
    return {
        "episode_id": found.episode_id,
        "source": found.source,
        "source_id": found.source_id,
        "author": found.author,
        "date": show(found.reference_time),
    }


def _text(words: str | None) -> str | None:
    return words and shorten(words, LONGEST_TEXT, placeholder=" ...")


def _known(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value is not None}
