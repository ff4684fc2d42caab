"""The as-of tables in DuckDB, over a published snapshot: no Spark, no server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from regesta.errors import SetupError, SnapshotError
from regesta.query.errors import QueryError
from regesta.query.snapshot import Snapshot, open_snapshot
from regesta.query.store import Store
from regesta.query.times import show
from regesta.sql.functions import FUNCTIONS, PRESENT, TABLES, Kind

if TYPE_CHECKING:
    import duckdb


def connect(snapshots: str | Path) -> duckdb.DuckDBPyConnection:
    """Return a database in memory with the as-of tables of the current snapshot.

    Macros facts_as_of(valid, known), facts_between(first, last, known), fact_history(entity),
    entities_as_of(known), communities_as_of(known), members_as_of(known), communities_of_day(valid,
    known), members_of_day(valid, known); views facts, entities,
    communities and members of the present; all_facts, ... with every version. Times are UTC.

    Raises:
        SetupError: DuckDB isn't installed.
        SnapshotError: there is no snapshot, it is damaged, or it is not on a local path.
    """
    if not Store(snapshots).local:
        raise SnapshotError(f"SQL needs a snapshot on a local path, not {snapshots}: copy it.")
    snapshot = open_snapshot(snapshots)
    connection: duckdb.DuckDBPyConnection = _duckdb().connect()
    for statement in _statements(snapshot):
        connection.execute(statement)
    return connection


def _duckdb() -> Any:
    try:
        import duckdb  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError("SQL needs DuckDB: pip install 'regesta[sql]'.") from error
    return duckdb


def _statements(snapshot: Snapshot) -> list[str]:
    made = ["SET TimeZone = 'UTC'"]
    for table, view in TABLES.items():
        files = ", ".join(_quoted(file) for file in snapshot.table_files(table))
        made.append(f"CREATE VIEW {view} AS SELECT * FROM read_parquet([{files}])")
    for function in FUNCTIONS:
        names = ", ".join(function.parameters)
        query = function.written(_parameter)
        made.append(f"CREATE MACRO {function.name}({names}) AS TABLE {query}")
    now = f"TIMESTAMPTZ {_quoted(show(snapshot.manifest.known_at, 'microsecond') + '+00')}"
    for view, selected in PRESENT.items():
        made.append(f"CREATE VIEW {view} AS SELECT * FROM {selected.format(now=now)}")
    return made


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _parameter(name: str, kind: Kind) -> str:
    return f"CAST({name} AS {'TIMESTAMPTZ' if kind == 'time' else 'VARCHAR'})"


def ask(snapshots: str | Path, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of a query.

    Raises:
        QueryError: DuckDB can't run the query; the message is its own.
        SetupError, SnapshotError: as `connect`.
    """
    connection = connect(snapshots)
    try:
        found = connection.sql(query).to_arrow_table()
    except _duckdb().Error as error:
        raise QueryError(str(error).strip()) from error
    twice = sorted({name for name in found.column_names if found.column_names.count(name) > 1})
    if twice:
        raise QueryError(f"Several columns are named {', '.join(twice)}: name each with AS.")
    columns = [column.to_pylist() for column in found.columns]
    return found.column_names, list(zip(*columns, strict=True))
