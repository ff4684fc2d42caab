"""A long text becomes sections: by headings, then by paragraphs, up to a length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

LONGEST_SECTION: Final = 4_000
"""Characters; a section that would be longer is cut between paragraphs, a paragraph at a line's, a
sentence's or a word's end."""

_ENDS: Final = (("\n",), (". ", "! ", "? "), (" ", "\t"))


class Mark(NamedTuple):
    """Where a block begins; of a heading also its level (from 1) and text."""

    start: int
    level: int | None = None
    heading: str = ""


class Section(NamedTuple):
    """Characters `start` to `end` of a text, below the headings of its path.

    `key` is the path and the number among the sections of that path: it stays when others change.
    """

    heading_path: tuple[str, ...]
    key: str
    start: int
    end: int


def cut(text: str, marks: Sequence[Mark], *, longest: int = LONGEST_SECTION) -> list[Section]:
    """Return the sections of `text`, in order.

    `marks` are in order of their starts. Everything but white space is in one section, in one only;
    a text of nothing else is one empty section.
    """
    numbers: Counter[str] = Counter()
    sections = []
    for path, starts, end in _under_headings(text, marks):
        for piece_start, piece_end in _pieces(text, starts, end, longest):
            name = "/".join(path)
            numbers[name] += 1
            sections.append(Section(path, f"{name}#{numbers[name]}", piece_start, piece_end))
    return sections or [Section((), "#1", len(text), len(text))]


def _under_headings(
    text: str, marks: Sequence[Mark]
) -> Iterator[tuple[tuple[str, ...], list[int], int]]:
    """Yield heading path, starts of blocks and end of what stands under one heading."""
    above: list[Mark] = []
    starts: list[int] = [0]
    for mark in marks:
        if mark.level is None:
            starts.append(mark.start)
            continue
        yield _path(above), starts, mark.start
        above = [each for each in above if (each.level or 0) < mark.level] + [mark]
        starts = [mark.start]
    yield _path(above), starts, len(text)


def _path(above: Sequence[Mark]) -> tuple[str, ...]:
    return tuple(mark.heading for mark in above)


def _pieces(text: str, starts: Sequence[int], end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of what fits together, without the white space around it."""
    piece: tuple[int, int] | None = None
    for block_start, block_end in zip(starts, [*starts[1:], end], strict=True):
        for start, stop in _shortened(text, *_trimmed(text, block_start, block_end), longest):
            if piece is not None and stop - piece[0] > longest:
                yield piece
                piece = None
            piece = (start if piece is None else piece[0], stop)
    if piece is not None:
        yield piece


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    block = text[start:end]
    return start + len(block) - len(block.lstrip()), start + len(block.rstrip())


def _shortened(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a block whole, or in parts of `longest` characters at most."""
    while end - start > longest:
        stop = _break(text, start, longest)
        yield _trimmed(text, start, stop)
        start = _trimmed(text, stop, end)[0]
    if start < end:
        yield start, end


def _break(text: str, start: int, longest: int) -> int:
    least = start + max(longest // 2, 1)
    for ends in _ENDS:
        found = max(text.rfind(end, least, start + longest + 1) + len(end) for end in ends)
        if found > least:
            return min(found, start + longest)
    return start + longest
