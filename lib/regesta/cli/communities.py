"""`regesta communities`: the communities of a snapshot, how they came to be, and an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from regesta.cli.drawing import sparkline
from regesta.cli.options import (
    DEFAULT_CONF,
    AsJson,
    BudgetText,
    Conf,
    GroupName,
    Known,
    KnownAt,
    Snapshots,
    Valid,
    graph_of,
)
from regesta.cli.tables import plain, print_json, print_table
from regesta.errors import InputError
from regesta.query import CommunityChange
from regesta.query.times import show, to_micros

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from regesta.query import Graph

app = typer.Typer(no_args_is_help=True, help="Communities: found, listed, explained, exported.")

CommunityId = Annotated[str, typer.Argument(help="A community's id, from `communities list`.")]
_TOLD_MEMBERS: Final = 20


OfDay = Annotated[
    str | None,
    typer.Option("--valid", help="Of this day of the past; `refresh --valid` finds them."),
]


@app.command(epilog="Example: regesta communities refresh --valid 2023-06-30")
def refresh(
    *,
    conf: Conf = DEFAULT_CONF,
    valid: Annotated[
        str | None,
        typer.Option(help="Those of this day of the past, beside the present ones which stay."),
    ] = None,
    known_at: KnownAt = None,
    budget: BudgetText = None,
    as_json: AsJson = False,
) -> None:
    """Find all communities anew, in a batch that takes in what is new besides, and publish.

    `nightly` does so by itself every `communities.refresh_after_days`, and once the drift is past
    `communities.refresh_at_drift`.
    """
    from regesta.cli.main import run_batch  # noqa: PLC0415
    from regesta.llm.prices import WITHOUT_LIMIT, Budget  # noqa: PLC0415
    from regesta.pipeline import Run  # noqa: PLC0415

    most = WITHOUT_LIMIT if budget is None else Budget.told(budget)
    day = None if valid is None else to_micros(valid)
    run = Run(refresh=day is None, valid_on=day, budget=most)
    run_batch(conf, [], run, known_at, as_json=as_json)


@app.command("list", epilog="Example: regesta communities list --group emea --limit 10")
def list_(
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    valid: OfDay = None,
    known: Known = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, the largest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the largest communities of every level, and how their size went."""
    graph = _graph_of_day(conf, snapshots, group, valid, known)
    found = sorted(graph.communities(), key=lambda each: (-each.level, -each.size, each.name))
    if as_json:
        print_json([plain(each) for each in found[:limit]])
        return
    sizes = graph.community_sizes()
    rows = [
        (
            str(each.level),
            each.name,
            str(each.size),
            sparkline(sizes[each.community_id]),
            ", ".join(each.key_terms),
            each.community_id,
        )
        for each in found[:limit]
    ]
    columns = ("level", "community", "size", "growth", "terms", "community id")
    print_table(f"{len(found):,} communities", columns, rows)


@app.command("show", epilog="Example: regesta communities show 3f0c... --group emea")
def show_(
    community: CommunityId,
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    valid: OfDay = None,
    known: Known = None,
    as_json: AsJson = False,
) -> None:
    """Show one community: what is above and below it, its members and its summary."""
    graph = _graph_of_day(conf, snapshots, group, valid, known)
    found, parts = graph.community(community), graph.parts(community)
    members = [entity.name for entity in graph.members(community)]
    if as_json:
        told = {"parts": [each.community_id for each in parts], "members": members}
        print_json({**plain(found), **told})
        return
    console = Console(highlight=False)
    console.print(found.name, style="bold", markup=False)
    console.print(found.summary or "no summary", markup=False)
    if found.parent:
        above = graph.community(found.parent)
        console.print(f"above: {above.name} ({above.community_id})", markup=False)
    for each in parts:
        console.print(f"below: {each.name} ({each.size:,}, {each.community_id})", markup=False)
    more = f" and {len(members) - _TOLD_MEMBERS:,} more" if len(members) > _TOLD_MEMBERS else ""
    console.print(f"members: {', '.join(members[:_TOLD_MEMBERS])}{more}", markup=False)


@app.command(epilog="Example: regesta communities history 3f0c... --group emea")
def history(
    community: CommunityId,
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    known: Known = None,
    as_json: AsJson = False,
) -> None:
    """Show when a community was born, who joined and left it, from where and to where, its end."""
    graph = graph_of(conf, snapshots, group, None, known)
    changes = graph.community_history(community)
    if as_json:
        print_json([plain(change) for change in changes])
        return
    names = {each.community_id: each.name for each in graph.communities()}
    rows = [(show(each.known_at), str(each.size), _told(each, names)) for each in changes]
    print_table(community, ("known", "members", "what happened"), rows)
    Console().print(sparkline([each.size for each in changes]))


def _graph_of_day(
    conf: Path, snapshots: str | None, group: str | None, valid: str | None, known: str | None
) -> Graph:
    graph = graph_of(conf, snapshots, group, valid, known)
    if valid is not None and graph.community_day is None:
        raise InputError(
            f"Nobody looked for the communities of {valid}: `regesta communities refresh --valid "
            f"{valid}` does."
        )
    return graph


def _told(change: CommunityChange, names: Mapping[str, str]) -> str:
    born = ["born"] if change.is_birth else []
    joined = [f"+{count:,}{_where('from', other, names)}" for other, count in change.joined]
    left = [f"-{count:,}{_where('to', other, names)}" for other, count in change.left]
    gone = ["gone"] if change.is_end else []
    return ", ".join([*born, *joined, *left, *gone])


def _where(word: str, other: str | None, names: Mapping[str, str]) -> str:
    return "" if other is None else f" {word} {names.get(other, other)}"


@app.command(epilog="Example: regesta communities export emea.gexf --group emea")
def export(
    file: Annotated[Path, typer.Argument(help="*.gexf for Gephi, *.graphml for the others.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    valid: Valid = None,
    known: Known = None,
) -> None:
    """Write entities, facts and communities for Gephi, yEd, Cytoscape or networkx.

    Needs `regesta[graph]`.
    """
    graph = graph_of(conf, snapshots, group, valid, known)
    made = graph.to_networkx()
    _writer(file)(made, file)
    nodes, edges = made.number_of_nodes(), made.number_of_edges()
    Console().print(f"{file}: {nodes:,} entities, {edges:,} facts", highlight=False)


def _writer(file: Path) -> Callable[[MultiDiGraph, Path], Any]:
    import networkx  # noqa: PLC0415

    writers: dict[str, Callable[[MultiDiGraph, Path], Any]] = {
        ".gexf": networkx.write_gexf,
        ".graphml": networkx.write_graphml,
    }
    if file.suffix not in writers:
        raise InputError(f"{file}: name a file that ends in {_either(writers)}.")
    return writers[file.suffix]


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
