"""The declared mapping of records: pure functions from one episode to mentions and statements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from regesta.extract.compiled import (
    CompiledEntity,
    CompiledStatement,
    Expression,
    Scope,
    compile_scopes,
)
from regesta.extract.identity import MentionMaker, StatementMaker, Target, Times
from regesta.extract.rows import Episode, Mention, Statement
from regesta.extract.values import Record, literal
from regesta.names import normalise_identifier, normalise_name
from regesta.ontology import LITERAL, Ontology
from regesta.sources.declaration import Source, TimeDeclaration
from regesta.sources.expressions import is_true
from regesta.sources.records import canonical_json, known_value
from regesta.sources.times import DAY_OR_COARSER, Instant, last_instant, parse_time


class _Seen(NamedTuple):
    """A record, perhaps seen through one element of a list: its number and its text."""

    record: Record
    number: int
    within: str | None


class RecordMapper:
    """Applies the mapping of one source; `extract` is a pure function of the episode."""

    def __init__(self, source: Source, ontology: Ontology, salt: str) -> None:
        self._source = source
        self._ontology = ontology
        self._mentions = MentionMaker(ontology, salt)
        self._statements = StatementMaker(ontology, salt)
        self._known = known_value(source)
        self._scopes = compile_scopes(source, ontology)

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
        return self._mentions.made(
            episode,
            (entity.key, seen.number),
            name=name,
            label=entity.label,
            quote=entity.quote(episode.content, value, seen.within),
            identifiers=self._identifiers(entity, record),
            context=self._context(episode, entity, record),
            attributes=self._attributes(entity, record),
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
        if entity.context is None or not self._ontology.is_personal(entity.label):
            return self._mentions.context(episode, entity.label)
        texts = [self._known_text(value) for value in _each(entity.context(record))]
        return sorted({f"context:{normalise_name(text)}" for text in texts if text})

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
        quote = statement.quote(episode.content, self._raw(statement, record, named), seen.within)
        said_at = self._said_at(episode, times)
        fact = (statement.ordinal, seen.number)
        is_one = bool(statement.declared.objects) and len(targets) > 1
        for number, target in enumerate(targets):
            yield self._statements.made(
                episode,
                (statement.ordinal, seen.number, number),
                subject=subject,
                relation=stated.relation,
                target=target,
                text=f"{subject.name} {stated.phrase} {target.words}".rstrip(),
                number=seen.number,
                times=times,
                said_at=said_at,
                quote=quote,
                temporary=bool(statement.temporary is not None and statement.temporary(record)),
                retracts=statement.declared.retracts,
                fact=fact if is_one and target.polarity == "asserts" else None,
            )

    def _raw(
        self, statement: CompiledStatement, record: Record, named: Mapping[str, Mention]
    ) -> Any:
        if statement.value is not None:
            return statement.value(record)
        declared = statement.declared
        names = (declared.object or "", *declared.objects)
        return next((named[name].name for name in names if name in named), None)

    def _targets(
        self, statement: CompiledStatement, record: Record, named: Mapping[str, Mention]
    ) -> list[Target]:
        """Return each object or value stated."""
        declared = statement.declared
        raw: Any
        if declared.objects:
            found = [named[name] for name in declared.objects if name in named]
            return [_at(mention, declared.polarity) for mention in found]
        if declared.object is None and statement.value is None:
            return [Target("ends")]  # for whatever the relation holds
        if declared.object is not None:
            target = named.get(declared.object)
            if target is not None:
                return [_at(target, declared.polarity)]
            raw = statement.value_at_path(record)
        else:
            raw = statement.value(record) if statement.value else None
            texts = [text for value in _each(raw) if (text := self._known_text(value)) is not None]
            if texts:
                return [
                    Target(declared.polarity, value=text, label=LITERAL, words=text)
                    for text in texts
                ]
        if declared.empty == "ended" and statement.given(record) and _is_empty(raw):
            return [Target("ends")]
        # A snapshot lists all that holds: what it does not know must be told from what has gone.
        is_unknown = statement.tells_unknown and raw != []
        return [Target("unknown")] if is_unknown else []

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
        return Times.of(start, end)

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


def _at(mention: Mention, polarity: str) -> Target:
    return Target(polarity, item=mention.profile_id, label=mention.label, words=mention.name)


def _each(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", []) or (isinstance(value, str) and not value.strip())
