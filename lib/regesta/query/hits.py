"""What a search found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, overload

from regesta.query.answers import Community, Entity, Episode, Evidence, Fact
from regesta.query.context import CountTokens, estimate_tokens, write_context

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class Hit:
    """One hit: a fact with its two entities and its first citations, an entity, a community, or
    an episode.

    `score` is that of the reranker, else of the fusion, else of the only method; `ranks` tells the
    rank that each method gave it, from 1.
    """

    score: float
    ranks: Mapping[str, int]
    group: str
    fact: Fact | None = None
    entities: tuple[Entity, ...] = ()
    citations: tuple[Evidence, ...] = ()
    community: Community | None = None
    episode: Episode | None = None

    @property
    def entity(self) -> Entity | None:
        """Return the entity found, where entities were searched."""
        return self.entities[0] if self.entities and not self.fact else None

    @property
    def found(self) -> Fact | Entity | Community | Episode:
        """Return what was found."""
        found = self.fact or self.community or self.episode or self.entity
        assert found is not None
        return found

    @property
    def kind(self) -> str:
        """Return fact, entity, community or episode."""
        return type(self.found).__name__.lower()

    @property
    def id(self) -> str:
        """Return the id of what was found."""
        return str(getattr(self.found, f"{self.kind}_id"))

    @property
    def text(self) -> str:
        """Return it in words: a fact's text, a name, an episode's own words."""
        if self.fact:
            return self.fact.text
        if self.episode:
            return self.episode.own_words
        named = self.community or self.entity
        assert named is not None
        return named.name

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

    def context(
        self, *, tokens: int | None = None, count_tokens: CountTokens = estimate_tokens
    ) -> str:
        """Return the text to put before a model: facts with their dates, entities, sources.

        With `tokens` it holds the best hits that fit; `count_tokens` is the model's own tokenizer,
        by default an estimate on the safe side. Raises QueryError where nothing fits.
        """
        return write_context(self, tokens=tokens, count_tokens=count_tokens)

    def to_arrow(self) -> pa.Table:
        """Return one row per hit, best first; times are UTC, absent where a hit has none.

        Columns: rank, score, group, kind, id, text, valid_at, invalid_at, valid_precision,
        invalid_precision, created_at, expired_at, episode_ids, ranks (method and rank).
        """
        import pyarrow as pa  # noqa: PLC0415

        time, text = pa.timestamp("us", tz="UTC"), pa.string()
        columns: dict[str, tuple[pa.DataType, list[Any]]] = {
            "rank": (pa.int64(), list(range(1, len(self) + 1))),
            **{name: (text, [getattr(hit, name) for hit in self]) for name in _TEXTS},
            "score": (pa.float64(), [hit.score for hit in self]),
            **{name: (time, [getattr(hit.found, name, None) for hit in self]) for name in _TIMES},
            **{name: (text, [getattr(h.fact, name, None) for h in self]) for name in _PRECISIONS},
            "episode_ids": (pa.list_(text), [[e.episode_id for e in h.sources] for h in self]),
            "ranks": (pa.map_(text, pa.int64()), [list(hit.ranks.items()) for hit in self]),
        }
        return pa.table({name: pa.array(cells, kind) for name, (kind, cells) in columns.items()})

    def to_pandas(self) -> pd.DataFrame:
        """Return `to_arrow` as a DataFrame; needs pandas, which nothing else here does."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame


_TEXTS: Final = ("group", "kind", "id", "text")
_TIMES: Final = ("valid_at", "invalid_at", "created_at", "expired_at")
_PRECISIONS: Final = ("valid_precision", "invalid_precision")
