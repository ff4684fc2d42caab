"""`regesta snapshots`, `rollback` and `verify`: what is published, and whether it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from regesta.cli.options import DEFAULT_CONF, AsJson, Conf, Snapshots, snapshots_of
from regesta.cli.tables import plain, print_json, print_table
from regesta.query.times import show as show_time

if TYPE_CHECKING:
    from regesta.query.snapshot import Kept

app = typer.Typer()


@app.command("snapshots", epilog="Example: regesta snapshots --json")
def listed(
    *, conf: Conf = DEFAULT_CONF, snapshots: Snapshots = None, as_json: AsJson = False
) -> None:
    """List the published snapshots, oldest first: what each knows, and which one is current."""
    from regesta.query.snapshot import kept_snapshots  # noqa: PLC0415

    found = kept_snapshots(snapshots_of(conf, snapshots))
    if as_json:
        print_json([_described(each) for each in found])
    else:
        columns = ("", "snapshot", "known at", "facts", "size", "vectors", "damage")
        print_table("", columns, _rows(found))


@app.command(epilog="Example: regesta rollback 00000002-ccd3a4ecf7fb")
def rollback(
    name: Annotated[
        str | None, typer.Argument(help="A snapshot's name; by default the one before.")
    ] = None,
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
) -> None:
    """Make an earlier snapshot the current one, until a night publishes the next.

    Every file is checked before. Readers see the old one or the new one, nothing between.
    """
    from regesta.publish.files import roll_back  # noqa: PLC0415

    manifest = roll_back(snapshots_of(conf, snapshots), name)
    _say(f"snapshot {manifest.name} is current")


@app.command(epilog="Example: regesta verify")
def verify(
    name: Annotated[
        str | None, typer.Argument(help="A snapshot's name; by default the current one.")
    ] = None,
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
) -> None:
    """Compare every file of a snapshot with the checksum that was published with it."""
    from regesta import query  # noqa: PLC0415

    opened = query.open(snapshots_of(conf, snapshots), name=name)
    opened.verify()
    files = sum(map(len, opened.manifest.segments.values()))
    _say(f"snapshot {opened.manifest.name}: {files} files are as they were published")


def _described(kept: Kept) -> dict[str, Any]:
    manifest = kept.manifest
    return {
        "name": kept.name,
        "current": kept.is_current,
        "batch": manifest and manifest.batch,
        "known_at": manifest and show_time(manifest.known_at),
        "rows": manifest and manifest.rows,
        "bytes": kept.bytes,
        "embedding": manifest and plain(manifest.embedding),
        "damage": kept.damage,
    }


def _rows(found: Sequence[Kept]) -> list[tuple[str, ...]]:
    return [("*" if each.is_current else "", each.name, *_cells(each)) for each in found]


def _cells(kept: Kept) -> tuple[str, ...]:
    manifest = kept.manifest
    if manifest is None:
        return "", "", "", "", kept.damage or ""
    vectors = manifest.embedding.name if manifest.embedding else "none"
    size = f"{kept.bytes / 1e6:,.1f} MB"
    return show_time(manifest.known_at), f"{manifest.rows['facts']:,}", size, vectors, ""


def _say(text: str) -> None:
    Console(soft_wrap=True).print(escape(text))
