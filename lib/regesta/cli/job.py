"""One step of a batch, for schedulers that submit each step by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regesta.cli import show
from regesta.cli.main import Sources, open_build, run_command
from regesta.cli.options import BudgetText, KnownAt, run_time
from regesta.llm.prices import WITHOUT_LIMIT, Budget
from regesta.pipeline import Run


def run_job(*steps: str) -> None:
    """Run steps of the batch under way; `ingest` begins one.

    A user's mistake becomes a sentence and an exit code, as in the `regesta` command.
    """

    def job(
        *,
        conf: Annotated[Path, typer.Option(help="The configuration folder.")] = Path("conf"),
        known_at: KnownAt = None,
        source: Sources = None,
        refresh_communities: bool = False,
        budget: BudgetText = None,
    ) -> None:
        """Run the steps as the options say and print what they did as JSON."""
        most = WITHOUT_LIMIT if budget is None else Budget.told(budget)
        pipeline = open_build(conf, source or [])
        if steps[0] == "ingest":
            run = Run(steps=steps, refresh=refresh_communities, budget=most)
            show.batches(pipeline.run(run, run_time(known_at)), as_json=True)
        else:
            reports = [
                pipeline.continue_with(step, refresh=refresh_communities, budget=most)
                for step in steps
            ]
            show.batches(reports, as_json=True)

    run_command(lambda: typer.run(job))
