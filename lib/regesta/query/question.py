"""What a search asks of one scope of one group, and how a method answers: the plug of the methods.

A method takes a `Question` and gives a `Ranked`: candidates among the rows that the mask lets
through, best first. Methods are registered in `regesta.query.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from regesta.query.analysis import terms
from regesta.query.bm25 import DECIMALS
from regesta.query.group import Mask, View

if TYPE_CHECKING:
    from regesta.query.vectors import QueryEncoder

Scope = Literal["facts", "entities", "communities", "episodes"]
Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class Asked:
    """The words of a question, shared by all groups and scopes that are asked.

    `encoder` makes a vector of them; it is absent where the snapshot has none.
    """

    text: str
    encoder: QueryEncoder | None = None

    @cached_property
    def terms(self) -> list[str]:
        """Return the terms of the text."""
        return terms(self.text)


class Ranked(NamedTuple):
    """Rows, counted from the group's first, and their scores, best first.

    Equal scores share a rank.
    """

    rows: Numbers
    scores: Numbers

    @property
    def ranks(self) -> Numbers:
        """Return the rank of each row from 1; after two that share the first comes the third."""
        return np.searchsorted(-self.scores, -self.scores, side="left") + 1


@dataclass(frozen=True)
class Origins:
    """Where a walk begins: rows of entities and episodes, from the group's first."""

    entities: Sequence[int] = ()
    episodes: Sequence[int] = ()

    def joined(self, other: Origins) -> Origins:
        """Return both together."""
        return Origins((*self.entities, *other.entities), (*self.episodes, *other.episodes))

    def __bool__(self) -> bool:
        return bool(self.entities or self.episodes)


@dataclass(frozen=True)
class Question:
    """What one scope of one group is asked. No row outside `mask` may be among the answers.

    `limit` is the number of candidates that a method gives at most, `hops` how far a walk goes,
    `origins` where it begins if the asker said so, `center` what distance is measured from, `found`
    what the methods before it gave.
    """

    view: View
    scope: Scope
    mask: Mask
    asked: Asked
    limit: int
    hops: int = 2
    origins: Origins = field(default_factory=Origins)
    center: Origins = field(default_factory=Origins)
    found: Mapping[str, Ranked] = field(default_factory=dict)


Method = Callable[[Question], Ranked]


def ranked(rows: Numbers, scores: Numbers, limit: int) -> Ranked:
    """Return the best `limit` rows; ties go to the earlier row, which is the lower id."""
    rounded = np.round(np.asarray(scores, np.float64), DECIMALS)
    rows = np.asarray(rows, np.int64)
    if len(rows) > limit > 0:
        # From the front: numpy takes up to twenty times longer where the greatest are alike.
        least = -np.partition(-rounded, limit - 1)[limit - 1]
        keep = rounded >= least
        rows, rounded = rows[keep], rounded[keep]
    order = np.lexsort((rows, -rounded))[:limit]
    return Ranked(rows[order], rounded[order])
