"""Regesta's rules, run in memory over a simulated archive, believe every rectangle of the truth."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from comparing import joined, table
from hypothesis import given, settings
from hypothesis import strategies as st
from in_memory import rectangles

from regesta.simulate.plan import Plan
from regesta.simulate.run import simulate


def assert_every_rectangle(plan: Plan) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        simulate(plan, folder, workers=1)
        spans = defaultdict(list)
        for row in table(folder / "truth" / "facts.parquet"):
            target = row["object"] or f"={row['value']}"
            place = (row["group_id"], row["subject"], row["relation"], target)
            known = (row["created_at"], row["expired_at"])
            spans[*place, row["valid_at"], row["invalid_at"]].append(known)
        expected = {(*p, *span) for p, known in spans.items() for span in joined(known)}
        found = rectangles(folder, plan.end * 1_000_000)
        assert (sorted(map(str, expected - found)), sorted(map(str, found - expected))) == ([], [])


def test_all_rectangles_of_a_thousand_episodes():
    assert_every_rectangle(Plan(seed=1, episodes=1_000, groups=1, nights=30))


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**63),
    episodes=st.integers(1_000, 2_600),
    groups=st.sampled_from([1, 2, 13, 150, 900]),
    nights=st.sampled_from([1, 2, 3, 4, 6, 10, 30, 90, 366]),
)
def test_all_rectangles_of_any_simulation(seed, episodes, groups, nights):
    assert_every_rectangle(Plan(seed=seed, episodes=episodes, groups=groups, nights=nights))
