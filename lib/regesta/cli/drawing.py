"""Periods of valid time, and sizes, drawn as bars for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regesta.query import Fact, show

WIDTH: Final = 40
_LABEL: Final = 32
_BARS: Final = " ▁▂▃▄▅▆▇█"
_LONGEST: Final = 24  # of a bar in a cell
_DAY: Final = 10  # characters of a date


def timeline(facts: Sequence[Fact], now: int) -> list[str]:
    """Return a line per fact with its period as a bar, then a line with the dates of both margins.

    `now` (microseconds) is the right margin, or the latest end after it. A bar begins with ├, or ┄
    where the start is not known, and ends with ┤, or ▶ where the fact still holds; ● is an event.
    """
    if not facts:
        return []
    starts = [fact.start for fact in facts]
    first = min(starts)
    ends = [fact.invalid_at for fact in facts if fact.invalid_at is not None]
    last = max([*starts, *ends, now, first + 1])
    labels = [f"{fact.relation} {fact.object or fact.value or ''}".strip() for fact in facts]
    wide = min(_LABEL, max(map(len, labels)))
    bars = (_bar(fact, first, last) for fact in facts)
    margins = show(first)[:_DAY].ljust(WIDTH - _DAY) + show(last)[:_DAY]
    drawn = [f"{_fitted(text, wide)}  {bar}" for text, bar in zip(labels, bars, strict=True)]
    return [*drawn, f"{'':{wide}}  {margins}"]


def _bar(fact: Fact, first: int, last: int) -> str:
    def column(time: int) -> int:
        return (time - first) * (WIDTH - 1) // (last - first)

    begin = column(fact.start)
    if fact.kind == "event":
        return " " * begin + "●"
    end = WIDTH - 1 if fact.invalid_at is None else column(fact.invalid_at)
    opening = "┄" if fact.valid_at is None else "├"
    closing = "▶" if fact.invalid_at is None else "┤"
    if end <= begin:
        return " " * begin + ("▶" if fact.invalid_at is None else "│")
    return " " * begin + opening + "─" * (end - begin - 1) + closing


def sparkline(sizes: Sequence[int]) -> str:
    """Return a bar per size, the longest for the largest and a blank for none."""
    most = max(sizes, default=0)
    return "".join(_BARS[-(-size * (len(_BARS) - 1) // most)] if most else " " for size in sizes)


def _fitted(text: str, wide: int) -> str:
    return text.ljust(wide) if len(text) <= wide else text[: wide - 1] + "…"


def bars(sizes: Sequence[int]) -> list[str]:
    """Return a horizontal bar per size, the longest for the largest and one for any but none."""
    most = max(sizes, default=0)
    return ["█" * -(-size * _LONGEST // most) if most else "" for size in sizes]
