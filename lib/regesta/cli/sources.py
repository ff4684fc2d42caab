"""`regesta sources`: which archives are declared, and what a declaration makes of its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regesta.cli import show_sources
from regesta.cli.options import DEFAULT_CONF, AsJson, Conf, KnownAt, run_time

app = typer.Typer(
    no_args_is_help=True, help="The declared archives, and what becomes of their rows."
)


@app.command("list", epilog="Example: regesta sources list")
def listed(*, conf: Conf = DEFAULT_CONF, as_json: AsJson = False) -> None:
    """Show the declared sources, and which of them `nightly` takes in."""
    from regesta.config import load_settings  # noqa: PLC0415
    from regesta.sources.loading import declared_sources  # noqa: PLC0415

    turned_on = load_settings(conf).sources
    found = [
        {
            "source": source.source,
            "nightly": source.source in turned_on,
            "format": source.format,
            "mode": source.mode,
            "path": list(source.path),
        }
        for source in declared_sources(conf / "sources")
    ]
    show_sources.declared_sources(found, as_json=as_json)


@app.command(epilog="Example: regesta sources check conf/sources/zendesk_tickets.yaml")
def check(
    file: Annotated[str, typer.Argument(help="A source file, or the name of a source of --conf.")],
    *,
    conf: Conf = DEFAULT_CONF,
    rows: Annotated[int, typer.Option(min=1, help="How many rows to look at.")] = 10,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show what a source makes of the first rows of its archive; nothing is written.

    The episode of each row, the entities that it names with their identifiers, what it states and
    from when on; for a rejected row the reason.
    """
    from regesta.config import load_ontology  # noqa: PLC0415
    from regesta.extract.preview import preview  # noqa: PLC0415
    from regesta.sources.loading import load_source  # noqa: PLC0415

    named = conf / "sources" / f"{file}.yaml"
    source = load_source(named if named.is_file() else Path(file))
    found = preview(source, load_ontology(conf), rows=rows, run_known_at=run_time(known_at))
    show_sources.previews(found, as_json=as_json, title=source.source)
