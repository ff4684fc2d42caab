"""Options that several subcommands share, and the warehouse that they lead to."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regesta.errors import ConfigurationError, SetupError
from regesta.query.errors import QueryError
from regesta.query.times import to_micros

if TYPE_CHECKING:
    from regesta.query import Graph, Snapshot

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

GroupName = Annotated[
    str | None, typer.Option("--group", help="The graph; not needed where there is only one.")
]
Valid = Annotated[str | None, typer.Option(help="True on this day; by default as known.")]
Known = Annotated[str | None, typer.Option(help="As known on this day; by default the latest.")]
AllBeliefs = Annotated[bool, typer.Option("--all-beliefs", help="Also what was believed before.")]
BudgetText = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="The most that the language model may use now: money (12.50) or '200k tokens'.",
    ),
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


def graph_of(
    conf: Path, snapshots: str | None, group: str | None, valid: str | None, known: str | None
) -> Graph:
    """Open a group's graph as of two times; the group may be left out where there is only one."""
    opened = snapshot_of(conf, snapshots)
    name = only_group(opened) if group is None else group
    return opened.group(name).as_of(valid=valid, known=known)


def snapshot_of(conf: Path, snapshots: str | None) -> Snapshot:
    """Open the snapshot that is named, else that of the configuration's warehouse."""
    from regesta import query  # noqa: PLC0415

    return query.open(snapshots_of(conf, snapshots))


def only_group(opened: Snapshot) -> str:
    """Return the name of the only group; raises QueryError where there are several."""
    names = opened.groups()
    if len(names) != 1:
        raise QueryError(
            f"There are {len(names)} graphs; name one with --group: {', '.join(names[:10])}"
        )
    return names[0]


def snapshots_of(conf: Path, snapshots: str | None) -> str:
    """Return the root of the snapshots that are meant: the one named, else the warehouse's."""
    return snapshots or f"{warehouse_of(conf)}/snapshots"
