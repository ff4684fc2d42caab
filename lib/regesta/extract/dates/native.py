"""Duckling, compiled for Python: the expressions that need no rule of ours, and times of day."""

from __future__ import annotations

import calendar
import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from regesta.errors import SetupError
from regesta.extract.dates.calendar import DAY, SUB_DAY, Grain, Span, shifted

_GRAINS: Final[dict[str, Grain]] = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
}


FEAST: Final = re.compile(
    r"\b(?:christmas|xmas|easter|halloween|thanksgiving|new year|eve\b|ramadan|eid|hanukkah|diwali"
    r"|passover|lent\b|pentecost|carnival|epiphany|kwanzaa|black friday|cyber monday"
    r"|(?:labou?r|independence|memorial|veterans'?|mother'?s|father'?s|valentine'?s|women'?s"
    r"|columbus|boxing|groundhog|earth|presidents?'?|patrick'?s|bastille|mlk|king) day\b)",
    re.IGNORECASE,
)
"""Feasts, whose dates only Duckling knows."""
_NEEDED: Final = re.compile(
    rf"{FEAST.pattern}|\d\s?[ap]\.?\s?m\b|\d[:.]\d\d(?!\d)|\d\s?h\b|clock|\bat\s+(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|noon|midnight|morning"
    r"|afternoon|evening|night|eod|hour|minute|half past|past \w|quarter to",
    re.IGNORECASE,
)
"""What is read by Duckling; the rest needs none."""


class Atom(NamedTuple):
    """An expression that Duckling found; `start` and `end` are None where it is open."""

    begin: int
    stop: int
    start: datetime | None
    end: datetime | None
    grain: Grain
    is_range: bool


class _Native(NamedTuple):
    parse: Any
    ref_time: Any
    context: Any
    zones: Any
    locale: Any
    dimensions: Any


@cache
def _native() -> _Native:
    try:
        import duckling  # noqa: PLC0415
    except ImportError as error:
        raise SetupError(
            "Dates in texts need Duckling, which is not installed: pip install 'regesta[text]'"
        ) from error
    language = duckling.parse_lang("EN")
    return _Native(
        duckling.parse,
        duckling.parse_ref_time,
        duckling.Context,
        duckling.load_time_zones(_zones()),
        duckling.parse_locale("EN_US", duckling.default_locale_lang(language)),
        duckling.parse_dimensions(["time"]),
    )


def _zones() -> str:
    """The zones that the interpreter's own package brings: the same on every machine."""
    import tzdata  # noqa: PLC0415

    return str(Path(tzdata.__file__).parent / "zoneinfo")


def atoms(text: str, reference: datetime) -> list[Atom]:
    """Return the expressions in a text, by their places; times are local, without zone.

    A text without feasts and times of day, which our rules read alone, has none.
    """
    return all_atoms(text, reference) if _NEEDED.search(text) else []


def all_atoms(text: str, reference: datetime) -> list[Atom]:
    """Return all that Duckling finds in a text.

    Raises:
        SetupError: Duckling is not installed.
    """
    native = _native()
    seconds = calendar.timegm(reference.timetuple())
    context = native.context(native.ref_time(native.zones, "UTC", seconds), native.locale)
    whole = text.replace("\0", " ")  # it would end the text there
    found = native.parse(whole, context, native.dimensions, False)
    return [atom for one in found if (atom := _atom(one)) is not None]


def _atom(one: dict[str, Any]) -> Atom | None:
    value = one["value"]
    place = one["start"], one["end"]
    if value["type"] == "value":
        span = _span(value)
        return Atom(*place, span.start, span.end, span.grain, is_range=False)
    start, end = (None if bound is None else _moment(bound["value"]) for bound in _bounds(value))
    grain = _GRAINS[next(bound for bound in _bounds(value) if bound is not None)["grain"]]
    return Atom(*place, start, end, grain, is_range=True)


def _bounds(value: dict[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    return value.get("from"), value.get("to")


def _span(value: dict[str, Any]) -> Span:
    start, grain = _moment(value["value"]), _GRAINS[value["grain"]]
    if grain in SUB_DAY:
        return Span(start, start, grain)
    return Span(start, start + DAY if grain == "day" else shifted(start, 1, grain), grain)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text[:19])
