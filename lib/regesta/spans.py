"""The parts of a message, as they are kept beside its text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

Part = Literal["own", "quoted", "signature"]
PARTS: Final[tuple[Part, ...]] = ("own", "quoted", "signature")


class Span(NamedTuple):
    """Characters `start` to `end` of a message and what they are."""

    part: Part
    start: int
    end: int


def spans_text(spans: Sequence[Span]) -> str:
    """Return spans as JSON: {"own": [[start, end], ...], "quoted": ..., "signature": ...}."""
    found: dict[Part, list[tuple[int, int]]] = {part: [] for part in PARTS}
    for span in spans:
        found[span.part].append((span.start, span.end))
    return json.dumps(found, separators=(",", ":"))


def own_parts(content: str, spans: str | None) -> list[tuple[int, int]]:
    """Return where the writer's own words stand; all of `content` where no spans are known."""
    if spans is None:
        return [(0, len(content))]
    return [(start, end) for start, end in json.loads(spans)["own"]]


def own_words(content: str, spans: str | None) -> str:
    """Return the writer's own words; all of `content` where no spans (`spans_text`) are known."""
    if spans is None:
        return content
    parts = own_parts(content, spans)
    return "\n".join(content[start:end].strip() for start, end in parts).strip()


def own_words_in_place(content: str, spans: str | None) -> str:
    """Return `content` with all but the writer's own words blanked, so that places stay."""
    if spans is None:
        return content
    kept = [" "] * len(content)
    for start, end in own_parts(content, spans):
        kept[start:end] = content[start:end]
    return "".join(kept)
