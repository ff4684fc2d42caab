"""A text as sentences, with their characters in it. Whatever the text, the work is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST_SENTENCE: Final = 600
"""Longer ones are tables, logs, code: nobody states a fact in them."""
LONGEST_TEXT: Final = 100_000
"""What lies behind is not read; a section of a document has 4,000 characters."""

_END: Final = re.compile(
    r"(?<=[.!?\u2026])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bInc\.)(?<!\bCo\.)(?<!\bLtd\.)"
    r"(?<!\bNo\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\b[A-Z]\.)[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]*[^\s\"'\u201c\u2018(\[])"
    r"|\s*\n\s*"
)
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_NO_PROSE: Final = re.compile(
    r"[{}<>|=\\;].*[{}<>|=\\;]|^\s*(?:at\s+[\w.$]+\(|File \"|Traceback|[A-Z]+\s*\["
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
)
_LETTERS: Final = re.compile(r"[A-Za-z]{2,}")


class Sentence(NamedTuple):
    """A sentence: its text and where it begins in the content, in characters."""

    text: str
    begin: int


def sentences(content: str, begin: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences of a part of a text; code, markup, logs and long ones are left out."""
    end = min(end, begin + LONGEST_TEXT)
    part = _CODE.sub(lambda found: "\n" * len(found[0]), content[begin:end])
    start = 0
    for found in _END.finditer(part):
        yield from _kept(part, start, found.start(), begin)
        start = found.end()
    yield from _kept(part, start, len(part), begin)


def _kept(part: str, start: int, stop: int, offset: int) -> Iterator[Sentence]:
    text = part[start:stop]
    bare = text.strip()
    if not bare or len(bare) > LONGEST_SENTENCE or _NO_PROSE.search(bare):
        return
    if len(_LETTERS.findall(bare)) < 2:
        return
    yield Sentence(bare, offset + start + text.index(bare))
