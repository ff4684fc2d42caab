"""Options that several subcommands share, and the warehouse that they lead to."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from regesta.errors import ConfigurationError, SetupError
from regesta.query.errors import QueryError
from regesta.query.times import to_micros

Conf = Annotated[
    Path,
    typer.Option(help="Folder with base.yaml, sources/ and ontologies/.", envvar="REGESTA_CONF"),
]
KnownAt = Annotated[
    str | None,
    typer.Option(help="The run's own known time, as 2024-03-01T02:00; by default the clock."),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs instead of tables.")]

Snapshots = Annotated[
    str | None, typer.Option(help="The snapshots; by default those of the warehouse of --conf.")
]

DEFAULT_CONF = Path("conf")


def run_time(known_at: str | None) -> int:
    """Return a run's own known time in microseconds: as given, else the clock's.

    Raises:
        ConfigurationError: what was given is no date.
    """
    if known_at is None:
        return int(time.time() * 1_000_000)
    try:
        return to_micros(known_at)
    except QueryError as error:
        raise ConfigurationError(f"--known-at: {error}") from error


def warehouse_of(conf: Path) -> str:
    """Return the warehouse that a configuration leads to."""
    try:
        from regesta.config import load_settings  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            "Without the build part there is no configuration to read: name the folder of the "
            "snapshots with --snapshots."
        ) from error
    return load_settings(conf).warehouse
