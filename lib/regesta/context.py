"""What every step of a batch is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from regesta import model
from regesta.ontology import Ontology
from regesta.parallel import together
from regesta.warehouse.warehouse import Warehouse

EXPLAINED = ("expiry_reason", "expired_by", "expired_by_episode", "expired_by_fact")
Counts = Mapping[str, int]
Report = Callable[[str], None]


@dataclass(frozen=True)
class Changes:
    """Rows of a table to close (row_id, expired_at and what the rows held) and whole rows to open.

    Of statements and facts, the rows to close have `EXPLAINED` as well: why, and by what.
    """

    closing: DataFrame
    opening: DataFrame


@dataclass(frozen=True)
class Batch:
    """One run over newly arrived episodes; times are microseconds since 1970 in UTC.

    `previous_known_at` is the known_at of the last whole batch, None in a first one.
    """

    number: int
    known_at: int
    previous_known_at: int | None = None

    @property
    def known_at_column(self) -> Column:
        """The batch's known_at as a literal timestamp."""
        return F.timestamp_micros(F.lit(self.known_at))


@dataclass(frozen=True)
class StepContext:
    """The batch, the tables and the vocabulary; `report` says what goes on."""

    warehouse: Warehouse
    batch: Batch
    ontology: Ontology
    report: Report

    @property
    def spark(self) -> SparkSession:
        """The session of the warehouse."""
        return self.warehouse.spark

    @property
    def salt(self) -> str:
        """The salt of the warehouse's ids."""
        return self.warehouse.salt

    def staging(self, step: str, name: str) -> str:
        """Return the folder for what a step computes once and reads several times."""
        return f"{self.warehouse.staging}/{self.batch.number}/{step}/{name}"

    def stage(self, step: str, name: str, rows: DataFrame) -> DataFrame:
        """Write rows once and return them as read back."""
        folder = self.staging(step, name)
        rows.write.mode("overwrite").parquet(folder)
        return self.spark.read.schema(rows.schema).parquet(folder)

    def write(self, changes: Mapping[str, Changes]) -> dict[str, int]:
        """Close and open rows of several tables side by side; return how many of each."""
        written = together(*(partial(self._write, table, each) for table, each in changes.items()))
        return {name: count for counts in written for name, count in counts.items()}

    def _write(self, table: str, changes: Changes) -> dict[str, int]:
        columns = [
            name
            for name in ("row_id", "expired_at", *EXPLAINED)
            if name in model.TABLES[table].names
        ]
        closing, number = changes.closing.select(*columns), self.batch.number
        return {
            f"{table}_closed": self.warehouse.close(table, closing, batch=number),
            f"{table}_opened": self.warehouse.append(table, changes.opening, batch=number),
        }

    def new(self, table: str) -> DataFrame:
        """Return the rows of a table that this batch brought."""
        return self.warehouse.current(table).where(F.col("batch") == self.batch.number)
