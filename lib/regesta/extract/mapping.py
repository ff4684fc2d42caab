"""The declared mapping of records: pure functions from one episode to mentions and statements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from regesta.extract.compiled import (
    CompiledEntity,
    CompiledStatement,
    Expression,
    Scope,
    compile_scopes,
)
from regesta.extract.rows import Episode, Mention, Statement
from regesta.extract.values import Record, literal
from regesta.ids import digester
from regesta.names import normalise_identifier, normalise_name
from regesta.ontology import LITERAL, Ontology
from regesta.sources.declaration import Source, TimeDeclaration
from regesta.sources.expressions import is_true
from regesta.sources.records import canonical_json, known_value
from regesta.sources.times import Instant, last_instant, parse_time

POSITIONS_PER_RECORD = 4096
DAY_OR_COARSER = frozenset({"year", "month", "day"})


class Times(NamedTuple):
    """The times that a statement gives, in microseconds, with their precision."""

    valid_at: int | None
    valid_precision: str | None
    invalid_at: int | None
    invalid_precision: str | None


_NO_TIME = (None, None)


class _Seen(NamedTuple):
    """A record, perhaps seen through one element of a list: its number and its text."""

    record: Record
    number: int
    within: str | None


class _Target(NamedTuple):
    """What a statement is about besides its subject: an entity, a literal, or nothing named."""

    polarity: str
    item: str | None = None
    value: str | None = None
    label: str | None = None
    words: str = ""


class _Triple(NamedTuple):
    """Subject, relation and object as the ontology has them; does that break its signature?"""

    subject: str
    relation: str
    object: str | None
    breaks_signature: bool


class RecordMapper:
    """Applies the mapping of one source; `extract` is a pure function of the episode."""

    def __init__(self, source: Source, ontology: Ontology, salt: str) -> None:
        self._source = source
        self._ontology = ontology
        self._mention_id = digester(salt, "mention")
        self._statement_id = digester(salt, "statement")
        self._profile_digest = digester(salt, "profile")
        self._known = known_value(source)
        self._scopes = compile_scopes(source, ontology)
        self._profile = lru_cache(maxsize=50_000)(self._profile_id)
        self._normal_name = lru_cache(maxsize=50_000)(normalise_name)

    def extract(self, episode: Episode) -> tuple[list[Mention], list[Statement]]:
        """Return the mentions and statements of one episode.

        Raises:
            ValueError: an expression meets a value of the wrong type, or a time is impossible; the
                message names the expression or the text.
        """
        if self._source.kind != "json":
            return [], []  # fields say nothing of it; what its words say, another extractor finds
        record = json.loads(episode.content)
        mentions: list[Mention] = []
        statements: list[Statement] = []
        shared: dict[str, Mention] = {}
        for scope in self._scopes:
            for seen in _seen_through(scope, record):
                named = dict(shared)
                for entity in scope.entities:
                    mention = self._mention(episode, entity, seen)
                    if mention is not None:
                        named[entity.key] = mention
                        mentions.append(mention)
                if scope.element is None:
                    shared = named
                for statement in scope.statements:
                    statements.extend(self._made(episode, statement, seen, named))
        return mentions, statements

    def _known_text(self, value: Any) -> str | None:
        return literal(self._known(value))

    def _mention(self, episode: Episode, entity: CompiledEntity, seen: _Seen) -> Mention | None:
        record = seen.record
        if entity.when is not None and not is_true(entity.when(record)):
            return None
        value = entity.name(record)
        name = self._known_text(value)
        if name is None:
            return None
        identifiers = self._identifiers(entity, record)
        context = self._context(episode, entity, record)
        start, end = entity.quote(episode.content, value, seen.within)
        normalised = self._normal_name(name)
        return Mention(
            mention_id=self._mention_id(episode.episode_id, entity.key, seen.number),
            episode_id=episode.episode_id,
            group_id=episode.group_id,
            profile_id=self._profile(
                episode.group_id, entity.label, normalised, tuple(identifiers), tuple(context)
            ),
            name=name,
            normalised_name=normalised,
            label=entity.label,
            identifiers=identifiers,
            context=context,
            attributes=self._attributes(entity, record),
            authority=episode.authority,
            reference_time=episode.reference_time,
            quote_start=start,
            quote_end=end,
            known_at=episode.known_at,
        )

    def _identifiers(self, entity: CompiledEntity, record: Record) -> list[str]:
        found = set()
        for kind, expression in entity.identifiers:
            for value in _each(expression(record)):
                if (text := self._known_text(value)) and (
                    identifier := normalise_identifier(kind, text)
                ):
                    found.add(identifier)
        return sorted(found)

    def _attributes(self, entity: CompiledEntity, record: Record) -> list[tuple[str, str]]:
        return [
            (name, text)
            for name, expression in entity.attributes
            if (text := self._known_text(expression(record))) is not None
        ]

    def _context(self, episode: Episode, entity: CompiledEntity, record: Record) -> list[str]:
        if not self._ontology.is_personal(entity.label):
            return []
        if entity.context is not None:
            texts = [self._known_text(value) for value in _each(entity.context(record))]
            return sorted({f"context:{normalise_name(text)}" for text in texts if text})
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

    def _made(
        self,
        episode: Episode,
        statement: CompiledStatement,
        seen: _Seen,
        named: Mapping[str, Mention],
    ) -> Iterator[Statement]:
        record = seen.record
        subject = named.get(statement.declared.subject)
        if subject is None or (statement.when is not None and not statement.when(record)):
            return
        stated = statement.relation(record)
        if stated is None:
            return
        times = self._times(episode, statement, record)
        valid_at = times.valid_at
        if statement.declared.backfilled and (
            valid_at is None or valid_at > episode.reference_time
        ):
            return
        targets = self._targets(statement, record, named)
        if not targets:
            return
        start, end = statement.quote(
            episode.content, self._raw(statement, record, named), seen.within
        )
        said_at = self._said_at(episode, times)
        for number, target in enumerate(targets):
            triple = self._triple(stated.relation, subject, target)
            yield Statement(
                statement_id=self._statement_id(
                    episode.episode_id, statement.ordinal, seen.number, number
                ),
                episode_id=episode.episode_id,
                group_id=episode.group_id,
                subject=triple.subject,
                relation=triple.relation,
                object=triple.object,
                value=target.value,
                text=f"{subject.name} {stated.phrase} {target.words}".rstrip(),
                polarity=target.polarity,
                retracts=statement.declared.retracts if target.polarity == "retracts" else None,
                position=(episode.position or 0) * POSITIONS_PER_RECORD
                + min(seen.number, POSITIONS_PER_RECORD - 1),
                reference_time=said_at,
                valid_at=times.valid_at,
                invalid_at=times.invalid_at,
                valid_precision=times.valid_precision,
                invalid_precision=times.invalid_precision,
                temporary=bool(statement.temporary is not None and statement.temporary(record)),
                authority=episode.authority,
                quote_start=start,
                quote_end=end,
                breaks_signature=triple.breaks_signature,
                known_at=episode.known_at,
            )

    def _triple(self, name: str, subject: Mention, target: _Target) -> _Triple:
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

    def _raw(
        self, statement: CompiledStatement, record: Record, named: Mapping[str, Mention]
    ) -> Any:
        if statement.value is not None:
            return statement.value(record)
        target = named.get(statement.declared.object or "")
        return None if target is None else target.name

    def _targets(
        self, statement: CompiledStatement, record: Record, named: Mapping[str, Mention]
    ) -> list[_Target]:
        """Return each object or value stated."""
        declared = statement.declared
        raw: Any
        if declared.object is None and statement.value is None:
            return [_Target("ends")]  # for whatever the relation holds
        if declared.object is not None:
            target = named.get(declared.object)
            if target is not None:
                item, label, words = target.profile_id, target.label, target.name
                return [_Target(declared.polarity, item=item, label=label, words=words)]
            raw = statement.value_at_path(record)
        else:
            raw = statement.value(record) if statement.value else None
            texts = [text for value in _each(raw) if (text := self._known_text(value)) is not None]
            if texts:
                return [
                    _Target(declared.polarity, value=text, label=LITERAL, words=text)
                    for text in texts
                ]
        if declared.empty == "ended" and statement.given(record) and _is_empty(raw):
            return [_Target("ends")]
        # A snapshot lists all that holds: what it does not know must be told from what has gone.
        is_unknown = statement.tells_unknown and raw != []
        return [_Target("unknown")] if is_unknown else []

    def _times(self, episode: Episode, statement: CompiledStatement, record: Record) -> Times:
        declared = statement.declared
        start: tuple[int, str | None] | None = self._time(
            declared.valid_at, statement.valid_at, record
        )
        end = self._time(declared.invalid_at, statement.invalid_at, record)
        if statement.starts_when_said:
            start = (episode.reference_time, None)
        if end is not None and statement.end_is_inclusive and end[1] in DAY_OR_COARSER:
            end = (last_instant(*end), end[1])
        return Times(*(start or _NO_TIME), *(end or _NO_TIME))

    def _time(
        self, declared: TimeDeclaration | None, expression: Expression | None, record: Record
    ) -> Instant | None:
        if declared is None or expression is None:
            return None
        value = expression(record)
        if self._known_text(value) is None:
            return None
        return parse_time(value, declared)

    def _said_at(self, episode: Episode, times: Times) -> int:
        """An open interval counts as said at its start: touching a record is no testimony."""
        start = times.valid_at
        if self._source.mode == "interval" and times.invalid_at is None and start is not None:
            return min(start, episode.reference_time)
        return episode.reference_time


def _seen_through(scope: Scope, record: Record) -> Iterator[_Seen]:
    if scope.element is None or scope.items is None:
        yield _Seen(record, 0, None)
        return
    for index, element in enumerate(_each(scope.items(record))):
        yield _Seen({**record, scope.element: element}, index, canonical_json(element))


def _each(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", []) or (isinstance(value, str) and not value.strip())
