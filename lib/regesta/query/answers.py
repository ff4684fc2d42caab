"""What a question is answered with: facts, entities, episodes, communities, evidence.

Times are microseconds since 1970 in UTC; an absent end means "still". What the graph learned after
the known time of the question (the expiry of a belief) is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regesta.query.times import show, show_last


@dataclass(frozen=True)
class Entity:
    """An entity as known then."""

    entity_id: str
    row_id: str
    name: str
    aliases: tuple[str, ...]
    label: str | None
    identifiers: tuple[str, ...]
    summary: str | None
    attributes: Mapping[str, str]
    created_at: int
    expired_at: int | None


@dataclass(frozen=True)
class Fact:
    """One period of a fact as believed then; `object` is a name, `value` a literal."""

    fact_id: str
    row_id: str
    subject: str
    subject_id: str
    relation: str
    object: str | None
    object_id: str | None
    value: str | None
    text: str
    kind: str
    valid_at: int | None
    seen_from: int | None
    invalid_at: int | None
    valid_precision: str | None
    invalid_precision: str | None
    created_at: int
    expired_at: int | None
    end_reason: str | None
    end_by: str | None
    end_by_fact: str | None
    end_by_episode: str | None
    expiry_reason: str | None
    expired_by: str | None
    expired_by_fact: str | None
    expired_by_episode: str | None
    hyperedge_id: str | None
    disputed: bool
    breaks_signature: bool  # the ontology names other labels for the relation

    @property
    def start(self) -> int:
        """Return when it began or, where that is not known, from when on it was seen."""
        return (self.seen_from or 0) if self.valid_at is None else self.valid_at

    @property
    def dates(self) -> str:
        """Return when the fact held, in the precision known: "2021-03 to 2022", "since 2021"."""
        if self.kind == "event":
            return f"on {self._start}" if self.valid_at is not None else self._start
        if self.invalid_at is None:
            return f"since {self._start}" if self.valid_at is not None else self._start
        return f"{self._start} to {show_last(self.invalid_at, self.invalid_precision)}"

    @property
    def _start(self) -> str:
        if self.valid_at is not None:
            return show(self.valid_at, self.valid_precision)
        return "date unknown" if self.seen_from is None else f"seen from {show(self.seen_from)}"


class Cited:
    """What is cited by its source: how it reads on one line."""

    source: str
    source_id: str
    author: str | None
    reference_time: int

    @property
    def label(self) -> str:
        """Return source, item, author and date on one line."""
        author = f", {self.author}" if self.author else ""
        return f"{self.source} {self.source_id}{author}, {show(self.reference_time)}"


@dataclass(frozen=True)
class Evidence(Cited):
    """A citation: the episode, and the words in it that state the fact (absent until asked why)."""

    row_id: str
    fact_id: str
    statement_id: str
    episode_id: str
    source: str
    source_id: str
    kind: str
    author: str | None
    thread_id: str | None
    reference_time: int
    known_at: int
    created_at: int
    quote: str | None


@dataclass(frozen=True)
class Episode(Cited):
    """A message or a text; `own_words` are its content without quotes and signature."""

    episode_id: str
    source: str
    source_id: str
    kind: str
    author: str | None
    thread_id: str | None
    reference_time: int
    known_at: int
    content: str
    own_words: str


@dataclass(frozen=True)
class Verdict:
    """A person's or a model's word that two facts contradict each other, or don't."""

    verdict_id: str
    row_id: str
    left_fact: str
    right_fact: str
    verdict: str
    reason: str
    author: str
    decided_by: str
    stated_at: int
    set_aside: bool  # it does not count: contradictions link too many facts
    created_at: int


@dataclass(frozen=True)
class Reason:
    """Why a period or a belief ended: the fact's `end_reason` or `expiry_reason`, in words too.

    `fact` is another fact that it is due to, `episode` where that is told, `quote` its words there,
    `verdict` what makes the two contradict each other, if the ontology doesn't.
    """

    kind: str
    words: str
    fact: Fact | None
    episode: Episode | None
    quote: str | None
    verdict: Verdict | None


@dataclass(frozen=True)
class Life:
    """A period of a fact, why it ended, and why it is no longer believed (None: it still is)."""

    fact: Fact
    ended: Reason | None
    expired: Reason | None


@dataclass(frozen=True)
class Explanation(Life):
    """The same with what it rests on."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Community:
    """A community as known then."""

    community_id: str
    level: int
    parent: str | None
    name: str
    summary: str | None
    key_terms: tuple[str, ...]
    size: int
    created_at: int
