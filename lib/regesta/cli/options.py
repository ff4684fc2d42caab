"""Options that several subcommands share, and the warehouse that they lead to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regesta.errors import SetupError

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


def warehouse_of(conf: Path) -> str:
    """Return the warehouse that a configuration names, or the default one."""
    try:
        from regesta.config import load_settings  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            "Without the build part there is no configuration to read: name the folder of the "
            "snapshots with --snapshots."
        ) from error
    return load_settings(conf).warehouse
