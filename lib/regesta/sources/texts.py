"""Files of text, Markdown or HTML become one record per section (`cutting`).

    path, name, folder    as `files.place_in_archive` gives them
    title                 of the front matter, of the HTML, else the first heading, else the stem
    front_matter          the YAML before a text or a Markdown file, {} where there is none
    metadata              of HTML: meta elements by name, and `time`; else {}
    heading_path          the headings above the section, outermost first
    section               the section's key: its path and its number among those of the path
    start, end            characters into the file's text (of HTML: into the text that it shows)
    text                  these characters
    date                  of the front matter, of the metadata, of the name, or null

A declaration, conf/sources/handbook.yaml:

    source: handbook
    path: archive/handbook            # a folder, with all that lies below
    format: markdown                  # or text, html
    kind: text
    mode: interval                    # a section is an item; a changed one is a new version of it
    group: "'support'"
    source_id: join('#', [path, section])
    thread: path                      # the document
    content: text

Without a reference_time sections are said when they come. When a document comes again, what it has
no more is withdrawn (`documents`); a file that is deleted says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from regesta.sources.cutting import Mark, cut
from regesta.sources.html import read_html
from regesta.sources.parsed import BrokenTextError, ParsedRow, lenient_text, strict_text

_BOM: Final = "\ufeff"
_LINE: Final = re.compile(r"\r\n?|\n")
_FRONT: Final = re.compile(
    r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_DATE_KEYS: Final = (
    *("date", "dc.date", "dcterms.date", "article:published_time", "datepublished", "time"),
)
_ISO: Final = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?(?!\d)")
_DATE_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")


class _Document(NamedTuple):
    text: str
    marks: Sequence[Mark]
    front_matter: Mapping[str, Any]
    metadata: Mapping[str, str]
    title: str | None
    begins: int = 0


def text_rows(
    data: bytes, form: str, encoding: str, place: Mapping[str, str]
) -> Iterator[ParsedRow]:
    """Return the sections of one file, numbered from 1; a file that can't be read is one row.

    `form` is text, markdown or html.
    """
    try:
        document = _READ[form](strict_text(data, encoding).removeprefix(_BOM))
    except BrokenTextError as error:
        yield ParsedRow(1, None, lenient_text(data, encoding), str(error))
        return
    shared = {
        **{key: place[key] for key in ("path", "name", "folder")},
        "title": _title(document, place),
        "front_matter": document.front_matter,
        "metadata": document.metadata,
        "date": _date(document, place["name"]),
    }
    body = document.text[document.begins :]
    for number, section in enumerate(cut(body, document.marks), start=1):
        text = body[section.start : section.end]
        own = {
            "heading_path": list(section.heading_path),
            "section": section.key,
            "start": document.begins + section.start,
            "end": document.begins + section.end,
            "text": text,
        }
        yield ParsedRow(number, shared | own, text)


def _read_text(text: str) -> _Document:
    front_matter, begins = _front_matter(text)
    marks, blank, start = [], True, 0
    for line in _lines(text[begins:]):
        if blank and line.strip():
            marks.append(Mark(start))
        blank = not line.strip()
        start += len(line)
    return _Document(text, marks, front_matter, {}, None, begins)


def _read_markdown(text: str) -> _Document:
    front_matter, begins = _front_matter(text)
    body = text[begins:]
    starts = [0]
    for line in _lines(body):
        starts.append(starts[-1] + len(line))
    tokens = MarkdownIt("commonmark").parse(body)
    marks = [
        Mark(starts[token.map[0]], *_heading(token, tokens[number + 1 : number + 2]))
        for number, token in enumerate(tokens)
        if token.level == 0 and token.nesting >= 0 and token.map
    ]
    return _Document(text, marks, front_matter, {}, None, begins)


def _read_html(markup: str) -> _Document:
    text, blocks, title, metadata = read_html(markup)
    marks = [
        Mark(start, level, " ".join(text[start:end].split()) if level else "")
        for start, end, level in blocks
    ]
    return _Document(text, marks, {}, metadata, title)


_READ: Final = {"text": _read_text, "markdown": _read_markdown, "html": _read_html}


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends, as Markdown counts them."""
    start = 0
    for found in _LINE.finditer(text):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


def _heading(token: Token, following: Sequence[Token]) -> tuple[int | None, str]:
    if token.type != "heading_open":
        return None, ""
    children = following[0].children or [] if following else []
    shown = "".join(" " if "break" in child.type else child.content for child in children)
    return int(token.tag[1:]), " ".join(shown.split())


def _front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Return the YAML before a text, and where the text itself begins."""
    found = _FRONT.match(text)
    if found is None:
        return {}, 0
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(found[1])):
            raise BrokenTextError("broken front matter: it has aliases, which are not followed")
        value = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BrokenTextError):
            raise
        raise BrokenTextError(f"broken front matter: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        return {}, 0  # a rule, and another one further down
    return _plain(value), found.end()


def _plain(value: Any) -> Any:
    """Return a YAML value as JSON knows it; dates become ISO texts."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(entry) for entry in value]
    if isinstance(value, date):  # datetimes too
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _title(document: _Document, place: Mapping[str, str]) -> str:
    told = document.front_matter.get("title") or document.title
    headings = (mark.heading for mark in document.marks if mark.heading)
    return str(told) if told else next(headings, place["stem"])


def _date(document: _Document, name: str) -> str | None:
    if document.front_matter.get("date"):
        return str(document.front_matter["date"])
    metadata = (document.metadata.get(key, "") for key in _DATE_KEYS)
    return next((value for value in metadata if _ISO.match(value)), None) or _date_in_name(name)


def _date_in_name(name: str) -> str | None:
    for year, _, month, day in _DATE_IN_NAME.findall(name):
        try:
            return date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue
    return None
