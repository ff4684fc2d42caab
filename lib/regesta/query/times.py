"""Instants as people write them, to microseconds since 1970 in UTC and back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from regesta.query.errors import QueryError

Instant = str | datetime | int

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_REDUCED: Final = re.compile(r"(\d{4})(?:-(\d{2}))?")
_LENGTHS: Final = {"year": 4, "month": 7, "day": 10, "minute": 16, "second": 19, "microsecond": 26}
_COARSE: Final = ("year", "month", "day")


def to_micros(value: Instant) -> int:
    """Return microseconds since 1970; reduced precision ("2021", "2021-03") is its first instant.

    Times without a zone are UTC. Raises QueryError where `value` is no date.
    """
    if isinstance(value, int):
        return value
    moment = value if isinstance(value, datetime) else _parse(value.strip())
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


def _parse(text: str) -> datetime:
    reduced = _REDUCED.fullmatch(text)
    try:
        if reduced:
            return datetime(int(reduced[1]), int(reduced[2] or 1), 1, tzinfo=UTC)
        return datetime.fromisoformat(text)
    except ValueError:
        message = f"{text!r} is no date; write it as 2021, 2021-03, 2021-03-05 or 2021-03-05T10:30."
        raise QueryError(message) from None


def to_datetime(micros: int) -> datetime:
    """Return the UTC datetime of `micros`."""
    return _EPOCH + timedelta(microseconds=micros)


def show(micros: int, precision: str | None = None) -> str:
    """Return the date in its precision; without one, a time only where it isn't midnight."""
    text = to_datetime(micros).replace(tzinfo=None).isoformat(" ", "microseconds")
    return text[: _LENGTHS[precision or _natural(text)]]


def show_last(micros: int, precision: str | None = None) -> str:
    """Return an end in its precision: of a coarse one the last day, month or year that it holds.

    Coarse dates reach outwards, so "until 2021" ends with the first instant of 2022.
    """
    return show(micros - 1 if precision in _COARSE else micros, precision)


def _natural(text: str) -> str:
    if text.endswith("00:00:00.000000"):
        return "day"
    return "second" if text.endswith(".000000") else "microsecond"
