"""Files that may be compressed with gzip, and read as far as they are whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

_MAGIC: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 16
_GZIP_WINDOW: Final = 31


def contents(content: bytes, problems: list[str], *, whole: bool = False) -> Iterator[bytes]:
    """Yield what a file holds, uncompressed, in chunks.

    Where the file is damaged this ends, and `problems` gets the reason with how far it was read.
    With `whole` nothing is given of a damaged file.
    """
    if whole:
        for _ in _chunks(content, problems):
            pass
    if not problems:
        yield from _chunks(content, problems)


def _chunks(content: bytes, problems: list[str]) -> Iterator[bytes]:
    if not content.startswith(_MAGIC):
        yield content
        return
    read, rest = 0, memoryview(content)
    while bytes(rest[:2]) == _MAGIC:
        member = zlib.decompressobj(_GZIP_WINDOW)
        while rest and not member.eof:
            given, rest = bytes(rest[:_CHUNK]), rest[_CHUNK:]
            try:
                chunk = member.decompress(given)
            except zlib.error as error:
                problems.append(f"broken gzip: {error}, after {read:,} bytes of text")
                return
            read += len(chunk)
            yield chunk
        if not member.eof:
            problems.append(f"broken gzip: it ends early, after {read:,} bytes of text")
            return
        used = len(content) - len(rest) - len(member.unused_data)
        rest = memoryview(content)[used:]
    if bytes(rest).strip(b"\0"):
        problems.append(f"broken gzip: no gzip follows after {read:,} bytes of text")


def whole_lines(content: bytes, problems: list[str], *, whole: bool = False) -> Iterator[bytes]:
    """Yield the lines of a file without their ends; a line cut off by damage is left out."""
    held: list[bytes] = []
    for chunk in contents(content, problems, whole=whole):
        first, *others = chunk.split(b"\n")
        held.append(first)
        if others:
            yield b"".join(held)
            yield from others[:-1]
            held = [others[-1]]
    last = b"".join(held)
    if last and not problems:
        yield last
