"""What a source would make of the first records of its archive, without a warehouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regesta.extract.mapping import RecordMapper
from regesta.extract.rows import Episode, Mention, Statement
from regesta.ontology import Ontology
from regesta.sources.declaration import Source
from regesta.sources.records import EpisodeFields
from regesta.sources.sampling import SampledRow, sample


@dataclass(frozen=True)
class EpisodePreview:
    """The fields of an episode; times are microseconds since 1970 in UTC."""

    group: str | None
    source_id: str | None
    version: str | None
    reference_time: int | None
    known_at: int
    removed: str | None
    thread: str | None
    position: int | None
    author: str | None
    content: str | None


@dataclass(frozen=True)
class EntityPreview:
    """An entity that a record names."""

    label: str
    name: str
    identifiers: Sequence[str]
    attributes: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class StatementPreview:
    """A statement that a record makes; subject and object are names, times microseconds.

    `valid_at` is None where the source gives none.
    """

    polarity: str
    subject: str
    relation: str
    object: str | None
    value: str | None
    text: str
    valid_at: int | None
    invalid_at: int | None


@dataclass(frozen=True)
class RowPreview:
    """What becomes of one record; `reason` tells why it is rejected."""

    path: str
    row: int
    reason: str | None
    raw: str
    episode: EpisodePreview | None = None
    entities: Sequence[EntityPreview] = ()
    statements: Sequence[StatementPreview] = ()


def preview(
    source: Source, ontology: Ontology, *, rows: int, run_known_at: int
) -> list[RowPreview]:
    """Return what becomes of the first `rows` records of a source.

    Raises InputError where the archive can't be read (`sampling.sample`).
    """
    mapper = RecordMapper(source, ontology, salt="")
    return [
        _previewed(row, source, mapper, run_known_at)
        for row in sample(source, rows=rows, run_known_at=run_known_at)
    ]


def _previewed(
    row: SampledRow, source: Source, mapper: RecordMapper, run_known_at: int
) -> RowPreview:
    fields = row.fields
    if fields is None:
        return RowPreview(row.path, row.number, row.reason, row.raw)
    known_at = run_known_at if fields.known_at is None else fields.known_at
    episode = _episode(fields, known_at)
    if source.kind != "json" or fields.removed is not None:
        return RowPreview(row.path, row.number, None, row.raw, episode)
    try:
        mentions, statements = mapper.extract(_read_by_mapping(fields, source, known_at))
    except ValueError as error:
        return RowPreview(row.path, row.number, str(error), row.raw, episode)
    names = {mention.profile_id: mention.name for mention in mentions}
    return RowPreview(
        *(row.path, row.number, None, row.raw, episode),
        entities=[_entity(mention) for mention in mentions],
        statements=[_statement(statement, names) for statement in statements],
    )


def _episode(fields: EpisodeFields, known_at: int) -> EpisodePreview:
    return EpisodePreview(
        group=fields.group_id,
        source_id=fields.source_id,
        version=fields.version,
        reference_time=fields.reference_time,
        known_at=known_at,
        removed=fields.removed,
        thread=fields.thread_id,
        position=fields.position,
        author=fields.author,
        content=fields.content,
    )


def _read_by_mapping(fields: EpisodeFields, source: Source, known_at: int) -> Episode:
    return Episode(
        episode_id="",
        group_id=fields.group_id or "",
        series_id=fields.source_id or "",
        source=source.source,
        thread_id=fields.thread_id,
        position=fields.position,
        content=fields.content or "",
        authority=source.authority,
        reference_time=known_at if fields.reference_time is None else fields.reference_time,
        known_at=known_at,
    )


def _entity(mention: Mention) -> EntityPreview:
    return EntityPreview(mention.label, mention.name, mention.identifiers, mention.attributes)


def _statement(statement: Statement, names: dict[str, str]) -> StatementPreview:
    return StatementPreview(
        polarity=statement.polarity,
        subject=names[statement.subject],
        relation=statement.relation,
        object=None if statement.object is None else names[statement.object],
        value=statement.value,
        text=statement.text,
        valid_at=statement.valid_at,
        invalid_at=statement.invalid_at,
    )
