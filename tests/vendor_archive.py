"""A small archive in a vendor's shape, and what the ready-made sources make of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from regesta.config import load_ontology
from regesta.extract.preview import RowPreview, preview
from regesta.query.times import show, to_micros
from regesta.sources.loading import load_source

CONF = Path(__file__).parents[1] / "conf"
RUN = "2025-01-01"


class Archive:
    """Files below a folder, read by the sources of conf/sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, content: Any) -> None:
        """Write a file: JSON of what is no text, CSV of a list of flat objects for .csv."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            file.write_text(content)
        elif path.endswith(".csv"):
            file.write_text(as_csv(content))
        else:
            file.write_text(json.dumps(content))

    def rows(self, source: str) -> list[RowPreview]:
        """What `source` makes of all rows of its archive."""
        declared = load_source(
            CONF / "sources" / f"{source}.yaml", environment={"ARCHIVE": str(self.folder)}
        )
        found = preview(declared, load_ontology(CONF), rows=1000, run_known_at=to_micros(RUN))
        assert [row.reason for row in found if row.reason] == []
        return found


def as_csv(rows: list[dict[str, str]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def episode(row: RowPreview) -> tuple[str | None, ...]:
    """Source id, version, reference time, known time, removal of an episode."""
    made = row.episode
    assert made is not None
    assert made.group == "company"
    times = (show(made.reference_time), show(made.known_at))
    return (made.source_id, made.version, *times, made.removed)


def entities(row: RowPreview) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(one.label, one.name, tuple(one.identifiers)) for one in row.entities}


def said(row: RowPreview) -> set[tuple[str, ...]]:
    """Statements as (subject, relation, object or value); ends begin with "ends"."""
    return {
        (*(() if one.polarity == "asserts" else (one.polarity,)), *_triple(one))
        for one in row.statements
    }


def _triple(one: Any) -> tuple[str, ...]:
    target = one.object if one.object is not None else one.value
    return (one.subject, one.relation) if target is None else (one.subject, one.relation, target)
