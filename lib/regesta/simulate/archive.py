"""The files of the archive: rows by source and day of delivery, as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from regesta.simulate.desk import Row
from regesta.simulate.plan import DAY, day_text

CSV_COLUMNS: Final = {
    "crm_accounts": (
        *("unit", "account_no", "name", "website", "owner_no", "owner", "plan", "city"),
        *("extracted_at", "delivered_at"),
    )
}
"""Sources that are written as CSV; the others are JSON lines."""

_HELD: Final = 16_000_000
_encode = json.JSONEncoder(ensure_ascii=False).encode
_Place = tuple[str, int]


class ArchiveWriter:
    """Writes one part of every source and day; holds some megabytes, no files open."""

    def __init__(self, folder: Path, part: str) -> None:
        self._folder = folder
        self._part = part
        self._held: dict[_Place, list[str]] = {}
        self._size = 0
        self._begun: set[_Place] = set()

    def write(self, rows: Iterable[tuple[str, int, Row]]) -> None:
        """Add rows: source, second of delivery, fields."""
        for source, known, row in rows:
            text = _csv_line(source, row) if source in CSV_COLUMNS else _encode(row) + "\n"
            self._held.setdefault((source, known // DAY), []).append(text)
            self._size += len(text)
        if self._size > _HELD:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        for place, lines in self._held.items():
            source, day = place
            folder = self._folder / source / day_text(day)
            ending = "csv" if source in CSV_COLUMNS else "jsonl"
            if place not in self._begun:
                self._begun.add(place)
                folder.mkdir(parents=True, exist_ok=True)
                if source in CSV_COLUMNS:
                    lines.insert(0, ",".join(CSV_COLUMNS[source]) + "\n")
            with (folder / f"{self._part}.{ending}").open("a", encoding="utf-8") as file:
                file.writelines(lines)
        self._held, self._size = {}, 0


def _csv_line(source: str, row: Row) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([row[name] for name in CSV_COLUMNS[source]])
    return line.getvalue()
