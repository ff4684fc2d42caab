"""`regesta evaluate`: what a warehouse published, scored against a truth that is known."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from regesta.cli.options import AsJson, Snapshots, warehouse_of
from regesta.cli.show_scores import evaluation, recalls
from regesta.query.times import to_micros

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Score what a warehouse published against a truth that is known.",
)


@app.callback()
def scored() -> None:
    """Score what a warehouse published against a truth that is known."""


@app.command(epilog="Example: regesta evaluate simulated /tmp/desk --worst 5")
def simulated(
    folder: Annotated[Path, typer.Argument(help="The folder that `regesta simulate` wrote.")],
    *,
    snapshots: Snapshots = None,
    conf: Annotated[
        Path | None, typer.Option(help="What the warehouse was built by; by default FOLDER/conf.")
    ] = None,
    worst: Annotated[
        int, typer.Option(min=0, help="How many of the worst errors of each sort to tell.")
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Score entities, facts and as-of answers against the truth of a simulated archive.

    Entities: which records were put together (pairwise and B-cubed). Facts: triples, rectangles of
    valid and known time, how exact the intervals are. Answers: every question of the truth, put to
    the snapshot by the record's identifier. All by kind of event; the truth counts as far as it was
    told by the snapshot's known time. The exit code is 0 whatever the scores.
    """
    from regesta.cli.progress import counting  # noqa: PLC0415
    from regesta.evaluate.evaluation import evaluate  # noqa: PLC0415
    from regesta.evaluate.published import read_published  # noqa: PLC0415
    from regesta.evaluate.truth import read_truth  # noqa: PLC0415

    truth = read_truth(folder)
    root = snapshots or f"{warehouse_of(conf or folder / 'conf')}/snapshots"
    published = read_published(root)
    asking = partial(counting, "questions asked")
    evaluation(evaluate(truth, published, most=worst, progress=asking), as_json=as_json)


@app.command(epilog="Example: regesta evaluate locomo ../shared/data/locomo --into /tmp/locomo")
def locomo(
    folder: Annotated[Path, typer.Argument(help="The folder that holds locomo10.json.")],
    *,
    into: Annotated[
        Path, typer.Option(help="Where the project goes; it is built only where none is there.")
    ],
    model: Annotated[
        str, typer.Option(help="What embeds the turns, as in embeddings.model of conf/base.yaml.")
    ] = "bge-small-en-v1.5",
    as_json: AsJson = False,
) -> None:
    """Take LoCoMo's conversations in as messages and tell how much evidence a search finds.

    Of each question it is the share of the turns named as evidence among the first 5, 10 and 50
    raw episodes found: by words, by meaning, by both, and so on up to the recipe that episodes are
    searched by where none is named. Its settings were chosen by the first three conversations; what
    is claimed are the figures of the others.
    """
    from regesta import query  # noqa: PLC0415
    from regesta.cli.main import open_build  # noqa: PLC0415
    from regesta.cli.progress import counting  # noqa: PLC0415
    from regesta.evaluate.locomo import KNOWN_AT, read_locomo, write_project  # noqa: PLC0415
    from regesta.evaluate.retrieval import score_locomo, scored  # noqa: PLC0415
    from regesta.pipeline import Run  # noqa: PLC0415

    read = read_locomo(folder)
    if not (into / "conf").exists():
        write_project(read, into, model)
        open_build(into / "conf", []).run(Run(), to_micros(KNOWN_AT))
    snapshot = query.open(f"{warehouse_of(into / 'conf')}/snapshots")
    told = counting("questions asked", len(scored(snapshot)) * len(read.questions))
    recalls(score_locomo(read, snapshot, told), as_json=as_json)
