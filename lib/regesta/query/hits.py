"""What a search found, and the text that it makes for a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from regesta.query.answers import Entity, Episode, Evidence, Fact
from regesta.query.times import show

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Hit:
    """One hit: a fact with its two entities and its first citations, an entity, or an episode."""

    score: float
    fact: Fact | None
    entities: tuple[Entity, ...]
    citations: tuple[Evidence, ...]
    episode: Episode | None = None

    @property
    def entity(self) -> Entity | None:
        """Return the entity found, where entities were searched."""
        return None if self.fact or self.episode else self.entities[0]

    @property
    def kind(self) -> str:
        """Return fact, entity or episode."""
        return "fact" if self.fact else "episode" if self.episode else "entity"

    @property
    def sources(self) -> tuple[Evidence | Episode, ...]:
        """Return what the hit rests on: the fact's citations, or the episode itself."""
        return (self.episode,) if self.episode else self.citations


@dataclass(frozen=True)
class Hits(Sequence[Hit]):
    """Hits in order, best first, with the stamps that they were asked for."""

    query: str
    valid: int
    known: int
    hits: tuple[Hit, ...]

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def context(self) -> str:
        """Return the text to put before a model: facts with their dates, entities, sources."""
        sources = list(dict.fromkeys(each.label for hit in self for each in hit.sources))
        numbers = {label: number for number, label in enumerate(sources, 1)}
        facts = [_fact_line(hit, numbers) for hit in self if hit.fact]
        entities = dict.fromkeys(_entity_line(each) for hit in self for each in hit.entities)
        listing = [f"[{number}] {_line(label)}" for label, number in numbers.items()]
        heading = f"As of {show(self.valid)}, as known on {show(self.known)}."
        told = [_episode_line(hit.episode, numbers) for hit in self if hit.episode]
        parts = [
            *(("FACTS", facts), ("EPISODES", told)),
            *(("ENTITIES", list(entities)), ("SOURCES", listing)),
        ]
        return "\n".join([heading, *(_section(name, lines) for name, lines in parts if lines)])

    def to_arrow(self) -> pa.Table:
        """Return one row per hit: score, kind, id, text, valid_at, invalid_at, episode_ids."""
        import pyarrow as pa  # noqa: PLC0415

        time = pa.timestamp("us", tz="UTC")
        columns = {
            "score": (pa.float64(), [hit.score for hit in self]),
            "kind": (pa.string(), [hit.kind for hit in self]),
            "id": (pa.string(), [_id(hit) for hit in self]),
            "text": (pa.string(), [_text(hit) for hit in self]),
            "valid_at": (time, [hit.fact and hit.fact.valid_at for hit in self]),
            "invalid_at": (time, [hit.fact and hit.fact.invalid_at for hit in self]),
            "episode_ids": (
                pa.list_(pa.string()),
                [[each.episode_id for each in hit.sources] for hit in self],
            ),
        }
        arrays = {name: pa.array(values, kind) for name, (kind, values) in columns.items()}
        return pa.table(arrays)


def _id(hit: Hit) -> str:
    if hit.episode:
        return hit.episode.episode_id
    return hit.fact.fact_id if hit.fact else hit.entities[0].entity_id


def _text(hit: Hit) -> str:
    if hit.episode:
        return hit.episode.own_words
    return hit.fact.text if hit.fact else hit.entities[0].name


def _fact_line(hit: Hit, numbers: dict[str, int]) -> str:
    fact = hit.fact
    assert fact is not None
    marks = "".join(f"[{numbers[each.label]}]" for each in hit.citations)
    kind = "event " if fact.kind == "event" else ""
    return f"- {_line(fact.text)} ({kind}{fact.dates}) {marks}".rstrip()


def _episode_line(episode: Episode, numbers: dict[str, int]) -> str:
    return f"- {_line(episode.own_words)} [{numbers[episode.label]}]"


def _entity_line(entity: Entity) -> str:
    label = f" ({entity.label})" if entity.label else ""
    summary = f": {_line(entity.summary)}" if entity.summary else ""
    return f"- {_line(entity.name)}{label}{summary}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _section(name: str, lines: list[str]) -> str:
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])
