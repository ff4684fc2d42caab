"""Days, months and years that a question names: "in March 2024", "on 5 June", "2023-11-02"."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from regesta.query.group import Mask

_MONTHS: Final = {name: number for number, name in enumerate(month_name) if name}
_NUMBERS: Final = {
    name.casefold(): number
    for names in (month_name, month_abbr, ("", *[""] * 8, "Sept"))
    for number, name in enumerate(names)
    if name
}
_MONTH: Final = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_NAMED: Final = re.compile(
    rf"""\b(?:
    (?P<y1>\d{{4}})-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?
    | (?P<d2>{_DAY})(?:\ of)?\ (?P<m2>{_MONTH})\b\.?(?:,?\ (?P<y2>\d{{4}}))?
    | (?P<m3>{_MONTH})\b\.?(?:\ (?P<d3>{_DAY}))?(?:,?\ (?P<y3>\d{{4}}))?
    | (?P<y4>(?:19|20)\d\d)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGITS: Final = re.compile(r"\d+")


class NamedTime(NamedTuple):
    """A time as far as it was named; without a year it is that day or month of every year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def holds(self, moments: npt.NDArray[Any]) -> Mask:
        """Return which of the moments (int64, microseconds) it holds, in UTC."""
        found = np.zeros(len(moments), bool)
        for year in [self.year] if self.year is not None or not len(moments) else _years(moments):
            first, last = self._span(year)
            found |= (first <= moments) & (moments < last)
        return found

    def _span(self, year: int | None) -> tuple[int, int]:
        """Return the microseconds from which and before which it is; of no such day, nothing."""
        parts = (f"{year:04}", *(f"{part:02}" for part in (self.month, self.day) if part))
        try:
            named = np.datetime64("-".join(parts))  # as precise as it is written
        except ValueError:
            return 0, 0
        first, last = ((named + more).astype("datetime64[us]").astype(int) for more in (0, 1))
        return int(first), int(last)


def _years(moments: npt.NDArray[Any]) -> range:
    ends = np.array([moments.min(), moments.max()], "datetime64[us]").astype("datetime64[Y]")
    first, last = (ends.astype(int) + 1970).tolist()
    return range(first, last + 1)


def named_times(text: str) -> list[NamedTime]:
    """Return the times that a text names, in English or as ISO 8601 writes dates.

    A month alone must be written in full with a capital letter and not open the text, as "May" may.
    """
    return list(_named_times(text))


def _named_times(text: str) -> Iterator[NamedTime]:
    for match in _NAMED.finditer(text):
        parts = {name[0]: value for name, value in match.groupdict().items() if value}
        if set(parts) == {"m"} and (parts["m"] not in _MONTHS or match.start() == 0):
            continue
        yield NamedTime(_number(parts.get("y")), _month(parts.get("m")), _number(parts.get("d")))


def _month(written: str | None) -> int | None:
    return None if written is None else _NUMBERS.get(written.casefold()) or int(written)


def _number(written: str | None) -> int | None:
    return None if written is None else int(_DIGITS.findall(written)[0])
