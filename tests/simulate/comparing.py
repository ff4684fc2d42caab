"""Archive, truth and a published snapshot: read as plain files, compared by plain code."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from regesta.query.snapshot import open_snapshot

FOREVER = 1 << 62


def table(path: Path) -> list[dict]:
    """Rows with times as microseconds."""
    found = pq.read_table(path)
    for place, field in enumerate(found.schema):
        if pa.types.is_timestamp(field.type):
            found = found.set_column(place, field.name, found.column(place).cast(pa.int64()))
    return found.to_pylist()


def archive_rows(folder: Path) -> list[tuple[str, str, dict]]:
    """Source, day of delivery and fields of every row of the archive."""
    found = []
    for file in sorted((folder / "archive").rglob("*.*")):
        source, day = file.parts[-3:-1]
        with file.open(encoding="utf-8", newline="") as lines:
            read = csv.DictReader(lines) if file.suffix == ".csv" else map(json.loads, lines)
            found += [(source, day, row) for row in read]
    return found


class Published:
    """Entities and facts of a snapshot, by group."""

    def __init__(self, warehouse: Path) -> None:
        root = warehouse / "snapshots"
        manifest = open_snapshot(root).manifest
        segments, self.known_at = manifest.segments, manifest.known_at
        self.entities = [
            r for s in segments for r in table(root / "segments" / s / "entities.parquet")
        ]
        self.facts = [r for s in segments for r in table(root / "segments" / s / "facts.parquet")]
        self._versions = defaultdict(list)
        self.identifiers = defaultdict(set)
        for row in self.entities:
            self.identifiers[row["entity_id"]].update(row["identifiers"])
            for identifier in row["identifiers"]:
                self._versions[row["group_id"], identifier].append(row)
        self._by_subject = defaultdict(list)
        for row in self.facts:
            self._by_subject[row["subject_id"], row["relation"]].append(row)

    def bearers(self, group: str, identifier: str, known: int | None = None) -> set[str]:
        """Ids of the entities that bear an identifier, at a known time or ever."""
        return {
            row["entity_id"]
            for row in self._versions[group, identifier]
            if known is None or holds(row, "created_at", "expired_at", known)
        }

    def answers(self, question: dict) -> list[dict]:
        """The facts that answer a question."""
        subjects = self.bearers(question["group_id"], question["subject"], question["known"])
        return [
            row
            for subject in subjects
            for row in self._by_subject[subject, question["relation"]]
            if holds(row, "created_at", "expired_at", question["known"])
            and holds(row, "valid_at", "invalid_at", question["valid"])
            and "disputed" not in (row["flags"] or ())
        ]

    def is_right(self, question: dict) -> bool:
        """Whether the answers are those expected, one fact for each."""
        found, expected = self.answers(question), question["answers"]
        named = [
            {row["value"]} if row["object_id"] is None else self.identifiers[row["object_id"]]
            for row in found
        ]
        return len(found) == len(expected) and all(
            any(answer in names for names in named) for answer in expected
        )

    def rectangles(self) -> set[tuple]:
        """Believed rectangles of facts; rows that differ in their explanation only are joined."""
        rows = defaultdict(list)
        for row in self.facts:
            if "disputed" not in (row["flags"] or ()):
                target = row["object_id"] or f"={row['value']}"
                start = row["seen_from"] if row["valid_at"] is None else row["valid_at"]
                place = (row["subject_id"], row["relation"], target, start, row["invalid_at"])
                rows[place].append((row["created_at"], row["expired_at"]))
        return {(*place, *span) for place, spans in rows.items() for span in joined(spans)}

    def expected(self, facts: list[dict]) -> set[tuple]:
        """The truth's rectangles, with the ids that the warehouse gave its records."""
        rows = defaultdict(list)
        for row in facts:
            (subject,) = self.bearers(row["group_id"], row["subject"])
            target = f"={row['value']}"
            if row["object"] is not None:
                (target,) = self.bearers(row["group_id"], row["object"])
            place = (subject, row["relation"], target, row["valid_at"], row["invalid_at"])
            rows[place].append((row["created_at"], row["expired_at"]))
        return {(*place, *span) for place, spans in rows.items() for span in joined(spans)}


def holds(row: dict, start: str, end: str, at: int) -> bool:
    since = row["seen_from"] if row[start] is None else row[start]
    return since <= at and (row[end] is None or at < row[end])


def joined(spans: list[tuple]) -> list[tuple]:
    """Spans of known time, joined where one begins in the instant in which another ends."""
    found: list[tuple] = []
    for created, expired in sorted(spans, key=lambda span: (span[0], span[1] or FOREVER)):
        if found and (found[-1][1] or FOREVER) >= created:
            last = max(found[-1][1] or FOREVER, expired or FOREVER)
            found[-1] = (found[-1][0], None if last == FOREVER else last)
        else:
            found.append((created, expired))
    return found
