"""Tables on a terminal and JSON for programs: what all that is shown is printed with."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from textwrap import shorten
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from regesta.query.times import show as show_time

LONGEST_WORDS = 200

TIMES = (
    *("valid_at", "seen_from", "invalid_at", "created_at", "expired_at"),
    *("reference_time", "known_at", "stated_at"),
)


def plain(value: Any) -> Any:
    """Return what JSON can hold: dataclasses as objects, times as texts."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {
            key: show_time(entry) if key in TIMES and isinstance(entry, int) else plain(entry)
            for key, entry in value.items()
        }
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2, default=str)
    sys.stdout.write("\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; long cells are folded."""
    table = Table(title=title or None, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)


def shortened(text: str | None) -> str:
    """Return the beginning of a text, as much as a cell holds."""
    return shorten(text or "", LONGEST_WORDS, placeholder=" ...")
