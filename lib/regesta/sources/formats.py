"""Bytes of a line or a file become records: JSON with doubled keys found, CSV, whole files."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, Final

from regesta.sources.compressed import contents
from regesta.sources.declaration import Source
from regesta.sources.expressions import compile_expression
from regesta.sources.files import place_in_archive
from regesta.sources.mailboxes import mailbox_rows
from regesta.sources.parsed import (
    LONGEST_RAW,
    BrokenTextError,
    ParsedRow,
    has_surrogates,
    lenient_text,
    strict_text,
)
from regesta.sources.texts import text_rows

_BOM: Final = "\ufeff"
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_UNDECODED: Final = re.compile("[\udc80-\udcff]")


class _Doubled(dict[str, Any]):
    """An object in which a key occurs twice."""

    key: str


def line_parser(encoding: str) -> Callable[[bytes], Any]:
    """Return the function from one line of JSON to its value; it raises BrokenTextError."""
    doubled: list[str] = []
    decode = _json_decoder(doubled)

    def parse(line: bytes) -> Any:
        doubled.clear()
        text = strict_text(line, encoding)
        value = _load(decode, text.removeprefix(_BOM))
        if doubled:
            raise BrokenTextError(f"duplicate key: {doubled[0]!r} occurs twice in one object")
        return value

    return parse


def file_rows(content: bytes, source: Source, path: str) -> Iterator[ParsedRow]:
    """Return the rows of the whole file at `path`, which may be compressed with gzip.

    A CSV row's number is that of the line on which it begins (the header is line 1); the number of
    a JSON record, a message or a section is its index in the file. A file that can't be read is one
    broken row; where it is damaged from some place on, the whole rows before it come first (not of
    a complete source: what the file lacks would count as ended).
    """
    problems: list[str] = []
    last = 0
    chunks = contents(content, problems, whole=source.complete)
    for row in _whole_rows(chunks, problems, source, path):
        last = row.number
        yield row
    for problem in problems:
        yield ParsedRow(last + 1, None, "", problem)


def _whole_rows(
    chunks: Iterator[bytes], problems: list[str], source: Source, path: str
) -> Iterator[ParsedRow]:
    if source.format == "mbox":
        return _messages(chunks, problems)
    data = b"".join(chunks)
    if source.format == "csv":
        whole = data[: data.rfind(b"\n") + 1] if problems else data
        return _csv_rows(whole, source)
    if problems:
        return iter(())
    if source.format == "json":
        return _json_rows(data, source)
    place = place_in_archive(path, source.path)
    return _without_half_characters(text_rows(data, source.format, source.encoding, place))


def _messages(chunks: Iterator[bytes], problems: list[str]) -> Iterator[ParsedRow]:
    """Return the messages of an mbox; the one that damage may have cut off is left out."""
    with tempfile.NamedTemporaryFile(suffix=".mbox") as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        yield from _without_half_characters(mailbox_rows(file.name, whole=not problems))


def _without_half_characters(rows: Iterator[ParsedRow]) -> Iterator[ParsedRow]:
    for row in rows:
        if row.reason is None and has_surrogates(row.record):
            reason = "wrong encoding: half a character (U+D800 to U+DFFF)"
            shown = row.raw.encode(errors="replace").decode()
            yield ParsedRow(row.number, None, shown, reason)
        else:
            yield row


def _json_decoder(doubled: list[str]) -> Callable[[str], Any]:
    """Return a JSON decoder that adds keys found twice in one object to `doubled`."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object of the JSON text, marked where it has a key twice."""
        built = dict(pairs)
        if len(built) == len(pairs):
            return built
        keys = [key for key, _ in pairs]
        marked = _Doubled(built)
        marked.key = next(key for key in keys if keys.count(key) > 1)
        doubled.append(marked.key)
        return marked

    decoder = json.JSONDecoder(object_pairs_hook=build, parse_constant=_refuse_constant)
    return decoder.decode


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _load(decode: Callable[[str], Any], text: str) -> Any:
    try:
        value = decode(text)
    except (ValueError, RecursionError) as error:
        raise BrokenTextError(f"broken JSON: {error}") from error
    if _ESCAPED_SURROGATE.search(text) and has_surrogates(value):
        raise BrokenTextError("wrong encoding: an escape names half a character (\\ud800-\\udfff)")
    return value


def _json_rows(data: bytes, source: Source) -> Iterator[ParsedRow]:
    doubled: list[str] = []
    try:
        value = _load(_json_decoder(doubled), strict_text(data, source.encoding).removeprefix(_BOM))
        records = _records(value, source)
    except ValueError as error:
        yield ParsedRow(1, None, lenient_text(data, source.encoding), str(error))
        return
    for number, record in enumerate(records, start=1):
        key = _doubled_key(record) if doubled else None
        reason = key and f"duplicate key: {key!r} occurs twice in one object"
        yield ParsedRow(number, record, json.dumps(record, ensure_ascii=False), reason)


def _records(value: Any, source: Source) -> list[Any]:
    if source.records is None:
        return value if isinstance(value, list) else [value]
    found = compile_expression(source.records)(value)
    if not isinstance(found, list):
        raise BrokenTextError(
            f"not a list: records ({source.records}) gives {type(found).__name__}"
        )
    return found


def _doubled_key(value: Any) -> str | None:
    if isinstance(value, _Doubled):
        return value.key
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((key for child in inner if (key := _doubled_key(child)) is not None), None)


def _csv_rows(data: bytes, source: Source) -> Iterator[ParsedRow]:
    text = data.decode(source.encoding, errors="surrogateescape").removeprefix(_BOM)
    lines = list(io.StringIO(text, newline=""))
    rows = _csv_cells(lines, source.delimiter)
    header: list[str] | None = None
    for number, cells, raw, problem in rows:
        if cells == []:
            continue
        if header is None and cells is not None:
            header = cells
            continue
        reason = problem or _cells_problem(header or [], cells or [], raw, source.encoding)
        record = None if reason else dict(zip(header or [], cells or [], strict=True))
        yield ParsedRow(number, record, _UNDECODED.sub("\ufffd", raw[:LONGEST_RAW]), reason)


def _cells_problem(header: list[str], cells: list[str], raw: str, encoding: str) -> str | None:
    if not raw.isascii() and _UNDECODED.search(raw):
        return f"wrong encoding: not {encoding}"
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        return f"duplicate key: the header names the column {twice!r} twice"
    if len(cells) != len(header):
        return f"wrong number of cells: {len(cells)}, the header has {len(header)}"
    return None


def _csv_cells(
    lines: list[str], delimiter: str
) -> Iterator[tuple[int, list[str] | None, str, str | None]]:
    """Return line number, cells, text and problem of each record.

    A record whose quote is never closed would swallow the rest of the file: only its first line is
    given up, and reading goes on with the next.
    """
    csv.field_size_limit(2**31 - 1)
    start = 0
    while start < len(lines):
        offset, reader = start, csv.reader(iter(lines[start:]), delimiter=delimiter, strict=True)
        while True:
            try:
                cells, problem = next(reader), None
            except StopIteration:
                return
            except csv.Error as error:
                cells, problem = None, f"broken CSV: {error}"
            end = offset + reader.line_num
            if problem and "end of data" in problem:
                yield start + 1, None, lines[start], "broken CSV: a quote is never closed"
                start += 1
                break
            yield start + 1, cells, "".join(lines[start:end]), problem
            start = end
