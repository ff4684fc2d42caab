"""What a mapping reads and what it makes, as rows: columns in the order of the fields."""

from __future__ import annotations

from typing import NamedTuple


class Episode(NamedTuple):
    """The columns of an episode that a mapping reads; times in microseconds."""

    episode_id: str
    group_id: str
    series_id: str
    source: str
    thread_id: str | None
    position: int | None
    content: str
    authority: int
    reference_time: int
    known_at: int


class Mention(NamedTuple):
    """A row of `mentions`, without the columns that a whole batch shares."""

    mention_id: str
    episode_id: str
    group_id: str
    profile_id: str
    name: str
    normalised_name: str
    label: str
    identifiers: list[str]
    context: list[str]
    attributes: list[tuple[str, str]]
    authority: int
    reference_time: int
    quote_start: int
    quote_end: int
    known_at: int


class Statement(NamedTuple):
    """A row of `statements`, without the columns that a whole batch shares."""

    statement_id: str
    episode_id: str
    group_id: str
    subject: str
    relation: str
    object: str | None
    value: str | None
    text: str
    polarity: str
    retracts: str | None
    position: int
    reference_time: int
    valid_at: int | None
    invalid_at: int | None
    valid_precision: str | None
    invalid_precision: str | None
    temporary: bool
    authority: int
    quote_start: int
    quote_end: int
    hyperedge_id: str | None
    breaks_signature: bool
    known_at: int
