"""Texts and numbers become instants with a precision.

An instant is a count of microseconds since 1970 in UTC. A coarse date stands for its first instant;
`last_instant` gives the end of what it covers.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

from regesta.model import Precision

Instant = tuple[int, Precision]
"""Microseconds since 1970 in UTC, and the grain in which the time was given."""

LATEST: Final = 253_402_300_799_999_999
"""The last microsecond of the year 9999, where an end reaches beyond what a time can hold."""

DAY_OR_COARSER: Final[frozenset[Precision]] = frozenset({"year", "month", "day"})
"""Precisions in which an end, told inclusively, is meant to its last instant."""

_DAY: Final = 86_400_000_000
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_UNKNOWN_DATES: Final = frozenset({(9999, 12, 31), (1900, 1, 1)})
_SPAN: Final = {"minute": 60_000_000, "second": 1_000_000, "microsecond": 1}
_ISO: Final = re.compile(
    r"(\d{4})(?:-?(?P<month>\d\d)(?:-?(?P<day>\d\d)"
    r"(?P<time>[T ]\d\d(?::?\d\d(?P<second>:?\d\d(?P<fraction>[.,]\d+)?)?)?"
    r"\s?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"-?\d{9,17}(?:\.\d+)?")
_GRAINS: Final[tuple[tuple[str, Precision], ...]] = (
    ("f", "microsecond"),
    ("ScX", "second"),
    ("MHI", "minute"),
    ("djx", "day"),
    ("mbB", "month"),
)


class TimeForm(Protocol):
    """How a time is written: strptime formats (none: ISO 8601 or epoch) and the zone it lacks."""

    @property
    def format(self) -> tuple[str, ...]: ...

    @property
    def zone(self) -> str: ...


def parse_time(value: Any, form: TimeForm) -> Instant | None:
    """Return the instant and precision that `value` tells, or None where it tells none.

    Texts are read by the formats of `form`, tried in order, else as ISO 8601, which may be reduced
    to minutes, days, months or a year; digits without separators are a year (4), a day (8) or an
    epoch (9 and more). Numbers are epoch seconds, milliseconds (from 10**11) or microseconds (from
    10**14), or a year (1000 to 9999). Null, empty texts, 9999-12-31 and 1900-01-01 are unknown.

    A time without offset is in the zone of `form`. A local time that occurs twice is taken as the
    first; one that a change of clocks skips is moved forward by the length of the gap.

    Raises ValueError with the text for what is no possible time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return _parse_text(value, form.format, form.zone)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a time, not {value!r}")
    return _parse_number(value, form.zone)


def last_instant(micros: int, precision: Precision, zone: str = "UTC") -> int:
    """Return the first instant after what a time of this precision covers."""
    if precision in _SPAN:
        return min(micros + _SPAN[precision], LATEST)
    start = _local(micros, zone).date()
    if precision == "year" and start.year < date.max.year:
        return _midnight(date(start.year + 1, 1, 1), zone)
    if precision == "month" and (start.year, start.month) < (date.max.year, date.max.month):
        following = start.replace(day=28) + timedelta(days=4)
        return _midnight(following.replace(day=1), zone)
    if precision == "day" and start < date.max:
        return _midnight(start + timedelta(days=1), zone)
    return LATEST


def iso_text(micros: int) -> str:
    """Return an instant as ISO 8601 in UTC, without a fraction where there is none."""
    moment = datetime(1970, 1, 1) + timedelta(microseconds=micros)
    return moment.isoformat() + "Z"


@lru_cache(maxsize=65536)
def _parse_text(text: str, formats: tuple[str, ...], zone: str) -> Instant | None:
    stripped = text.strip()
    if not stripped:
        return None
    if formats:
        return _by_formats(stripped, formats, zone)
    found = _ISO.fullmatch(stripped)
    if found is not None:
        return _by_iso(stripped, found, zone)
    if _NUMBER.fullmatch(stripped):
        return _parse_number(float(stripped) if "." in stripped else int(stripped), zone)
    raise ValueError(f"no possible time: {text!r}; expected ISO 8601 or an epoch number")


def _by_iso(text: str, found: re.Match[str], zone: str) -> Instant | None:
    try:
        if found["day"] is None:
            year, month = int(found[1]), int(found["month"] or 1)
            grain: Precision = "year" if found["month"] is None else "month"
            return _instant(datetime(year, month, 1), grain, zone)
        moment = datetime.fromisoformat(
            text.replace(",", ".").replace(" ", "T", 1).replace(" ", "")
        )
    except ValueError as error:
        raise ValueError(f"no possible time: {text!r} ({error})") from error
    return _instant(moment, _iso_grain(found), zone)


def _iso_grain(found: re.Match[str]) -> Precision:
    if found["time"] is None:
        return "day"
    if found["second"] is None:
        return "minute"
    return "second" if found["fraction"] is None else "microsecond"


def _by_formats(text: str, formats: tuple[str, ...], zone: str) -> Instant | None:
    for pattern in formats:
        try:
            moment = datetime.strptime(text, pattern)
        except ValueError:
            continue
        return _instant(moment, _format_grain(pattern), zone)
    raise ValueError(f"no possible time: {text!r}; expected {' or '.join(formats)}")


def _format_grain(pattern: str) -> Precision:
    codes = set(re.findall(r"%([A-Za-z])", pattern))
    return next((grain for letters, grain in _GRAINS if codes & set(letters)), "year")


def _parse_number(number: float, zone: str) -> Instant | None:
    if isinstance(number, int) and 1000 <= number <= date.max.year:
        return _instant(datetime(number, 1, 1), "year", zone)
    size = abs(number)
    factor = 1_000_000 if size < 10**11 else 1_000 if size < 10**14 else 1
    try:
        micros = number * factor if isinstance(number, int) else round(number * factor)
        moment = datetime(1970, 1, 1) + timedelta(microseconds=micros)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"no possible time: {number!r}") from error
    if (moment.year, moment.month, moment.day) in _UNKNOWN_DATES:
        return None
    return micros, "second" if micros % 1_000_000 == 0 else "microsecond"


def _instant(moment: datetime, grain: Precision, zone: str) -> Instant | None:
    if (moment.year, moment.month, moment.day) in _UNKNOWN_DATES:
        return None
    if moment.tzinfo is None and zone != "UTC":
        moment = moment.replace(tzinfo=_zone(zone))
    return _micros(moment), grain


def _micros(moment: datetime) -> int:
    days = moment.toordinal() - _EPOCH_DAY
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    local = days * _DAY + seconds * 1_000_000 + moment.microsecond
    offset = moment.utcoffset()
    return local if not offset else local - offset // timedelta(microseconds=1)


def _midnight(day: date, zone: str) -> int:
    return _micros(datetime(day.year, day.month, day.day, tzinfo=_zone(zone)))


def _local(micros: int, zone: str) -> datetime:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)).astimezone(
        _zone(zone)
    )


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
