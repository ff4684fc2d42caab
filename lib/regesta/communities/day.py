"""Of which day communities are: the present, or a valid day of the past beside it."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from regesta.context import StepContext
from regesta.ids import digest_column


@dataclass(frozen=True)
class Day:
    """A batch's communities of one day: what stood of them before, where steps are staged.

    `valid_on`: the valid time in microseconds of a day of the past, None for the present.
    """

    context: StepContext
    valid_on: int | None = None

    @property
    def valid(self) -> Column:
        """The valid time at which facts count."""
        if self.valid_on is None:
            return self.context.batch.known_at_column
        return F.timestamp_micros(F.lit(self.valid_on))

    @property
    def step(self) -> str:
        """Where what is computed on the way is staged."""
        return "communities" if self.valid_on is None else f"communities/day_{self.valid_on}"

    def stage(self, name: str, rows: DataFrame) -> DataFrame:
        """Write rows once and return them as read back."""
        return self.context.stage(self.step, name, rows)

    def open_before(self, table: str) -> DataFrame:
        """Return the rows of this day that were open when the last whole batch ended."""
        rows = self.context.warehouse.open_before(table)
        valid_on = F.col("valid_on")
        return rows.where(valid_on.isNull() if self.valid_on is None else valid_on == self.valid)

    def digest(self, kind: str, *parts: Column) -> Column:
        """Return an id of what this batch makes of this day."""
        of_day = () if self.valid_on is None else (self.valid_on,)
        return digest_column(self.context.salt, kind, *parts, self.context.batch.known_at, *of_day)

    def stamps(self) -> tuple[Column, ...]:
        """Return valid_on, created_at and expired_at of rows that this batch opens."""
        none = F.lit(None).cast("timestamp")
        return (
            (none if self.valid_on is None else self.valid).alias("valid_on"),
            self.context.batch.known_at_column.alias("created_at"),
            none.alias("expired_at"),
        )
