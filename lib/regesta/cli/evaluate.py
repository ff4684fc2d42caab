"""`regesta evaluate`: what a warehouse published, scored against a truth that is known."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from regesta.cli.options import AsJson, Snapshots, warehouse_of
from regesta.cli.show_scores import evaluation

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
