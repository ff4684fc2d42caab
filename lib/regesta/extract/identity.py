"""What every extractor makes mentions and triples with: ids, profiles, the ontology's relations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from regesta.extract.rows import Episode, Mention
from regesta.ids import digester
from regesta.names import normalise_name
from regesta.ontology import Ontology


class Target(NamedTuple):
    """What a statement is about besides its subject: an entity, a literal, or nothing named."""

    polarity: str
    item: str | None = None
    value: str | None = None
    label: str | None = None
    words: str = ""


class Triple(NamedTuple):
    """Subject, relation and object as the ontology has them; does that break its signature?"""

    subject: str
    relation: str
    object: str | None
    breaks_signature: bool


class MentionMaker:
    """Makes mentions: equal profiles are what identity is decided by."""

    def __init__(self, ontology: Ontology, salt: str) -> None:
        self._ontology = ontology
        self._mention_id = digester(salt, "mention")
        self._profile_digest = digester(salt, "profile")
        self._profile = lru_cache(maxsize=50_000)(self._profile_id)
        self._normal_name = lru_cache(maxsize=50_000)(normalise_name)

    def made(
        self,
        episode: Episode,
        key: Sequence[str | int],
        *,
        name: str,
        label: str,
        quote: tuple[int, int],
        identifiers: Sequence[str] = (),
        context: Sequence[str] = (),
        attributes: Sequence[tuple[str, str]] = (),
    ) -> Mention:
        """Return a mention; `key` tells it from the others of its episode.

        `identifiers` and `context` are sorted; `quote` is in characters of the content.
        """
        normalised = self._normal_name(name)
        return Mention(
            mention_id=self._mention_id(episode.episode_id, *key),
            episode_id=episode.episode_id,
            group_id=episode.group_id,
            profile_id=self._profile(
                episode.group_id, label, normalised, tuple(identifiers), tuple(context)
            ),
            name=name,
            normalised_name=normalised,
            label=label,
            identifiers=list(identifiers),
            context=list(context),
            attributes=list(attributes),
            authority=episode.authority,
            reference_time=episode.reference_time,
            quote_start=quote[0],
            quote_end=quote[1],
            known_at=episode.known_at,
        )

    def context(self, episode: Episode, label: str) -> list[str]:
        """Return what a bare personal name must share to join: its thread, else its record."""
        if not self._ontology.is_personal(label):
            return []
        if episode.thread_id is not None:
            return [f"thread:{episode.source}:{episode.thread_id}"]
        return [f"record:{episode.series_id}"]

    def _profile_id(
        self,
        group: str,
        label: str,
        name: str,
        identifiers: tuple[str, ...],
        context: tuple[str, ...],
    ) -> str:
        joins = any(
            self._ontology.identifier(identifier.split(":", 1)[0]).joins
            for identifier in identifiers
        )
        decisive = () if joins else context
        return self._profile_digest(group, label, name, *identifiers, "", *decisive)


def triple(ontology: Ontology, name: str, subject: Mention, target: Target) -> Triple:
    """Return the triple that a name tells; from the object's side only where there is one."""
    told = ontology.told_by(name)
    ends = (subject.profile_id, subject.label), (target.item, target.label)
    if told.reversed:
        if target.item is None:
            return Triple(subject.profile_id, name, None, breaks_signature=False)
        ends = (target.item, target.label or ""), ends[0]
    (first, label), (second, other) = ends
    breaks = other is not None and ontology.breaks_signature(told.relation, label, other)
    return Triple(first, told.relation, second, breaks_signature=breaks)
