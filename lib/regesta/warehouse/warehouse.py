"""The warehouse: every read names a version, every write can be repeated.

A batch reads the tables it writes as they stood before it (`before`), and those that its earlier
steps wrote as they stand now (`current`). So a batch that was killed at any point computes the same
rows again, and Delta's marks (application id per table and write, batch number) skip those that
were already written.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from regesta import model
from regesta.errors import ConfigurationError
from regesta.session import beside
from regesta.warehouse.files import Files
from regesta.warehouse.reading import version_checksum, version_frame

FORMAT = 4
IDENTITY = "_regesta.json"
SWAPPED_IN = "swapped_in.json"
DELETION_VECTORS = "delta.enableDeletionVectors"
PATTERN_CHARACTERS = frozenset("*?[]{}")
SMALL_TABLE = 64 * 2**20
"""Bytes up to which a table's files are written again to close some of their rows."""


def table_schema(table: str) -> StructType:
    """Return the Spark schema of a table of `regesta.model`."""
    return from_arrow_schema(model.TABLES[table])


@dataclass
class Warehouse:
    """The Delta tables under `root`, with the versions that belong to the last whole batch.

    `pinned` maps a table to the version named by the last row of `batches`; a table that is not in
    it was empty then. `generation` counts how often the derived tables were built anew: those of
    the first lie beside the recorded ones, those of a later one in a folder of their own.
    """

    spark: SparkSession
    root: str
    salt: str
    pinned: Mapping[str, int] = field(default_factory=dict)
    generation: int = 1
    _frames: dict[tuple[str, int], DataFrame] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def open(cls, spark: SparkSession, root: str, *, salt: str | None = None) -> Warehouse:
        """Open the warehouse, or begin one; its salt is made once and stays.

        Raises:
            ConfigurationError: the folder was written in another format or with another salt, or
                its name would be read as a pattern.
        """
        if not PATTERN_CHARACTERS.isdisjoint(root):
            raise ConfigurationError(
                f"{root} cannot be a warehouse: Spark reads the characters "
                f"{' '.join(sorted(PATTERN_CHARACTERS))} in a path as a pattern; "
                "choose a folder without them."
            )
        files = Files(spark, root)
        if not files.exists(IDENTITY):
            made = {"format": FORMAT, "salt": salt or secrets.token_hex(16)}
            files.create(IDENTITY, json.dumps(made))
        identity = files.read_json(IDENTITY)
        if identity["format"] != FORMAT:
            raise ConfigurationError(
                f"{root} has format {identity['format']}, this Regesta writes {FORMAT}: "
                "use the release that wrote it, or build into a new warehouse."
            )
        if salt is not None and salt != identity["salt"]:
            raise ConfigurationError(
                f"{root} was begun with another salt: remove `salt` from conf/base.yaml, "
                "or build into a new warehouse."
            )
        return cls(spark, files.root, identity["salt"], generation=_generation(files))

    @cached_property
    def files(self) -> Files:
        """The small files beside the tables."""
        return Files(self.spark, self.root)

    def newest(self) -> Warehouse:
        """Return the warehouse with the generation that is swapped in by now."""
        return replace(self, generation=_generation(self.files))

    def path(self, table: str) -> str:
        """Return the folder of a table."""
        return f"{self.root}/{self.place(table)}"

    def place(self, table: str) -> str:
        """Return the folder of a table below the root."""
        if self.generation == 1 or table in model.RECORDED:
            return f"tables/{table}"
        return f"{generation_folder(self.generation)}/tables/{table}"

    @property
    def staging(self) -> str:
        """The folder for what batches compute on their way."""
        return f"{self.root}/staging"

    def version(self, table: str) -> int | None:
        """Return the newest version of a table, or None where nothing was written yet."""
        names = self.files.names(f"{self.place(table)}/_delta_log")
        versions = [int(name[:20]) for name in names if name[:20].isdigit()]
        return max(versions, default=None)

    def versions(self) -> dict[str, int]:
        """Return the newest version of every table that has one."""
        found = {table: self.version(table) for table in model.TABLES}
        return {table: version for table, version in found.items() if version is not None}

    def before(self, table: str) -> DataFrame:
        """Return a table as it stood when the last whole batch ended."""
        return self.at(table, self.pinned.get(table))

    def current(self, table: str) -> DataFrame:
        """Return a table as it stands now."""
        return self.at(table, self.version(table))

    def open_before(self, table: str) -> DataFrame:
        """Return the rows of a table that were open when the last whole batch ended."""
        return self.before(table).where(F.col("expired_at").isNull())

    def open_now(self, table: str) -> DataFrame:
        """Return the rows of a table that are open as it stands now."""
        return self.current(table).where(F.col("expired_at").isNull())

    def at(self, table: str, version: int | None) -> DataFrame:
        """Return a table at a version; None gives no rows."""
        if version is None:
            # Known to be empty when a query is planned, which an empty local table is not.
            nothing = [f"CAST(NULL AS {kind}) AS {name}" for name, kind in _columns(table)]
            return self.spark.range(0).selectExpr(*nothing).where(F.lit(False))
        # Delta works out the state of a past version for every reader of it: one is kept.
        if (table, version) not in self._frames:
            self._frames[table, version] = version_frame(self.spark, self.path(table), version)
        return self._frames[table, version]

    def append(self, table: str, rows: DataFrame, *, batch: int, purpose: str = "open") -> int:
        """Append rows once per batch: repeated, it changes nothing. Return how many were given.

        `rows` must have the table's columns, in any order. No rows make no commit. A table that
        two steps append to needs a `purpose` for each.
        """
        if rows.isEmpty():
            return 0
        return self.append_some(table, rows, batch=batch, purpose=purpose)

    def append_some(self, table: str, rows: DataFrame, *, batch: int, purpose: str = "open") -> int:
        """Append rows as `append` does, where it is known that there are some."""
        counted = Observation()
        shaped = rows.selectExpr(
            *(f"CAST({name} AS {kind}) AS {name}" for name, kind in _columns(table))
        ).observe(counted, F.count(F.lit(1)).alias("rows"))
        writer = shaped.write.format("delta").mode("append")
        marks = {"txnAppId": f"regesta/{table}/{purpose}", "txnVersion": str(batch)}
        version = self.version(table)
        properties = {} if version is not None else _properties(table)
        writer.options(**marks, **properties).save(self.path(table))
        if self.version(table) == version:
            return rows.count()  # Delta skipped what an earlier run had written: nothing observed
        return int(counted.get["rows"])

    def close(self, table: str, rows: DataFrame, *, batch: int) -> int:
        """Close open rows once per batch: repeated, it changes nothing. Return how many.

        `rows` has row_id, expired_at and what else the rows get by closing; row_id is unique in it.
        No rows make no commit.

        Raises:
            ValueError: a row_id stands twice in `rows`.
        """
        staged = f"{self.staging}/{batch}/close/{table}"
        rows.write.mode("overwrite").parquet(staged)
        # The mark is a setting of the session and would silence a second write of this batch to
        # this table, so every MERGE has a session of its own.
        session = beside(self.spark)
        closing = session.read.schema(rows.schema).parquet(staged)
        total, distinct = closing.agg(F.count("row_id"), F.countDistinct("row_id")).first() or (
            0,
            0,
        )
        if total != distinct:
            raise ValueError(f"{total - distinct} row ids stand twice among the rows to close")
        if total == 0:
            return 0
        self._let_mark_rows(session, table)
        session.conf.set("spark.databricks.delta.write.txnAppId", f"regesta/{table}/close")
        session.conf.set("spark.databricks.delta.write.txnVersion", str(batch))
        changes = {name: f"closing.{name}" for name in rows.columns if name != "row_id"}
        (
            DeltaTable.forPath(session, self.path(table))
            .alias("standing")
            .merge(
                closing.alias("closing"),
                "standing.row_id = closing.row_id AND standing.expired_at IS NULL",
            )
            .whenMatchedUpdate(set=changes)
            .execute()
        )
        return int(total)

    def _let_mark_rows(self, session: SparkSession, table: str) -> None:
        """Let a table that has grown mark closed rows in its files instead of writing these again.

        Not before: Delta looks four times as often for the files of a table that may have marks.
        """
        path = self.path(table)
        checksum = version_checksum(session, path, self.version(table) or 0)
        is_small = checksum.get("tableSizeBytes", 0) <= SMALL_TABLE
        if is_small or checksum["metadata"]["configuration"].get(DELETION_VECTORS) == "true":
            return
        quoted = path.replace("`", "``")
        session.sql(f"ALTER TABLE delta.`{quoted}` SET TBLPROPERTIES ({DELETION_VECTORS} = true)")


def generation_folder(generation: int) -> str:
    """Return the folder below the root that holds the derived tables of a later generation."""
    return f"generations/{generation}"


def swapped_in(generation: int) -> str:
    """Return the name of the mark that makes a generation one to read."""
    return f"{generation_folder(generation)}/{SWAPPED_IN}"


def _generation(files: Files) -> int:
    """Return the newest generation that was swapped in: its mark is made whole, in one instant."""
    numbers = [int(name) for name in files.names("generations") if name.isdigit()]
    return max((each for each in numbers if files.exists(swapped_in(each))), default=1)


def _columns(table: str) -> list[tuple[str, str]]:
    """Return the columns of a table as SQL writes them: name and type."""
    return [(f"`{each.name}`", each.dataType.simpleString()) for each in table_schema(table).fields]


def _properties(table: str) -> dict[str, str]:
    return {
        DELETION_VECTORS: "false",
        "delta.dataSkippingStatsColumns": ",".join(model.STATISTICS_COLUMNS[table]),
    }
