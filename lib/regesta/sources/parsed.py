"""What every format gives: rows with a record or a reason, and texts from bytes."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

LONGEST_RAW: Final = 10_000
"""Characters of a rejected row that are kept."""


class ParsedRow(NamedTuple):
    """A record with its number in its file, or the reason why there is none."""

    number: int
    record: Any
    raw: str
    reason: str | None = None


class BrokenTextError(ValueError):
    """A text is no record; its text is the reason."""


def lenient_text(raw: bytes, encoding: str) -> str:
    """Return what can be shown of a rejected row: undecodable bytes replaced, the rest cut."""
    return raw[: 4 * LONGEST_RAW].decode(encoding, errors="replace")[:LONGEST_RAW]


def strict_text(data: bytes, encoding: str) -> str:
    """Return the text of bytes; raises BrokenTextError that names the first wrong byte."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise BrokenTextError(
            f"wrong encoding: not {encoding} at byte {error.start + 1} ({error.reason})"
        ) from error


def has_surrogates(value: Any) -> bool:
    """Tell whether a text in a JSON value holds half a character, which no encoding knows."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False
