"""What `regesta sources` prints: what is declared, and what becomes of an archive's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from regesta.cli.tables import plain, print_json, print_table, shortened
from regesta.query.times import show as show_time

if TYPE_CHECKING:
    from regesta.extract.preview import EpisodePreview, RowPreview

Rows = list[tuple[str, ...]]


def declared_sources(found: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print the declared sources."""
    if as_json:
        print_json(found)
        return
    rows = [
        (
            one["source"],
            "yes" if one["nightly"] else "",
            one["format"],
            one["mode"],
            "\n".join(one["path"]),
        )
        for one in found
    ]
    print_table("", ("source", "nightly", "format", "mode", "path"), rows)


def previews(found: Sequence[RowPreview], *, as_json: bool, title: str) -> None:
    """Print what a source makes of its rows: episodes, entities, statements, what is rejected."""
    if as_json:
        print_json([plain(row) for row in found])
        return
    numbered = [(str(number), row) for number, row in enumerate(found, start=1)]
    columns = ("", "group", "source id", "version", "reference time", "known at", "removed")
    episodes = [(number, *_episode(row.episode)) for number, row in numbered if row.episode]
    print_table(f"{title}: episodes", columns, episodes)
    tables = (
        ("entities", ("", "label", "name", "identifiers"), _entities),
        ("statements", ("", "", "relation", "in words", "from", "until"), _statements),
        ("words, from which no mapping takes anything", ("", "thread", "author", ""), _words),
        ("rejected", ("", "row", "reason", "begins with"), _rejected),
    )
    for name, headings, rows_of in tables:
        if rows := [(number, *cells) for number, row in numbered for cells in rows_of(row)]:
            print_table(name, headings, rows)


def _episode(episode: EpisodePreview) -> tuple[str, ...]:
    return (
        episode.group or "",
        episode.source_id or "",
        episode.version or "",
        _time(episode.reference_time),
        _time(episode.known_at),
        episode.removed or "",
    )


def _entities(row: RowPreview) -> Rows:
    return [(each.label, each.name, "\n".join(each.identifiers)) for each in row.entities]


def _statements(row: RowPreview) -> Rows:
    return [
        (
            *(each.polarity, each.relation, each.text),
            *(_time(each.valid_at), _time(each.invalid_at)),
        )
        for each in row.statements
    ]


def _words(row: RowPreview) -> Rows:
    episode = row.episode
    if episode is None or row.reason or episode.removed or row.entities:
        return []
    return [(episode.thread or "", episode.author or "", shortened(episode.content))]


def _rejected(row: RowPreview) -> Rows:
    if row.reason is None:
        return []
    return [(f"{row.path}:{row.row}", row.reason, shortened(row.raw))]


def _time(micros: int | None) -> str:
    return "" if micros is None else show_time(micros)
