"""What a source file says: where an archive lies, how its rows become episodes, what they state.

Expressions are JMESPath texts, checked when the declaration is read;
`expressions.compile_expression` turns one into a function of the record. Models hold what was
written; they evaluate nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    model_validator,
)

from regesta.model import Mode, Polarity, RemovalMeaning
from regesta.sources.checks import (
    AS_MAPPING,
    AS_TEXT,
    DOCUMENT_FORMATS,
    as_detail,
    combination_mistakes,
)
from regesta.sources.expressions import compile_expression


def _check_expression(text: str) -> str:
    compile_expression(text)
    return text


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(
            f"expected UTC or an IANA zone like Europe/Berlin, not {name!r}"
        ) from error
    return name


def _check_format(text: str) -> str:
    sample = datetime(2001, 11, 22, 13, 44, 55)
    try:
        datetime.strptime(sample.strftime(text), text)
    except ValueError as error:
        raise ValueError(f"expected strptime codes like %d-%m-%Y: {error}") from error
    return text


def _check_encoding(name: str) -> str:
    try:
        extends_ascii = "a\n".encode(name) == b"a\n"
    except LookupError as error:
        raise ValueError("expected an encoding like utf-8 or cp1252") from error
    if not extends_ascii:
        raise ValueError("expected an encoding that extends ASCII, like utf-8 or cp1252")
    return name


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Expression = Annotated[str, AfterValidator(_check_expression)]
Zone = Annotated[str, AfterValidator(_check_zone)]
Formats = Annotated[
    tuple[Annotated[str, AfterValidator(_check_format)], ...], BeforeValidator(_as_list)
]
Kind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
RelationName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")]
RelationPrefix = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_$")]
Share = Annotated[float, Field(ge=0, le=1)]


AUTHORITY_OF_WORDS: Final = 5
"""What messages and texts say weighs less than what records say (10), unless declared."""
WHOLE_FORMATS: Final = ("csv", "json", "mbox", *DOCUMENT_FORMATS)
"""Files of these formats are read by one task each."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _WithPath(_Model):
    """A mapping whose only necessary key is `path`; a plain text stands for it."""

    path: Expression

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value


class TimeDeclaration(_WithPath):
    """Where a time stands and how it is written: ISO 8601 or epoch numbers without a `format`.

    `format`: strptime codes, tried in order. `zone`: of times that name none. `inclusive`, only for
    `invalid_at`: a last day, month or year still belongs to the span ("until 2021" holds to the end
    of 2021); false where the source gives the first one after it.
    """

    format: Formats = ()
    zone: Zone = "UTC"
    inclusive: bool = True


class VersionDeclaration(_WithPath):
    """The column that orders the versions of one item."""

    type: Literal["integer", "time", "text"] = "integer"
    format: Formats = ()
    zone: Zone = "UTC"


class RemovalDeclaration(_Model):
    """The marker of a removed record (`path` equals one of `values`) and what it means."""

    path: Expression
    values: tuple[Any, ...] = (True,)
    means: RemovalMeaning


class EntityMapping(_Model):
    """An entity named by a record; without a name, or where `when` is not true, there is none.

    `identifiers` and `attributes` map kinds and names to expressions; `context` is an expression
    for what a bare personal name must share to join another (one value or a list).
    """

    label: Annotated[str, Field(min_length=1)]
    name: Expression
    identifiers: dict[Kind, Expression] = {}
    attributes: dict[str, Expression] = {}
    context: Expression | None = None
    when: Expression | None = None


class ComputedRelation(_Model):
    """A relation that the record names: the field in a row of a change log.

    What `path` gives is looked up in `names`; any other text becomes `prefix` and the text in
    capitals, its words joined by underscores (StageName: HAS_FIELD_STAGE_NAME). Without a prefix
    other texts make no statement.
    """

    path: Expression
    names: dict[str, RelationName] = {}
    prefix: RelationPrefix | None = None


