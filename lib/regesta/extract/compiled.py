"""The mapping of a source, compiled once: every expression a function of the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regesta.extract.relations import RelationOf, relation_of
from regesta.extract.values import Record, quoter
from regesta.ontology import Ontology
from regesta.sources.declaration import EntityMapping, ForEach, Source, StatementMapping
from regesta.sources.expressions import compile_expression, is_given, is_true

Expression = Callable[[Record], Any]
Quoter = Callable[[str, Any, str | None], tuple[int, int]]


@dataclass(frozen=True)
class CompiledEntity:
    """An entity mapping whose expressions are functions of the record."""

    key: str
    label: str
    name: Expression
    quote: Quoter
    identifiers: Sequence[tuple[str, Expression]]
    attributes: Sequence[tuple[str, Expression]]
    context: Expression | None
    when: Expression | None


@dataclass(frozen=True)
class CompiledStatement:
    """A statement mapping whose expressions are functions of the record.

    `ordinal` is its place in the declaration; `value_at_path` gives the value or the object's name,
    `given` whether the record has that field at all, `relation` the relation and its phrase.
    """

    ordinal: int
    declared: StatementMapping
    value: Expression | None
    value_at_path: Expression
    quote: Quoter
    given: Callable[[Record], bool]
    when: Expression | None
    valid_at: Expression | None
    invalid_at: Expression | None
    temporary: Expression | None
    starts_when_said: bool
    end_is_inclusive: bool
    tells_unknown: bool
    relation: RelationOf


@dataclass(frozen=True)
class Scope:
    """Mappings over the record (`items` is None) or over each element of one of its lists."""

    element: str | None
    items: Expression | None
    entities: Sequence[CompiledEntity]
    statements: Sequence[CompiledStatement]


def compile_scopes(source: Source, ontology: Ontology) -> list[Scope]:
    """Return the mappings of the record itself, then those of each of its lists."""
    parts: list[ForEach | Source] = [source, *source.for_each]
    scopes, ordinal = [], 0
    for part in parts:
        in_list = isinstance(part, ForEach)
        known = {**source.entities, **part.entities}
        statements = [
            _statement(number, declared, known, source, ontology, in_list=in_list)
            for number, declared in enumerate(part.statements, start=ordinal)
        ]
        ordinal += len(statements)
        scopes.append(
            Scope(
                element=part.element if isinstance(part, ForEach) else None,
                items=compile_expression(part.items) if isinstance(part, ForEach) else None,
                entities=[_entity(key, declared) for key, declared in part.entities.items()],
                statements=statements,
            )
        )
    return scopes


def _statement(
    ordinal: int,
    declared: StatementMapping,
    entities: Mapping[str, EntityMapping],
    source: Source,
    ontology: Ontology,
    *,
    in_list: bool,
) -> CompiledStatement:
    entity = entities[declared.object or next(iter(declared.objects), declared.subject)]
    path = declared.value or entity.name
    asserts = declared.polarity == "asserts"
    return CompiledStatement(
        ordinal=ordinal,
        declared=declared,
        value=_optional(declared.value),
        value_at_path=_only_when(
            compile_expression(path), _optional(None if declared.value else entity.when)
        ),
        quote=quoter(path),
        given=is_given(path),
        when=_optional(declared.when),
        valid_at=_optional(declared.valid_at.path if declared.valid_at else None),
        invalid_at=_optional(declared.invalid_at.path if declared.invalid_at else None),
        temporary=_optional(declared.temporary),
        starts_when_said=asserts and declared.valid_at is None and source.mode != "interval",
        end_is_inclusive=declared.invalid_at is not None and declared.invalid_at.inclusive,
        tells_unknown=asserts and source.mode == "snapshot" and not in_list,
        relation=relation_of(declared.relation, ontology),
    )


def _only_when(value: Expression, when: Expression | None) -> Expression:
    """An entity that a record doesn't name is as absent as one without a name."""
    if when is None:
        return value
    return lambda record: value(record) if is_true(when(record)) else None


def _entity(key: str, declared: EntityMapping) -> CompiledEntity:
    return CompiledEntity(
        key=key,
        label=declared.label,
        name=compile_expression(declared.name),
        quote=quoter(declared.name),
        identifiers=[(k, compile_expression(v)) for k, v in declared.identifiers.items()],
        attributes=[(k, compile_expression(v)) for k, v in sorted(declared.attributes.items())],
        context=_optional(declared.context),
        when=_optional(declared.when),
    )


def _optional(expression: str | None) -> Expression | None:
    return None if expression is None else compile_expression(expression)
