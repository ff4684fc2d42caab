"""Conditions on stamps, as people write them: "valid_at >= 2024 and invalid_at is empty or ..."."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from regesta.query.errors import QueryError
from regesta.query.layout import FOREVER
from regesta.query.times import to_micros

Array = npt.NDArray[Any]
Stamp = Literal["valid_at", "invalid_at", "created_at", "expired_at"]
STAMPS: Final[tuple[Stamp, ...]] = get_args(Stamp)

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "=": operator.eq,
}
_EMPTY: Final = re.compile(r"(\w+)\s+is\s+(not\s+)?empty", re.IGNORECASE)
_COMPARED: Final = re.compile(r"(\w+)\s*(<=|<|>=|>|=)\s*(\S+)")
_OR: Final = re.compile(r"\s+or\s+", re.IGNORECASE)
_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True)
class _Condition:
    """One comparison; without an operator, whether the stamp is absent."""

    stamp: Stamp
    operator: str | None
    value: int

    def holds(self, moments: Array) -> Array:
        absent = moments == FOREVER
        if self.operator is None:
            return np.asarray(absent if self.value else ~absent)
        return np.asarray(~absent & _OPERATORS[self.operator](moments, self.value))


@dataclass(frozen=True)
class StampCondition:
    """Conditions joined by "and", these joined by "or"; an absent stamp satisfies no comparison."""

    text: str
    alternatives: tuple[tuple[_Condition, ...], ...]

    @property
    def stamps(self) -> set[Stamp]:
        """Return the stamps that it looks at."""
        return {each.stamp for alternative in self.alternatives for each in alternative}

    def holds(self, moments: Mapping[Stamp, Array]) -> Array:
        """Return which rows satisfy it; stamps are microseconds, FOREVER where absent."""
        found = [
            np.logical_and.reduce([each.holds(moments[each.stamp]) for each in alternative])
            for alternative in self.alternatives
        ]
        return np.asarray(np.logical_or.reduce(found))


def parse_condition(text: str) -> StampCondition:
    """Read a condition: stamp, one of < <= = >= >, a date; or stamp "is [not] empty".

    "and" binds closer than "or". A coarse date is its first instant. Raises QueryError.
    """
    alternatives = (_AND.split(each) for each in _OR.split(text.strip()))
    return StampCondition(text, tuple(tuple(map(_condition, each)) for each in alternatives))


def _condition(text: str) -> _Condition:
    if found := _EMPTY.fullmatch(text.strip()):
        return _Condition(_stamp(found[1]), None, 0 if found[2] else 1)
    if found := _COMPARED.fullmatch(text.strip()):
        return _Condition(_stamp(found[1]), found[2], to_micros(found[3]))
    raise QueryError(
        f"{text!r} is no condition on a date; write it as `valid_at >= 2024-03-01` or "
        "`invalid_at is empty`, and join several by `and` and `or`."
    )


def _stamp(name: str) -> Stamp:
    for stamp in STAMPS:
        if stamp == name.lower():
            return stamp
    raise QueryError(f"There is no stamp {name!r}; there are {', '.join(STAMPS)}.")
