"""The sizes of a simulation, and what follows from them alone: days, extracts, cells, chunks.

A cell is the part of a group that is generated at once, a chunk the cells that share part files.
Both depend on the sizes only, so that the number of processes changes no byte. Times are whole
seconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from regesta.errors import InputError

DAY: Final = 86_400
HOUR: Final = 3_600
START: Final = 1_709_510_400
"""The first night: Monday, 4 March 2024."""

MOST_EXTRACTS: Final = 8
EPISODES_PER_CELL: Final = 2_500
EPISODES_PER_CHUNK: Final = 5_000
MOST_CHUNKS: Final = 16
MOST_QUESTIONS: Final = 20_000
LIMITS: Final = {"episodes": (1_000, 10_000_000), "groups": (1, 100_000), "nights": (1, 366)}


class Extract(NamedTuple):
    """A nightly extract of the accounts: the time it shows, and when it was delivered."""

    reference: int
    known: int


class CellPlan(NamedTuple):
    """One cell: its group, its number within the group, its rows and its questions."""

    group: int
    block: int
    episodes: int
    questions: int


class Chunk(NamedTuple):
    """The cells from `first` until before `last`, which are written to part files of one name."""

    first: int
    last: int

    @property
    def name(self) -> str:
        """Return the name of the part, which tells the cells it holds."""
        return f"part-{self.first:06d}-{self.last - 1:06d}"


@dataclass(frozen=True)
class Plan:
    """What was asked for: a seed and sizes. An episode is one row of the archive."""

    seed: int
    episodes: int
    groups: int
    nights: int

    def check(self) -> None:
        """Raise InputError for sizes that can't be simulated."""
        for name, (least, most) in LIMITS.items():
            asked = getattr(self, name)
            if not least <= asked <= most:
                raise InputError(
                    f"--{name} is {asked:,}; expected a number from {least:,} to {most:,}."
                )
        if self.episodes < self.groups:
            raise InputError(
                f"--episodes {self.episodes:,} can't fill --groups {self.groups:,}; ask for an "
                "episode per group or more."
            )

    @property
    def end(self) -> int:
        """Return the end of the last night."""
        return START + self.nights * DAY

    def group_episodes(self, group: int) -> int:
        """Return the rows of a group."""
        least, more = divmod(self.episodes, self.groups)
        return least + (group < more)

    def blocks(self, group: int) -> int:
        """Return the number of cells of a group."""
        return -(-self.group_episodes(group) // EPISODES_PER_CELL)

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        large = self.episodes % self.groups
        last = self.groups - 1
        return large * self.blocks(0) + (self.groups - large) * self.blocks(last)

    def cell(self, number: int) -> CellPlan:
        """Return the cell of a number, counted over all groups."""
        large, many = self.episodes % self.groups, self.blocks(0)
        if number < large * many:
            group, block = divmod(number, many)
        else:
            group, block = divmod(number - large * many, self.blocks(self.groups - 1))
            group += large
        least, more = divmod(self.group_episodes(group), self.blocks(group))
        return CellPlan(group, block, least + (block < more), self._questions(number))

    def _questions(self, number: int) -> int:
        total = min(MOST_QUESTIONS, 2 * self.episodes)
        return total * (number + 1) // self.cells - total * number // self.cells

    def chunks(self) -> list[Chunk]:
        """Return the parts in which the cells are written."""
        wanted = min(MOST_CHUNKS, -(-self.episodes // EPISODES_PER_CHUNK), self.cells)
        ends = [self.cells * number // wanted for number in range(wanted + 1)]
        return [Chunk(first, last) for first, last in pairwise(ends)]

    def extracts(self) -> list[Extract]:
        """Return the extracts, by the time they show; some are delivered days late."""
        count = min(self.nights, MOST_EXTRACTS)
        days = [number * (self.nights - 1) // max(count - 1, 1) for number in range(count)]
        delivered = dict(enumerate(days))
        if count >= 3:  # one comes after the next one
            late = 1 if count < 6 else 2
            delivered[late] = min(days[late + 1] + 2, self.nights - 1)
        if count >= 6:  # one comes late, but in its order
            delivered[4] = min(days[4] + 1, days[5])
        return [
            Extract(
                START + day * DAY + 2 * HOUR,
                START + delivered[number] * DAY + (3 if delivered[number] == day else 5) * HOUR,
            )
            for number, day in enumerate(days)
        ]


@lru_cache(maxsize=20_000)
def day_text(day: int) -> str:
    """Return the date of a day, counted since 1970."""
    return datetime.fromtimestamp(day * DAY, UTC).strftime("%Y-%m-%d")


def last_day(end: int | None) -> str | None:
    """Return the date of the last day before an end at midnight; None for none."""
    return None if end is None else day_text(end // DAY - 1)


def iso(second: int) -> str:
    """Return an instant as ISO 8601 in UTC."""
    day, rest = divmod(second, DAY)
    return f"{day_text(day)}T{rest // HOUR:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"
