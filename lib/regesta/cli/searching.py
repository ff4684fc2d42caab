"""The `regesta search` command: a recipe, filters, where to begin."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regesta.cli import show
from regesta.cli.options import (
    DEFAULT_CONF,
    AllBeliefs,
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

_Names = list[str] | None

Groups = Annotated[
    _Names,
    typer.Option("--group", help="The graph; repeatable; not needed where there is only one."),
]
Limit = Annotated[int, typer.Option(min=1, help="How many hits, of each scope.")]
Scope = Annotated[
    str | None, typer.Option(help="facts (by default), entities, communities or episodes.")
]
RecipeName = Annotated[
    str | None,
    typer.Option(help="fact_graph_rrf, combined_hybrid_mmr, ... or one of conf/recipes.yaml."),
]
Labels = Annotated[_Names, typer.Option("--label", help="Only entities of this label; repeatable.")]
Relations = Annotated[
    _Names, typer.Option("--relation", help="Only facts of this one; repeatable.")
]
Sources = Annotated[_Names, typer.Option("--source", help="Only what it tells of; repeatable.")]
Episodes = Annotated[_Names, typer.Option("--episode", help="Only what it tells of; repeatable.")]
Dates = Annotated[
    str | None, typer.Option(help="A condition, as 'valid_at >= 2024 and invalid_at is empty'.")
]
Disputed = Annotated[str, typer.Option(help="exclude, include or only.")]
AllTimes = Annotated[bool, typer.Option("--all-times", help="Also facts that held at other times.")]
Center = Annotated[str | None, typer.Option(help="The entity that node distance is measured from.")]
Origins = Annotated[
    _Names,
    typer.Option("--origin", help="Where walks begin: an entity, fact or episode; repeatable."),
]
CrossEncoder = Annotated[
    str | None, typer.Option(help="The model that judges, at OPENAI_BASE_URL.")
]
Context = Annotated[
    int | None,
    typer.Option(help="Print the text for a model's prompt, of so many tokens at most."),
]


def search(
    text: Annotated[str, typer.Argument(help="Words to look for.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: Groups = None,
    valid: Valid = None,
    known: Known = None,
    limit: Limit = 10,
    scope: Scope = None,
    recipe: RecipeName = None,
    label: Labels = None,
    relation: Relations = None,
    source: Sources = None,
    episode: Episodes = None,
    dates: Dates = None,
    disputed: Disputed = "exclude",
    all_times: AllTimes = False,
    all_beliefs: AllBeliefs = False,
    center: Center = None,
    origin: Origins = None,
    cross_encoder: CrossEncoder = None,
    context: Context = None,
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
    with warnings.catch_warnings(record=True, action="always", category=UserWarning) as told:
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
    for each in told:
        typer.echo(each.message, err=True)
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