def _form_of_relation(value: Any) -> str:
    return AS_MAPPING if isinstance(value, Mapping | ComputedRelation) else AS_TEXT


class StatementMapping(_Model):
    """A statement made by a record between two of its entities, or an entity and a literal.

    `subject` and `object` are names of declared entities, `value` an expression. `objects`, two or
    more such names, makes one fact over all of them: as many statements, whose facts live and end
    together. `when` (optional)
    must be true for the statement to be made. `empty` tells what an absent object or value means.
    `backfilled`: made only where the reference time is not before valid_at, for fields that a
    source fills back into earlier rows.
    """

    subject: str
    relation: Annotated[
        Annotated[RelationName, Tag(AS_TEXT)] | Annotated[ComputedRelation, Tag(AS_MAPPING)],
        Discriminator(_form_of_relation),
    ]
    object: str | None = None
    objects: tuple[str, ...] = ()
    value: Expression | None = None
    empty: Literal["unknown", "ended"] = "unknown"
    when: Expression | None = None
    valid_at: TimeDeclaration | None = None
    invalid_at: TimeDeclaration | None = None
    polarity: Polarity = "asserts"
    retracts: Literal["asserts", "ends"] = "asserts"
    temporary: Expression | None = None
    backfilled: bool = False


class ForEach(_Model):
    """Entities and statements for each element of a list in the record.

    `element` (YAML `as`) is the name under which the element is seen beside the record's fields,
    `items` (YAML `in`) the expression of the list.
    """

    element: Annotated[Name, Field(alias="as")]
    items: Annotated[Expression, Field(alias="in")]
    entities: dict[Name, EntityMapping] = {}
    statements: tuple[StatementMapping, ...] = ()


class Source(_Model):
    """A declared archive. Attribute names are the YAML keys; see the models for nested ones.

    `file` is the name under which expressions see the file of a record (`files.place_in_archive`)
    beside the record's own fields. It is no change of a record that another file holds it: what
    counts belongs into `source_id`, `group` or `content`.

    `extractor`: what finds entities and facts in messages and texts; without one they are searched
    by their words only.
    """

    source: Name
    path: Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)]
    format: Literal["jsonl", "json", "csv", "parquet", "mbox", "text", "markdown", "html"]
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    encoding: Annotated[str, AfterValidator(_check_encoding)] = "utf-8"
    records: Expression | None = None
    file: Name | None = None
    mode: Mode
    complete: bool = False
    largest_drop: Share | None = None
    authority: int = 10
    max_rejected_share: Share = 0.01
    unknown_values: tuple[Any, ...] = ()
    group: Expression
    source_id: Expression
    version: VersionDeclaration | None = None
    thread: Expression | None = None
    author: Expression | None = None
    content: Expression | None = None
    kind: Literal["message", "text", "json"] = "json"
    extractor: Literal["local"] | None = None
    reference_time: TimeDeclaration | None = None
    known_at: TimeDeclaration | None = None
    removed: RemovalDeclaration | None = None
    position: Expression | None = None
    entities: dict[Name, EntityMapping] = {}
    statements: tuple[StatementMapping, ...] = ()
    for_each: tuple[ForEach, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _words_stand_below_records(cls, data: Any) -> Any:
        is_words = isinstance(data, Mapping) and data.get("kind") in ("message", "text")
        return {"authority": AUTHORITY_OF_WORDS, **data} if is_words else data

    @model_validator(mode="wrap")
    @classmethod
    def _list_every_mistake(cls, data: Any, handler: ModelWrapValidatorHandler[Source]) -> Source:
        """Report mistakes of single keys and of their combination together."""
        details = combination_mistakes(data) if isinstance(data, Mapping) else []
        try:
            source = handler(data)
        except ValidationError as error:
            details = [*map(as_detail, error.errors()), *details]
        if details:
            raise ValidationError.from_exception_data("Source", details)
        return source
