"""With records alone, a night over a simulated archive believes what the truth says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from comparing import Published, table

from regesta.simulate.plan import Plan, iso
from regesta.simulate.run import simulate

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.spark
@pytest.mark.long
def test_one_night_answers_every_question_and_believes_every_rectangle(tmp_path):
    plan = Plan(seed=7, episodes=2_000, groups=3, nights=20)
    simulate(plan, tmp_path, workers=1)
    program = [sys.executable, "-c", "from regesta.cli.main import main; main()"]
    conf = ["--conf", str(tmp_path / "conf"), "--known-at", iso(plan.end)]
    settings = {k: v for k, v in os.environ.items() if k != "REGESTA_WAREHOUSE"}
    answer = subprocess.run(
        [*program, "nightly", *conf],
        env={**settings, "PYTHONPATH": str(ROOT / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    published = Published(tmp_path / "warehouse")
    questions = table(tmp_path / "truth" / "questions.parquet")
    assert len(questions) == 4_000
    assert [question for question in questions if not published.is_right(question)] == []
    expected = published.expected(table(tmp_path / "truth" / "facts.parquet"))
    assert published.rectangles() == expected
