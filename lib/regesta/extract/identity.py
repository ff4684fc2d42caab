"""What every extractor makes its rows with: ids, profiles, the ontology's relations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from regesta.extract.rows import Episode, Mention, Statement
from regesta.ids import digester
from regesta.names import normalise_name
from regesta.ontology import Ontology

POSITIONS_PER_RECORD: Final = 4096
"""Places for what one episode states; further ones share the last."""
_NO_TIME: Final = (None, None)


class Target(NamedTuple):
    """What a statement is about besides its subject: an entity, a literal, or nothing named."""

    polarity: str
    item: str | None = None
    value: str | None = None
    label: str | None = None
    words: str = ""


class Times(NamedTuple):
    """The times that a statement gives, in microseconds, with their precision."""

    valid_at: int | None = None
    valid_precision: str | None = None
    invalid_at: int | None = None
    invalid_precision: str | None = None

    @classmethod
    def of(cls, start: tuple[int, str | None] | None, end: tuple[int, str | None] | None) -> Times:
        """Return the times of a start and an end, each with its precision, or None."""
        return cls(*(start or _NO_TIME), *(end or _NO_TIME))


class _Triple(NamedTuple):
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
        self._compared = lru_cache(maxsize=1000)(ontology.compared_attributes)
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
        compared = self._compared(label)
        matched = tuple(pair for pair in attributes if pair[0] in compared) if compared else ()
        return Mention(
            mention_id=self._mention_id(episode.episode_id, *key),
            episode_id=episode.episode_id,
            group_id=episode.group_id,
            profile_id=self._profile(
                (episode.group_id, label, normalised), tuple(identifiers), tuple(context), matched
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
        named: tuple[str, str, str],
        identifiers: tuple[str, ...],
        context: tuple[str, ...],
        matched: tuple[tuple[str, str], ...],
    ) -> str:
        # `named` are group, label and name; `matched` the attributes by which it is compared.
        joins = any(
            self._ontology.identifier(identifier.split(":", 1)[0]).joins
            for identifier in identifiers
        )
        decisive = () if joins else context
        told = [text for attribute in sorted(matched) for text in ("", *attribute)]
        return self._profile_digest(*named, *identifiers, "", *decisive, *told)


class StatementMaker:
    """Makes statements: an extractor tells what is said, the ontology how it is written down."""

    def __init__(self, ontology: Ontology, salt: str) -> None:
        self._ontology = ontology
        self._statement_id = digester(salt, "statement")
        self._hyperedge_id = digester(salt, "hyperedge")

    def made(
        self,
        episode: Episode,
        key: Sequence[str | int],
        *,
        subject: Mention,
        relation: str,
        target: Target,
        text: str,
        number: int,
        times: Times,
        said_at: int,
        quote: tuple[int, int],
        temporary: bool,
        retracts: str | None,
        fact: Sequence[str | int] | None = None,
    ) -> Statement:
        """Return a statement; `key` tells it from the others of its episode.

        `number` is its place among what the episode states, `said_at` in microseconds, `quote` in
        characters of the content; `retracts` counts for a target that is retracted. `fact` is equal
        for the statements of an episode that are one fact over more than two entities.
        """
        told = self._triple(relation, subject, target)
        return Statement(
            statement_id=self._statement_id(episode.episode_id, *key),
            episode_id=episode.episode_id,
            group_id=episode.group_id,
            subject=told.subject,
            relation=told.relation,
            object=told.object,
            value=target.value,
            text=text,
            polarity=target.polarity,
            retracts=retracts if target.polarity == "retracts" else None,
            position=(episode.position or 0) * POSITIONS_PER_RECORD
            + min(number, POSITIONS_PER_RECORD - 1),
            reference_time=said_at,
            valid_at=times.valid_at,
            invalid_at=times.invalid_at,
            valid_precision=times.valid_precision,
            invalid_precision=times.invalid_precision,
            temporary=temporary,
            authority=episode.authority,
            quote_start=quote[0],
            quote_end=quote[1],
            hyperedge_id=None if fact is None else self._hyperedge_id(episode.episode_id, *fact),
            breaks_signature=told.breaks_signature,
            known_at=episode.known_at,
        )

    def _triple(self, name: str, subject: Mention, target: Target) -> _Triple:
        """Return the triple that a name tells; from the object's side only where there is one."""
        told = self._ontology.told_by(name)
        ends = (subject.profile_id, subject.label), (target.item, target.label)
        if told.reversed:
            if target.item is None:
                return _Triple(subject.profile_id, name, None, breaks_signature=False)
            ends = (target.item, target.label or ""), ends[0]
        (first, label), (second, other) = ends
        breaks = other is not None and self._ontology.breaks_signature(told.relation, label, other)
        return _Triple(first, told.relation, second, breaks_signature=breaks)
