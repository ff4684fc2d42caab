"""The nights of a simulated archive, then a rebuild of them: seconds, and whether rows differ.

python tests/bench/bench_rebuild.py --episodes 10000 --groups 20 --nights 5
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from measured import Peak
from nights import run_nights

from regesta.config import load
from regesta.rebuild.rebuild import rebuild
from regesta.session import start_session
from regesta.simulate.plan import Plan
from regesta.simulate.run import simulate
from regesta.warehouse.warehouse import Warehouse

GIBIBYTE = 2**30


def main() -> None:
    """Simulate, run the nights, rebuild, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--groups", type=int, default=20)
    parser.add_argument("--nights", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder) / "desk"
        simulate(Plan(**vars(given)), desk)
        spark = start_session(name="bench")
        nights = [night.seconds for night in run_nights(spark, desk)]
        configuration = load(desk / "conf")
        warehouse = Warehouse.open(spark, configuration.settings.warehouse)
        peak, begun = Peak(), time.monotonic()
        found = rebuild(
            warehouse,
            configuration,
            lambda text: print(text, file=sys.stderr, flush=True),
            new_generation=False,
        )
        seconds = round(time.monotonic() - begun, 1)
        figures = {
            "nights": nights,
            "rebuild": seconds,
            "peak GiB": round(peak.stop() / GIBIBYTE, 1),
            "rows": {each.table: each.rows_after for each in found.tables},
            "differences": {each.table: each.counts for each in found.tables if each.counts},
        }
        print(json.dumps(figures, indent=1))
        spark.stop()


if __name__ == "__main__":
    main()
