"""What the local extractor finds in a simulated archive's messages, against what each tells.

    regesta simulate /tmp/desk --seed 7 --episodes 10000 --groups 10 --nights 10
    python tests/bench/score_messages.py /tmp/desk [--split held_out] [--wrong]

Without Spark: every message and note goes through the extractor; a name counts as linked where one
entity of the group's truth bears it under the label, as identity does it in the warehouse.
`held_out` are the phrasings kept for scoring only (`regesta.simulate.phrases`): no rule may be made
from them, so `--wrong` shows none of theirs.

A statement is right where its message tells that subject, relation and object or value: `ends`
where the truth has an end, and of somebody who left no open assertion. The interval is exact where
every bound that the statement gives is the truth's, by the day.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from regesta.config import load
from regesta.extract.rows import Episode, Mention, Statement
from regesta.extract.text.extractor import TextExtractor
from regesta.extract.text.phrasebook import phrasebook
from regesta.names import normalise_name
from regesta.query.times import to_micros
from regesta.sources.own_words import message_spans
from regesta.spans import spans_text

MICROSECONDS_PER_DAY = 86_400_000_000
Row = dict[str, Any]


@dataclass
class Score:
    """Counts of statements and of what messages tell; `wrong` are statements that are not so."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    bounds: int = 0
    exact: int = 0
    episodes: int = 0
    seconds: float = 0.0

    @property
    def precision(self) -> float:
        """Of the statements between known names the share that is told."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """Of what is told the share that is found."""
        return self.found.total() / max(1, self.told.total())

    @property
    def interval_exact(self) -> float:
        """Of the bounds that right statements give the share that is the truth's day."""
        return self.exact / max(1, self.bounds)


class Names:
    """Which entity of the truth a mention is, by its number or by its name and label."""

    def __init__(self, entities: list[Row]) -> None:
        self._numbers = {
            (one["group_id"], record): one["entity"]
            for one in entities
            for record in one["records"]
        }
        self._bearers: dict[tuple[str, str, str], set[str]] = {}
        for one in entities:
            for name in one["names"]:
                key = (one["group_id"], one["label"], normalise_name(name))
                self._bearers.setdefault(key, set()).add(one["entity"])

    def record(self, group: str, identifier: str | None) -> str | None:
        """Return the entity that bears a record's number."""
        return None if identifier is None else self._numbers.get((group, identifier))

    def mention(self, one: Mention) -> str | None:
        """Return the only entity that a mention can mean."""
        if one.identifiers:
            return self.record(one.group_id, one.identifiers[0])
        bearers = self._bearers.get((one.group_id, one.label, one.normalised_name), set())
        return next(iter(bearers)) if len(bearers) == 1 else None


def score(folder: Path, split: str) -> Score:
    """Score the messages whose sentences are all of one split; those that tell nothing too."""
    readers = readers_of(folder)
    names = Names(_table(folder, "entities"))
    told: dict[str, list[Row]] = {}
    for row in _table(folder, "messages"):
        told.setdefault(row["source_id"], []).append(row)
    result = Score()
    for source, row in archive(folder):
        episode, spans = episode_of(source, row)
        truth = told.get(episode.episode_id, [])
        if any(one["split"] != split for one in truth):
            continue
        begun = time.process_time()
        mentions, statements = readers[source].extract(episode, row["author"], spans)
        result.seconds += time.process_time() - begun
        result.episodes += 1
        _compare(result, truth, {one.profile_id: one for one in mentions}, statements, names)
    return result


def readers_of(folder: Path) -> dict[str, TextExtractor]:
    """Return a reader for each source of words of an archive."""
    configuration = load(folder / "conf")
    book = phrasebook(configuration.ontology)
    return {
        one.source: TextExtractor(one, configuration.ontology, book, "salt")
        for one in configuration.sources
        if one.kind != "json"
    }


def _table(folder: Path, name: str) -> list[Row]:
    return list(pq.read_table(folder / "truth" / f"{name}.parquet").to_pylist())


def archive(folder: Path) -> Iterator[tuple[str, Row]]:
    """Yield the messages and notes of an archive, each once, with their source."""
    for source in ("messages", "notes"):
        rows: dict[str, Row] = {}
        for path in sorted((folder / "archive" / source).rglob("*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                row = json.loads(line)
                rows[str(row.get("message_no") or row.get("note_no"))] = row
        yield from ((source, row) for row in rows.values())


def episode_of(source: str, row: Row) -> tuple[Episode, str | None]:
    """Return a message or a note as an episode, and the parts of a message."""
    number = str(row.get("message_no") or row.get("note_no"))
    said = to_micros(row.get("sent_at") or row["written_at"])
    text = row.get("text") or row["body"]
    spans = spans_text(message_spans(text)) if source == "messages" else None
    thread = row.get("ticket_no")
    return Episode(number, row["unit"], number, source, thread, None, text, 5, said, said), spans


def _compare(
    result: Score,
    truth: list[Row],
    mentions: Mapping[str, Mention],
    statements: list[Statement],
    names: Names,
) -> None:
    result.told.update(row["event"] for row in truth)
    found: set[int] = set()
    for one in statements:
        ends = [names.mention(mentions[end]) for end in (one.subject, one.object) if end]
        if None in ends:
            continue
        hit = next((n for n, row in enumerate(truth) if _tells(row, one, ends, names)), None)
        if hit is None:
            result.wrong.append(f"{one.relation} {one.polarity} {one.value or ''}: {one.text}")
            continue
        result.right += 1
        found.add(hit)
        _time(result, truth[hit], one)
    result.found.update(truth[n]["event"] for n in found)


def _tells(row: Row, one: Statement, ends: list[str | None], names: Names) -> bool:
    group = row["group_id"]
    if row["relation"] != one.relation or names.record(group, row["subject"]) != ends[0]:
        return False
    if row["object"] is None:
        if normalise_name(row["value"]) != normalise_name(one.value or ""):
            return False
    elif len(ends) < 2 or names.record(group, row["object"]) != ends[1]:
        return False
    if one.polarity == "ends":
        return row["invalid_at"] is not None
    is_over = row["event"] == "left" and one.invalid_at is None
    return one.polarity == "asserts" and not is_over


def _time(result: Score, row: Row, one: Statement) -> None:
    for name in ("valid_at", "invalid_at"):
        stated = getattr(one, name)
        if stated is not None:
            true = None if row[name] is None else round(row[name].timestamp()) * 1_000_000
            result.bounds += 1
            days = (
                None if moment is None else moment // MICROSECONDS_PER_DAY
                for moment in (stated, true)
            )
            result.exact += len(set(days)) == 1


def main() -> None:
    """Print the scores of one split."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("seen", "held_out"), default="held_out")
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    result = score(asked.folder, asked.split)
    sys.stdout.write(
        f"{asked.split}: {result.episodes:,} episodes, {result.told.total():,} things told\n"
        f"precision {result.precision:.3f}  recall {result.recall:.3f}  interval exact "
        f"{result.interval_exact:.3f} of {result.bounds:,} bounds\n"
        f"{result.episodes / result.seconds:,.0f} episodes per second and core\n"
    )
    for event, count in sorted(result.told.items()):
        sys.stdout.write(f"  {event:20}{result.found[event]:6} of {count}\n")
    if asked.wrong and asked.split == "seen":
        sys.stdout.write("\n".join(result.wrong) + "\n")


if __name__ == "__main__":
    main()
