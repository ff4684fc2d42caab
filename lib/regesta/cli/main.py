"""The `regesta` command: one function per subcommand, errors as sentences, exit codes that tell.

0 done · 1 other mistakes · 2 configuration · 3 installation · 4 input · 5 busy · 6 snapshot ·
7 a question about what isn't there · 8 a language model's endpoint or budget ·
9 a full disk, or a damaged file of the warehouse · 10 a rebuild that differs
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regesta.cli import (
    communities,
    evaluate,
    identity,
    mcp,
    prompts,
    resolving,
    show,
    show_model,
    snapshots,
    sources,
    verdicts,
)
from regesta.cli.options import (
    DEFAULT_CONF,
    AllBeliefs,
    AsJson,
    BudgetText,
    Conf,
    GroupName,
    Known,
    KnownAt,
    Snapshots,
    graph_of,
    run_time,
    snapshots_of,
)
from regesta.cli.searching import search
from regesta.errors import InputError, RegestaError, SetupError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from regesta.config import Configuration
    from regesta.context import Report
    from regesta.pipeline import Pipeline, Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="A bi-temporal knowledge graph of archives of records: built nightly, searched anywhere.",
)
app.add_typer(communities.app, name="communities")
app.add_typer(sources.app, name="sources")
app.add_typer(evaluate.app, name="evaluate")
app.command(epilog='Example: regesta search "who owns Acme?" --group emea --valid 2024-03-01')(
    search
)
app.command(epilog="Example: regesta mcp --group emea")(mcp.mcp)
app.command(epilog="Example: regesta review --group emea")(identity.review)
app.command(epilog='Example: regesta merge "Acme" "Acme Ltd" --group emea --reason "one VAT id"')(
    identity.merge
)
app.command(epilog='Example: regesta split "John Smith" --group emea --apart 3f0c12')(
    identity.split
)
app.command(epilog='Example: regesta undo "Acme" --group emea')(identity.undo)
app.add_typer(resolving.app, name="resolve")
app.add_typer(prompts.app, name="prompts")
app.add_typer(snapshots.app)
app.add_typer(verdicts.app, name="verdicts")

Sources = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source; may be repeated.")
]


@app.command(epilog="Example: regesta nightly --conf conf --known-at 2024-03-01T02:00")
def nightly(
    *,
    conf: Conf = DEFAULT_CONF,
    known_at: KnownAt = None,
    source: Sources = None,
    publish: Annotated[bool, typer.Option(help="Publish a snapshot at the end.")] = True,
    budget: BudgetText = None,
    as_json: AsJson = False,
) -> None:
    """Take in what is new, bring the graph up to date and publish a snapshot.

    Safe to start again after anything: a run that broke off is finished first.
    """
    from regesta.llm.prices import WITHOUT_LIMIT, Budget  # noqa: PLC0415
    from regesta.pipeline import Run  # noqa: PLC0415

    most = WITHOUT_LIMIT if budget is None else Budget.told(budget)
    run = Run(publishes=publish, budget=most)
    run_batch(conf, source or [], run, known_at, as_json=as_json)


@app.command(epilog="Example: regesta ingest --source tickets")
def ingest(
    *,
    conf: Conf = DEFAULT_CONF,
    known_at: KnownAt = None,
    source: Sources = None,
    as_json: AsJson = False,
) -> None:
    """Only take in what is new, as the first step of a batch that `nightly` finishes."""
    from regesta.pipeline import Run  # noqa: PLC0415

    run_batch(conf, source or [], Run(steps=("ingest",)), known_at, as_json=as_json)


@app.command(epilog="Example: regesta ingest, then regesta estimate")
def estimate(*, conf: Conf = DEFAULT_CONF, as_json: AsJson = False) -> None:
    """Show what the language model would be sent of a batch that `ingest` began, and the cost.

    Tokens are those of the very prompts, less what the ledger holds answers to; prices are those of
    conf/prices.yaml. Nothing is sent.
    """
    show_model.estimates(open_build(conf, []).estimate(), as_json=as_json)


@app.command(epilog="Example: regesta rebuild --conf conf")
def rebuild(
    *,
    conf: Conf = DEFAULT_CONF,
    new_generation: Annotated[
        bool,
        typer.Option(
            "--new-generation",
            help="By today's configuration; differences are a report and no failure.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Derive the whole graph again from what was recorded, compare it, and swap it in.

    The batches are replayed in turn, each with its recorded configuration, into new tables beside
    the old ones. By the same code every row is the same; a difference is shown by table, key and
    column, and then nothing is swapped in and the exit code is 10. Safe to start again after
    anything.
    """
    from regesta.rebuild.rebuild import DifferencesError  # noqa: PLC0415
    from regesta.rebuild.rebuild import rebuild as derive_again  # noqa: PLC0415
    from regesta.warehouse.warehouse import Warehouse  # noqa: PLC0415

    spark, configuration, report = _start(conf, [], quiet=False)
    settings = configuration.settings
    warehouse = Warehouse.open(spark, settings.warehouse, salt=settings.salt)
    found = derive_again(warehouse, configuration, report, new_generation=new_generation)
    show.rebuilt(found, as_json=as_json)
    if not found.is_swapped_in:
        raise DifferencesError(found)


