"""Values of a parsed record: their text, what is empty, what is unknown, and where they stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring as encode_text
from typing import Any

from regesta.sources.expressions import PLAIN_PATH
from regesta.sources.records import canonical_json

Record = Mapping[str, Any]


def literal(value: Any) -> str | None:
    """Return a value's text: strings stripped, the rest as JSON; None for null and empty text."""
    if isinstance(value, str):
        return value.strip() or None
    return None if value is None else canonical_json(value)


def quoter(expression: str) -> Callable[[str, Any, str | None], tuple[int, int]]:
    """Return the function that finds where in a content the value of an expression stands.

    It takes the content, the value and the text of the list element that the record is seen
    through. A plain path is found with its key; what can't be found is quoted as the element, else
    as the whole content.
    """
    plain = PLAIN_PATH.fullmatch(expression) is not None
    key = json.dumps(expression.rsplit(".", 1)[-1]) + ": "

    def quote(content: str, value: Any, within: str | None) -> tuple[int, int]:
        """Return start and end of the words in `content`, in characters."""
        begin, end = 0, len(content)
        if within is not None:
            begin = content.find(within)
            if begin < 0:
                return 0, end
            end = begin + len(within)
        if plain:
            fragment = key + (
                encode_text(value) if isinstance(value, str) else canonical_json(value)
            )
            found = content.find(fragment, begin, end)
            if found >= 0:
                return found, found + len(fragment)
        return begin, end

    return quote
