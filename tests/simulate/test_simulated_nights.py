"""Ten thousand simulated episodes in thirty nights, in turn and shuffled: every answer is right."""

from __future__ import annotations

from random import Random

import pytest
from comparing import Published, table

from bench.nights import Deliveries, run_nights
from regesta.simulate.plan import Plan
from regesta.simulate.run import simulate

pytestmark = [pytest.mark.spark, pytest.mark.long]
PLAN = Plan(seed=7, episodes=10_000, groups=10, nights=30)


@pytest.fixture
def desk(tmp_path):
    simulate(PLAN, tmp_path)
    return tmp_path


def test_in_turn_each_at_its_own_date(spark, desk):
    nights = list(run_nights(spark, desk))
    assert len(nights) == 30
    published = Published(desk / "warehouse")
    questions = table(desk / "truth" / "questions.parquet")
    assert len(questions) == 20_000
    assert [question for question in questions if not published.is_right(question)] == []
    assert published.rectangles() == published.expected(table(desk / "truth" / "facts.parquet"))


def test_shuffled_what_is_known_last_is_the_same(spark, desk):
    order = Deliveries(desk).days
    Random(7).shuffle(order)
    *_, last = run_nights(spark, desk, order)
    published = Published(desk / "warehouse")
    known = published.known_at
    asked = [
        {**question, "known": known}
        for question in table(desk / "truth" / "questions.parquet")
        if question["axis"] == "valid"
    ]
    assert len(asked) > 6_000
    assert [question for question in asked if not published.is_right(question)] == []
    assert last.known_at > max(Deliveries(desk).days)