@app.command(epilog="Example: regesta history Acme OWNED_BY --known 2024-04-01")
def history(
    entity: Annotated[str, typer.Argument(help="A name, an identifier or an id.")],
    relation: Annotated[str | None, typer.Argument(help="A relation; all without it.")] = None,
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    known: Known = None,
    all_beliefs: AllBeliefs = False,
    as_json: AsJson = False,
) -> None:
    """Show all periods of an entity's facts, in order, tell why they ended, and draw them."""
    graph = graph_of(conf, snapshots, group, None, known)
    told = [graph.life(f) for f in graph.history(entity, relation, all_beliefs=all_beliefs)]
    title = f"{entity} {relation or ''}".strip()
    show.lives(told, as_json=as_json, title=title, now=graph.known)


@app.command(epilog="Example: regesta diff 2024-03-01 2024-04-01 --group emea")
def diff(
    before: Annotated[str, typer.Argument(help="The earlier time.")],
    after: Annotated[str, typer.Argument(help="The later one.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    valid: Annotated[
        bool, typer.Option("--valid", help="Times of the world: what holds since, or no longer.")
    ] = False,
    about: Annotated[str | None, typer.Option(help="Only what concerns this entity.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what changed between two times: begun, ended, corrected, retracted, disputed, merged.

    The times are known times, what was believed at the later and not at the earlier one; with
    --valid they are times of the world, as known now.
    """
    graph = graph_of(conf, snapshots, group, None, None)
    span = (before, after)
    found = graph.diff(valid=span, about=about) if valid else graph.diff(known=span, about=about)
    show.changes(found, as_json=as_json, title=f"{before} to {after}")


@app.command(
    epilog="Example: regesta sql \"SELECT * FROM facts_as_of('2024-03-01', '2024-04-01')\""
)
def sql(
    query: Annotated[str, typer.Argument(help="A query in DuckDB's SQL.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    as_json: AsJson = False,
) -> None:
    """Query a published snapshot in SQL, all groups at once; needs `regesta[sql]`.

    Table macros facts_as_of(valid, known), facts_between(first, last, known), fact_history(entity),
    entities_as_of(known), communities_as_of(known), members_as_of(known), communities_of_day(valid,
    known), members_of_day(valid, known); views facts, entities, communities, members of the
    present; all_facts, all_entities, all_evidence, all_episodes, ... with every version.
    """
    from regesta.sql.duck import ask  # noqa: PLC0415

    columns, rows = ask(snapshots_of(conf, snapshots), query)
    show.rows(columns, rows, as_json=as_json)


@app.command(epilog="Example: regesta why 3f0c... --group emea")
def why(
    fact: Annotated[str, typer.Argument(help="A fact's id, from search or history.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    known: Known = None,
    as_json: AsJson = False,
) -> None:
    """Show the episodes that a fact rests on, quoted, and why it or the belief in it ended."""
    graph = graph_of(conf, snapshots, group, None, known)
    show.explanations(graph.why(fact), as_json=as_json)


@app.command(
    epilog="Example: regesta simulate /tmp/desk --seed 7 --episodes 10000 --groups 20 --nights 30"
)
def simulate(
    folder: Annotated[Path, typer.Argument(help="An empty folder, or one that is not there yet.")],
    *,
    seed: Annotated[int, typer.Option(help="The same seed and sizes give the same bytes.")] = 1,
    episodes: Annotated[int, typer.Option(help="Rows of the archive.")] = 10_000,
    groups: Annotated[int, typer.Option(help="Separate support desks, each a graph.")] = 1,
    nights: Annotated[int, typer.Option(help="Days on which something is delivered.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Write the archive of a fictitious support desk, what to declare of it, and the truth.

    Then `regesta nightly --conf FOLDER/conf` builds the graph from it.
    """
    from regesta.cli.progress import counting  # noqa: PLC0415
    from regesta.simulate.plan import Plan  # noqa: PLC0415
    from regesta.simulate.run import simulate as write  # noqa: PLC0415

    plan = Plan(seed=seed, episodes=episodes, groups=groups, nights=nights)
    summary = write(plan, folder, progress=counting("episodes written", episodes))
    show.simulation(summary, folder, as_json=as_json)


@app.command(epilog="Example: regesta status --json")
def status(*, conf: Conf = DEFAULT_CONF, as_json: AsJson = False) -> None:
    """Show the batches of the warehouse: what came in, what was rejected, how long it took."""
    from regesta.cli.status import status_of  # noqa: PLC0415

    show.status(status_of(conf), as_json=as_json)


@app.command(epilog="Example: regesta doctor")
def doctor(*, conf: Conf = DEFAULT_CONF, as_json: AsJson = False) -> None:
    """Check Java, the JVM parts, Spark with Delta and GraphFrames, and the configuration."""
    from regesta.cli.doctor import examine  # noqa: PLC0415

    findings = examine(conf)
    show.findings(findings, as_json=as_json)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(SetupError.exit_code)


def open_build(conf: Path, sources: list[str] | None, *, quiet: bool = False) -> Pipeline:
    """Validate the configuration, then start Spark and open the warehouse.

    `sources`: see `config.load`.

    Raises:
        SetupError: the build part isn't installed, or Java or a JVM part is missing.
    """
    started = _start(conf, sources, quiet=quiet)
    from regesta.pipeline import open_pipeline  # noqa: PLC0415

    return open_pipeline(*started)


def _start(
    conf: Path, sources: list[str] | None, *, quiet: bool
) -> tuple[SparkSession, Configuration, Report]:
    try:
        from regesta.cli.progress import reporter  # noqa: PLC0415
        from regesta.config import load  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            f"Building needs {error.name}, which isn't installed: pip install 'regesta[build]'."
        ) from error
    configuration = load(conf, sources=sources)
    spark = configuration.settings.spark.session()
    return spark, configuration, reporter(spark, quiet=quiet)


def run_batch(
    conf: Path, sources: list[str], run: Run, known_at: str | None, *, as_json: bool
) -> None:
    """Run a batch and print what it did."""
    moment = run_time(known_at)
    pipeline = open_build(conf, sources)
    show.batches(pipeline.run(run, moment), as_json=as_json)


def main() -> None:
    """Run the command; a user's mistake becomes a sentence and an exit code."""
    run_command(app)


def run_command(command: Callable[[], object]) -> None:
    """Run a command; a user's mistake, or what storage did, becomes a sentence and an exit code."""
    try:
        command()
    except RegestaError as error:
        show.error(error)
        raise SystemExit(error.exit_code) from error
    except Exception as error:
        if (told := _told_by_storage(error)) is None:
            raise
        show.error(told)
        raise SystemExit(told.exit_code) from error


def _told_by_storage(error: Exception) -> RegestaError | None:
    """Return what is said of a disk or of a file that can't be read; nothing else is expected."""
    from regesta.warehouse import damage  # noqa: PLC0415

    if (told := damage.told(error)) is not None:
        return told
    condition = getattr(error, "getCondition", lambda: None)() or ""
    if not condition.startswith(("FAILED_READ_FILE", "CANNOT_READ_FILE")):
        return None
    return InputError(
        f"{str(error).splitlines()[0]} The file is damaged: deliver it again, or remove it from "
        "the archive. Nothing was written."
    )


if __name__ == "__main__":
    main()
