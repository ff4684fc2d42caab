"""The `regesta search` command: a recipe, filters, where to begin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regesta.cli import show
from regesta.cli.options import (
    DEFAULT_CONF,
    AsJson,
    Conf,
    Known,
    Snapshots,
    Valid,
    only_group,
    snapshot_of,
)
from regesta.errors import SetupError

if TYPE_CHECKING:
    from regesta.query import Recipe

Names = list[str] | None


def search(
    text: Annotated[str, typer.Argument(help="Words to look for.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: Annotated[
        Names, typer.Option(help="The graph; repeatable; not needed where there is only one.")
    ] = None,
    valid: Valid = None,
    known: Known = None,
    limit: Annotated[int, typer.Option(min=1, help="How many hits, of each scope.")] = 10,
    scope: Annotated[
        str | None, typer.Option(help="facts (by default), entities, communities or episodes.")
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="fact_graph_rrf, combined_hybrid_mmr, ... or one of conf/recipes.yaml."),
    ] = None,
    label: Annotated[Names, typer.Option(help="Only entities of this label; repeatable.")] = None,
    relation: Annotated[Names, typer.Option(help="Only facts of this one; repeatable.")] = None,
    source: Annotated[Names, typer.Option(help="Only what it tells of; repeatable.")] = None,
    episode: Annotated[Names, typer.Option(help="Only what it tells of; repeatable.")] = None,
    dates: Annotated[
        str | None,
        typer.Option(help="A condition, as 'valid_at >= 2024 and invalid_at is empty'."),
    ] = None,
    disputed: Annotated[str, typer.Option(help="exclude, include or only.")] = "exclude",
    all_times: Annotated[
        bool, typer.Option("--all-times", help="Also facts that held at other times.")
    ] = False,
    all_beliefs: Annotated[
        bool, typer.Option("--all-beliefs", help="Also what was believed before.")
    ] = False,
    center: Annotated[
        str | None, typer.Option(help="The entity that node distance is measured from.")
    ] = None,
    origin: Annotated[
        Names, typer.Option(help="Where walks begin: an entity, fact or episode; repeatable.")
    ] = None,
    cross_encoder: Annotated[
        str | None, typer.Option(help="The model that judges, at OPENAI_BASE_URL.")
    ] = None,
    context: Annotated[
        int | None,
        typer.Option(help="Print the text for a model's prompt, of so many tokens at most."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search a published snapshot; by default what is believed now to hold now."""
    from regesta.query import Filters, OpenAICrossEncoder  # noqa: PLC0415

    filters = Filters(
        labels=label or (),
        relations=relation or (),
        sources=source or (),
        episodes=episode or (),
        dates=dates,
        disputed=disputed,  # type: ignore[arg-type]
        all_times=all_times,
        all_beliefs=all_beliefs,
    )
    opened = snapshot_of(conf, snapshots)
    graphs = opened.graphs(group or [only_group(opened)]).as_of(valid=valid, known=known)
    hits = graphs.search(
        text,
        recipe=_recipe(recipe, conf),
        scope=scope,  # type: ignore[arg-type]
        limit=limit,
        filters=filters,
        center=center,
        origins=origin or (),
        cross_encoder=OpenAICrossEncoder(cross_encoder) if cross_encoder else None,
    )
    if context is None:
        show.hits(hits, as_json=as_json)
    else:
        typer.echo(hits.context(tokens=context))


def _recipe(name: str | None, conf: Path) -> str | Recipe | None:
    """Return a recipe of the configuration where it is none that is always there."""
    from regesta.query import RECIPES  # noqa: PLC0415

    if name is None or name in RECIPES:
        return name
    try:
        from regesta.config import load_recipes  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            f"Without the build part there is no configuration to read the recipe {name!r} from."
        ) from error
    return load_recipes(conf).get(name, name)
