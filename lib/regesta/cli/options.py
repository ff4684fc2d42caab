"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Conf = Annotated[
    Path,
    typer.Option(help="Folder with base.yaml, sources/ and ontologies/.", envvar="REGESTA_CONF"),
]
KnownAt = Annotated[
    str | None,
    typer.Option(help="The run's own known time, as 2024-03-01T02:00; by default the clock."),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs instead of tables.")]

DEFAULT_CONF = Path("conf")
