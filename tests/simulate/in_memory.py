"""A first night in memory: Regesta's pure rules over an archive, without Spark.

Records are taken for themselves (a record's own identifier is the entity): what is compared is
versions, mappings, snapshot series and the timeline, not identity.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from comparing import joined

from regesta.config import load
from regesta.extract.mapping import RecordMapper
from regesta.extract.rows import Episode
from regesta.sources.declaration import Source
from regesta.sources.formats import file_rows, line_parser
from regesta.sources.records import EpisodeFields, episode_mapper
from regesta.sources.versions import (
    ARRIVAL,
    Delivery,
    Night,
    Verdict,
    Version,
    judge_item_series,
    judge_snapshot_series,
)
from regesta.timeline.history import OpenRows, history
from regesta.timeline.series import Snapshot, testimonies
from regesta.timeline.statement import Statement

RECORDS = ("account_no", "agent_no", "contact_no", "product_no", "ticket_no", "user_no")


class Told(NamedTuple):
    """A statement between record identifiers, and the group that it belongs to."""

    group: str
    statement: Statement


def rectangles(folder: Path, known_at: int) -> set[tuple]:
    """Believed rectangles: group, subject, relation, object or =value, valid, known (µs)."""
    configuration = load(folder / "conf")
    ontology = configuration.ontology
    told: list[Told] = []
    for source in configuration.sources:
        if source.statements:
            told += _told(source, RecordMapper(source, ontology, "salt"), known_at)
    by_key = defaultdict(list)
    for one in told:
        by_key[one.group, one.statement.subject, one.statement.relation].append(one.statement)
    found = set()
    for (group, *_), statements in by_key.items():
        found |= {(group, *row) for row in _believed(statements, ontology.for_timeline())}
    return found


def _believed(statements: list[Statement], ontology: Any) -> set[tuple]:
    spans = defaultdict(list)
    for row in history(statements, ontology, OpenRows()).opened_facts:
        assert not row.period.disputed
        place = (*row.period[:3], row.period.start, row.period.end)
        spans[place].append((row.created_at, row.expired_at))
    return {(*place, *span) for place, known in spans.items() for span in joined(known)}


def _told(source: Source, mapper: RecordMapper, known_at: int) -> list[Told]:
    series = defaultdict(list)
    for number, fields in enumerate(_fields(source, known_at)):
        series[fields.source_id].append((number, fields))
    moments: dict[int, int] = {}
    for rows in series.values():
        for _, one in rows:
            moments[one.reference_time] = max(moments.get(one.reference_time, 0), one.known_at)
    deliveries = [Delivery(time, known, True) for time, known in sorted(moments.items())]
    return [
        told
        for name, rows in series.items()
        for told in _series(source, mapper, name, rows, deliveries, known_at)
    ]


def _fields(source: Source, known_at: int) -> list[EpisodeFields]:
    to_fields = episode_mapper(source, run_known_at=known_at)
    files = sorted(file for file in Path(source.path[0]).rglob("*") if file.is_file())
    found = []
    for file in files:
        if source.format == "csv":
            rows = file_rows(file.read_bytes(), source, str(file))
            found += [to_fields(row.record) for row in rows]
        else:
            parse = line_parser(source.encoding)
            found += [to_fields(parse(line)) for line in file.read_bytes().splitlines()]
    return found


def _series(source, mapper, name, rows, deliveries, known_at) -> list[Told]:
    snapshot = source.mode == "snapshot"
    versions = [_version(snapshot, number, fields) for number, fields in rows]
    night = Night(known_at, None, _name, deliveries=deliveries if snapshot else ())
    verdicts = list((judge_snapshot_series if snapshot else judge_item_series)(versions, night))
    assert {one.kind for one in verdicts} <= {"heartbeat", "superseded", "gone"}
    if snapshot:
        return _snapshots(source, mapper, name, rows, verdicts)
    until = {one.version.arrival: one.at for one in verdicts if one.kind == "superseded"}
    told: list[Told] = []
    for number, fields in rows:
        end = until.get((0, number))
        if fields.removed is None and (end is None or end > fields.known_at):
            told += _statements(source, mapper, name, number, fields, end)
    return told


def _version(snapshot: bool, number: int, fields: EpisodeFields) -> Version:
    return Version(
        kind=ARRIVAL,
        item_id=str(fields.reference_time) if snapshot else "item",
        reference_time=fields.reference_time,
        place=fields.place,
        known_at=fields.known_at,
        own_known_at=fields.known_at,
        content_hash=fields.compared or fields.content,
        group_id=fields.group_id,
        removed=fields.removed,
        arrival=(0, number),
    )


def _name(version: Version) -> str:
    return f"{version.item_id}/{version.place}/{version.known_at}/{version.content_hash}"


def _snapshots(source, mapper, name, rows, verdicts: list[Verdict]) -> list[Told]:
    listed = []
    for number, fields in rows:
        stated = _statements(source, mapper, name, number, fields, None)
        said = [one.statement for one in stated if one.statement.polarity != "unknown"]
        unknown = [one.statement for one in stated if one.statement.polarity == "unknown"]
        listed.append(
            Snapshot(
                item=str(fields.reference_time),
                episode=str(number),
                reference_time=fields.reference_time,
                known_from=fields.known_at,
                known_until=None,
                listed={((s.subject, s.relation), (s.object, s.polarity)): s for s in said},
                unknown=frozenset((s.subject, s.relation) for s in unknown),
            )
        )
    for verdict in verdicts:
        if verdict.kind == "gone":
            gone = verdict.version
            time, known = gone.reference_time, gone.known_at
            listed.append(Snapshot(str(time), "gone", time, known, None, {}))
    group = rows[0][1].group_id
    return [Told(group, made) for one in testimonies(listed) if (made := _testified(one))]


def _testified(testimony: Any) -> Statement | None:
    statement, at = testimony.statement, testimony.snapshot.reference_time
    if testimony.ends and statement.polarity != "asserts":
        return None
    made = statement._replace(
        id=f"{statement.id}@{at}{testimony.ends}",
        reference_time=at,
        valid_at=at,
        known_from=testimony.known_from,
        known_until=testimony.known_until,
    )
    if testimony.ends:
        return made._replace(polarity="ends", valid_at=None, invalid_at=at)
    return made


def _statements(source, mapper, name, number, fields: EpisodeFields, end) -> list[Told]:
    episode = Episode(
        episode_id=f"{source.source}/{name}/{number}",
        group_id=fields.group_id,
        series_id=f"{source.source}/{name}",
        source=source.source,
        thread_id=fields.thread_id,
        position=fields.position,
        content=fields.content,
        authority=source.authority,
        reference_time=fields.reference_time,
        known_at=fields.known_at,
    )
    mentions, statements = mapper.extract(episode)
    bears = {one.profile_id: one.identifiers for one in mentions}
    records = {
        profile: next(i for i in identifiers if i.split(":")[0] in RECORDS)
        for profile, identifiers in bears.items()
    }
    return [
        Told(
            fields.group_id,
            Statement(
                id=one.statement_id,
                subject=records[one.subject],
                relation=one.relation,
                object=records.get(one.object) or (f"={one.value}" if one.value else None),
                polarity=one.polarity,
                retracts=one.retracts or "asserts",
                reference_time=one.reference_time,
                position=one.position,
                authority=one.authority,
                valid_at=one.valid_at,
                invalid_at=one.invalid_at,
                temporary=one.temporary,
                known_from=fields.known_at,
                known_until=end,
            ),
        )
        for one in statements
    ]
