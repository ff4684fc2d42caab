"""Growth: a simulated archive of several sizes, in one graph and in many, each in one night.

python tests/bench/bench_growth.py 10000 100000 1000000 3000000 --groups 1 10000 --plot growth.png

Tells seconds, peak memory and bytes written by step, and which step grows faster than its input.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from pathlib import Path

from commands import ENVIRONMENT, REGESTA, batches
from measured import measure
from rich.console import Console
from rich.table import Table

from regesta.simulate.plan import Plan, iso
from regesta.simulate.run import simulate

STEPS = ("ingest", "extract", "resolve", "timeline", "communities", "publish")
WRITTEN_BY = {
    "ingest": ("episodes", "supersessions", "heartbeats", "rejected_rows", "deliveries"),
    "extract": ("mentions", "statements", "rejected_episodes"),
    "resolve": ("entities", "entity_members", "entity_redirects", "match_decisions"),
    "timeline": ("resolved_statements", "facts", "fact_evidence"),
    "communities": ("communities", "community_members"),
}
STEEP = 1.15
"""Seconds grow with this power of the input, or faster: more than the noise of a measurement."""
MEBIBYTE, GIBIBYTE = 2**20, 2**30


@dataclass(frozen=True)
class Grown:
    """One size: seconds and bytes by step, and the whole command's seconds and peak memory."""

    episodes: int
    groups: int
    seconds: float
    peak_bytes: int
    step_seconds: dict[str, float]
    step_bytes: dict[str, int]


def grown(episodes: int, groups: int, folder: Path) -> Grown:
    """Simulate an archive and run its night."""
    plan = Plan(seed=7, episodes=episodes, groups=groups, nights=30)
    simulate(plan, folder)
    conf = ["--conf", str(folder / "conf")]
    command = [*REGESTA, "nightly", *conf, "--known-at", iso(plan.end)]
    taken = measure(command, log=folder / "log.txt", environment=ENVIRONMENT)
    [batch] = batches(folder / "conf")
    steps = batch["steps"]
    warehouse = folder / "warehouse"
    written = {
        step: sum(_size(warehouse / "tables" / table) for table in WRITTEN_BY[step])
        for step in WRITTEN_BY
    }
    return Grown(
        episodes=episodes,
        groups=groups,
        seconds=taken.seconds,
        peak_bytes=taken.peak_bytes,
        step_seconds={step: steps[step]["seconds"] for step in STEPS},
        step_bytes={**written, "publish": _size(warehouse / "snapshots")},
    )


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def growth(found: list[Grown]) -> dict[str, float]:
    """Return step -> the largest power of the input with which its seconds grow, 10 s or more."""
    powers: dict[str, float] = {}
    for _, sizes in groupby(sorted(found, key=_by_groups), key=lambda each: each.groups):
        for small, large in pairwise(sizes):
            for step in STEPS:
                before, after = small.step_seconds[step], large.step_seconds[step]
                if min(before, after) >= 10:
                    power = math.log(after / before) / math.log(large.episodes / small.episodes)
                    powers[step] = max(power, powers.get(step, power))
    return {step: round(power, 2) for step, power in powers.items()}


def _by_groups(each: Grown) -> tuple[int, int]:
    return each.groups, each.episodes


def as_table(found: list[Grown]) -> Table:
    """Return seconds and MiB written by step for a terminal."""
    table = Table(title="Seconds, and MiB written, by step")
    for heading in ("episodes", "groups", "seconds", "peak GiB", *STEPS):
        table.add_column(heading, justify="right")
    for each in found:
        steps = (
            f"{each.step_seconds[step]:,.0f} s\n{each.step_bytes[step] / MEBIBYTE:,.0f} MiB"
            for step in STEPS
        )
        whole = (f"{each.seconds:,.0f}", f"{each.peak_bytes / GIBIBYTE:.1f}")
        table.add_row(f"{each.episodes:,}", f"{each.groups:,}", *whole, *steps)
    return table


def plot(found: list[Grown], path: Path) -> None:
    """Draw seconds by step against episodes, both on logarithmic axes, a panel for each groups."""
    from matplotlib import pyplot

    panels = [list(each) for _, each in groupby(sorted(found, key=_by_groups), lambda g: g.groups)]
    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(6 * len(panels), 5), sharey=True, squeeze=False
    )
    for axis, sizes in zip(axes[0], panels, strict=True):
        episodes = [each.episodes for each in sizes]
        for step in STEPS:
            axis.loglog(episodes, [each.step_seconds[step] for each in sizes], "o-", label=step)
        axis.loglog(episodes, [each.seconds for each in sizes], "ks--", label="whole night")
        axis.set(title=f"{sizes[0].groups:,} groups", xlabel="episodes", ylabel="seconds")
        axis.grid(visible=True, which="both", alpha=0.3)
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("episodes", nargs="+", type=int)
    parser.add_argument("--groups", nargs="+", type=int, default=[1, 10_000])
    parser.add_argument("--plot", type=Path, help="where to draw the growth, as PNG or SVG")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Measure every size in turn and print the figures."""
    given, console = arguments(), Console()
    found: list[Grown] = []
    for groups in given.groups:
        for episodes in given.episodes:
            with tempfile.TemporaryDirectory() as scratch:
                found.append(grown(episodes, min(groups, episodes), Path(scratch) / "desk"))
            print(json.dumps(asdict(found[-1])), file=sys.stderr, flush=True)
    powers = growth(found)
    if given.plot:
        plot(found, given.plot)
    if given.json:
        console.print_json(data={"sizes": [asdict(each) for each in found], "powers": powers})
        return
    console.print(as_table(found))
    for step, power in powers.items():
        steep = ": faster than its input" if power >= STEEP else ""
        console.print(f"{step} grows with the input to the power {power}{steep}")


if __name__ == "__main__":
    main()
