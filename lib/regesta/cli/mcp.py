"""The `regesta mcp` command: a snapshot's graphs, served to agents."""

from __future__ import annotations

from typing import Annotated

import typer

from regesta.cli.options import DEFAULT_CONF, Conf, Snapshots, only_group, snapshots_of
from regesta.errors import SetupError

Served = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        help="A graph that callers may read; repeatable; not needed where there is only one.",
    ),
]


def mcp(*, conf: Conf = DEFAULT_CONF, snapshots: Snapshots = None, group: Served = None) -> None:
    """Serve graphs to agents by the Model Context Protocol, on the standard streams, read-only.

    Tools: search, facts_as_of, history, why, entity. Only the groups named here can be read. A
    snapshot published meanwhile is taken up at the next question. Needs `regesta[mcp]`.
    """
    try:
        from regesta.serve.server import server_of  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            "Serving agents needs the package mcp: pip install 'regesta[mcp]'."
        ) from error
    from regesta import query  # noqa: PLC0415
    from regesta.serve.served import Served as Graphs  # noqa: PLC0415

    root = snapshots_of(conf, snapshots)
    groups = group or [only_group(query.open(root))]
    server_of(Graphs(root, groups)).run("stdio")
