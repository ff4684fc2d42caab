"""A simulated archive in one night, in many, or with its nights shuffled; then scored.

python tests/bench/bench_nights.py --episodes 1000000 --groups 1000 --nights 30 --json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from measured import Peak
from nights import Deliveries, Night, run_nights
from rich.console import Console
from rich.table import Table

from regesta.config import load
from regesta.evaluate.evaluation import evaluate
from regesta.evaluate.published import read_published
from regesta.evaluate.truth import read_truth
from regesta.pipeline import Run, open_pipeline
from regesta.session import start_session
from regesta.simulate.plan import Plan
from regesta.simulate.run import simulate

STEPS = ("ingest", "extract", "resolve", "timeline", "communities", "publish")
GIBIBYTE = 2**30


def at_once(spark: Any, desk: Path, plan: Plan) -> Iterator[Night]:
    """Run the whole archive as one night at its end."""
    begun = time.monotonic()
    pipeline = open_pipeline(spark, load(desk / "conf"), lambda _: None)
    report = pipeline.run(Run(), plan.end * 1_000_000)[-1]
    yield Night("all", str(plan.end), round(time.monotonic() - begun, 1), dict(report.steps))


def told(night: Night) -> dict[str, Any]:
    """Return the figures of a night."""
    steps = {step: night.steps.get(step, {}).get("seconds", 0) for step in STEPS}
    rows = night.steps["ingest"].get("read", 0)
    return {"delivered": night.delivered, "rows": rows, "seconds": night.seconds, **steps}


def scored(desk: Path, *, known_last: bool) -> dict[str, Any]:
    """Score what was published, as `regesta evaluate simulated` does.

    `known_last`: only what is believed last is as in the truth, when it was learned is not.
    """
    truth = read_truth(desk)
    published = read_published(str(desk / "warehouse" / "snapshots"))
    if known_last:
        truth = replace(truth, questions=asked_last(truth.questions, published.known_at))
    found = evaluate(truth, published, most=0, progress=lambda _: lambda _: None)
    answers = {axis.name: [axis.right, axis.asked] for axis in found.answers.axes}
    if known_last:
        return {"answers": answers}
    rectangles = found.facts.every.rectangles
    figures = {"precision": rectangles.precision, "recall": rectangles.recall}
    return {"answers": answers, "rectangles": figures}


def asked_last(questions: pa.Table, known_at: int) -> pa.Table:
    """Return the questions about what is known last, asked at a later known time."""
    last = questions.filter(pc.equal(questions["axis"], "valid"))
    place = last.schema.get_field_index("known")
    known = pa.array([known_at] * len(last), pa.int64()).cast(last.schema.field("known").type)
    return last.set_column(place, "known", known)


def as_table(figures: dict[str, Any]) -> Table:
    """Return the figures of the nights for a terminal."""
    table = Table(title=f"{figures['episodes']:,} episodes, {figures['order']}")
    for heading in ("delivered", "rows", "seconds", *STEPS):
        table.add_column(heading, justify="right")
    for night in figures["nights"]:
        values = (night[key] for key in ("rows", "seconds", *STEPS))
        table.add_row(night["delivered"], *(f"{value:,}" for value in values))
    return table


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--order", choices=["at once", "in turn", "shuffled"], default="in turn")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def measured(given: argparse.Namespace, desk: Path) -> dict[str, Any]:
    """Simulate, run the nights in one session, score; return all figures."""
    plan = Plan(given.seed, given.episodes, given.groups, given.nights)
    simulate(plan, desk)
    peak = Peak()
    spark = start_session(name="bench")
    if given.order == "at once":
        nights = at_once(spark, desk, plan)
    else:
        order = Deliveries(desk).days
        if given.order == "shuffled":
            Random(given.seed).shuffle(order)
        nights = run_nights(spark, desk, order if given.order == "shuffled" else None)
    rows = []
    for night in nights:
        rows.append(told(night))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    spark.stop()
    return {
        "episodes": given.episodes,
        "order": given.order,
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "peak_gib": round(peak.stop() / GIBIBYTE, 1),
        "nights": rows,
        **scored(desk, known_last=given.order == "shuffled"),
    }


def main() -> None:
    """Run the bench and print its figures."""
    given, console = arguments(), Console()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measured(given, Path(scratch) / "desk")
    if given.json:
        console.print_json(data=figures)
        return
    console.print(as_table(figures))
    console.print(f"{figures['seconds']:,} s in all, peak {figures['peak_gib']} GiB")
    for axis, (right, asked) in figures["answers"].items():
        console.print(f"answers on {axis}: {right:,} of {asked:,} right")
    if "rectangles" in figures:
        console.print(f"rectangles: {figures['rectangles']}")


if __name__ == "__main__":
    main()
