"""The first records of an archive, read without Spark by the rules that a night reads them by."""

from __future__ import annotations

import base64
import glob
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from regesta.errors import InputError
from regesta.sources.compressed import whole_lines
from regesta.sources.declaration import Source
from regesta.sources.files import with_file
from regesta.sources.formats import file_rows, line_parser
from regesta.sources.parsed import BrokenTextError, ParsedRow, lenient_text
from regesta.sources.records import EpisodeFields, RejectedRecordError, episode_mapper

_SCHEME: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://)?(?=/)")
_ALTERNATIVES: Final = re.compile(r"\{([^{}]*)\}")
_BYTES_PER_CSV_ROW: Final = 1_000_000
"""What is read of a large CSV file for each row that is asked for."""


class SampledRow(NamedTuple):
    """A record of the archive: the fields of its episode, or the reason why it has none."""

    path: str
    number: int
    fields: EpisodeFields | None
    reason: str | None = None
    raw: str = ""


def sample(source: Source, *, rows: int, run_known_at: int) -> list[SampledRow]:
    """Return up to `rows` records of a source: the first ones of each of its paths, by file name.

    `run_known_at` is the time of the run, in microseconds, after which nothing can be known.

    Raises InputError for a path that leads nowhere and for archives that are not on this machine.
    """
    to_fields, seen = episode_mapper(source, run_known_at=run_known_at), with_file(source)
    share = -(-rows // len(source.path))
    found: list[SampledRow] = []
    for pattern in source.path:
        files = _files(source, pattern)
        parsed = ((file, row) for file in files for row in _parsed(file, source, rows))
        for file, row in itertools.islice(parsed, share):
            found.append(_mapped(file, row, seen, to_fields))
    if not found and not any(_files(source, pattern) for pattern in source.path):
        raise InputError(
            f"source {source.source!r}: no file at {', '.join(source.path)}.\n"
            "Correct `path` or put the files there."
        )
    return found[:rows]


def _mapped(
    path: str,
    row: ParsedRow,
    seen: Callable[[Any, str], Any],
    to_fields: Callable[[Any], EpisodeFields],
) -> SampledRow:
    if row.reason is not None:
        return SampledRow(path, row.number, None, row.reason, row.raw)
    try:
        fields = to_fields(seen(row.record, path))
    except RejectedRecordError as error:
        return SampledRow(path, row.number, None, str(error), row.raw)
    return SampledRow(path, row.number, fields, None, row.raw)


def _files(source: Source, pattern: str) -> list[str]:
    """Return the files of one path in order; names that begin with `_` or `.` are left out."""
    scheme = _SCHEME.match(pattern)
    if scheme is not None and scheme["scheme"] != "file":
        raise InputError(
            f"source {source.source!r}: {pattern} is not on this machine, and only local files can "
            "be looked at without Spark.\nCopy some of them and let `path` name the copy."
        )
    local = pattern if scheme is None else pattern[scheme.end() :]
    # A path may be absolute, which Path.glob does not take.
    places = sorted({place for one in _braces_expanded(local) for place in glob.glob(one)})  # noqa: PTH207
    return [file for place in places for file in _files_below(Path(place))]


def _files_below(place: Path) -> Iterator[str]:
    if place.name.startswith(("_", ".")):
        return
    if place.is_file():
        yield str(place)
    elif place.is_dir():
        for inner in sorted(place.iterdir()):
            yield from _files_below(inner)


def _braces_expanded(pattern: str) -> list[str]:
    found = _ALTERNATIVES.search(pattern)
    if found is None:
        return [pattern]
    before, after = pattern[: found.start()], pattern[found.end() :]
    return [
        one for text in found[1].split(",") for one in _braces_expanded(f"{before}{text}{after}")
    ]


def _parsed(file: str, source: Source, rows: int) -> Iterator[ParsedRow]:
    if source.format == "jsonl":
        return _lines(file, source)
    if source.format == "parquet":
        return _parquet_rows(file, rows)
    return file_rows(_content(file, source, rows), source, file)


def _lines(file: str, source: Source) -> Iterator[ParsedRow]:
    parse, problems, number = line_parser(source.encoding), list[str](), 0
    with Path(file).open("rb") as opened:
        lines = whole_lines(opened.read(), problems) if file.endswith(".gz") else opened
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            raw = lenient_text(line, source.encoding)
            try:
                yield ParsedRow(number, parse(line), raw)
            except BrokenTextError as error:
                yield ParsedRow(number, None, raw, str(error))
    for problem in problems:
        yield ParsedRow(number + 1, None, "", problem)


def _content(file: str, source: Source, rows: int) -> bytes:
    """Return what a file holds; of a large CSV file as many whole lines as hold the rows."""
    wanted = _BYTES_PER_CSV_ROW * rows
    if source.format != "csv" or file.endswith(".gz") or os.path.getsize(file) <= wanted:  # noqa: PTH202
        return Path(file).read_bytes()
    with Path(file).open("rb") as opened:
        return opened.read(wanted).rpartition(b"\n")[0]


def _parquet_rows(file: str, rows: int) -> Iterator[ParsedRow]:
    try:
        batches = pq.ParquetFile(file).iter_batches(batch_size=rows)
    except pa.ArrowInvalid as error:
        raise InputError(f"{file} is no Parquet file: {error}") from error
    records = (row for batch in batches for row in batch.to_pylist(maps_as_pydicts="strict"))
    for number, record in enumerate(records, start=1):
        text = json.dumps(record, default=_as_json)
        yield ParsedRow(number, json.loads(text), text)


def _as_json(value: Any) -> Any:
    """Return a value of Parquet as Spark writes it in JSON."""
    if isinstance(value, datetime):
        plain = value if value.tzinfo is None else value.astimezone(UTC)
        return plain.isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else float(value)
