"""One record through a declared mapping."""

from __future__ import annotations

from datetime import UTC, datetime

from regesta.extract.mapping import RecordMapper
from regesta.extract.rows import Episode
from regesta.ontology import Ontology
from regesta.sources.declaration import Source
from regesta.sources.records import canonical_json

BASE = {"source": "s", "path": "x", "format": "jsonl", "group": "'g'", "source_id": "id"}
PERSONAL = Ontology.model_validate(
    {
        "labels": {"Person": {"personal_name": True}},
        "relations": {"OWNED_BY": {"phrase": "is owned by"}},
        "identifiers": {"shirt": {"joins": False}},
    }
)


def micros(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def extract(
    record,
    *,
    mode="event",
    said="2024-05-01",
    thread=None,
    position=None,
    ontology=PERSONAL,
    **declared,
):
    times = {} if mode == "interval" else {"reference_time": "at"}
    source = Source.model_validate({**BASE, "mode": mode, **times, **declared})
    episode = Episode(
        episode_id="e",
        group_id="g",
        series_id="series",
        source="s",
        thread_id=thread,
        position=position,
        content=canonical_json(record),
        authority=10,
        reference_time=micros(said),
        known_at=micros("2024-06-01"),
    )
    mentions, statements = RecordMapper(source, ontology, "salt").extract(episode)
    return episode, mentions, statements
