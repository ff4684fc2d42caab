"""What the local extractor finds in simulated messages, by phrasings kept for scoring only."""

from __future__ import annotations

import pytest

pytest.importorskip("duckling", reason="needs the extra `text`")


def test_unseen_phrasings_are_understood_rightly_and_mostly(tmp_path):
    from bench.score_messages import score
    from regesta.simulate.plan import Plan
    from regesta.simulate.run import simulate

    simulate(Plan(seed=11, episodes=5000, groups=5, nights=5), tmp_path / "desk", workers=1)
    found = score(tmp_path / "desk", "held_out")
    assert found.told.total() > 300
    assert found.precision >= 0.95
    assert found.recall >= 0.60, found.found
    assert found.interval_exact >= 0.90
