"""Several lists to one, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from publish import tiny
from query import world
from regesta.query import Recipe, ScopeRecipe
from regesta.query.fusion import reciprocal_rank_fusion, summed_scores
from regesta.query.question import Ranked


def listed(*pairs):
    rows, scores = zip(*pairs, strict=True)
    return Ranked(np.array(rows), np.array(scores, float))


ONE, OTHER = listed((7, 9.0), (3, 5.0), (5, 1.0)), listed((3, 0.9), (4, 0.8))


def test_reciprocal_rank_fusion():
    fused = reciprocal_rank_fusion([(ONE, 1), (OTHER, 1)], 60, 10)
    assert fused.rows.tolist() == [3, 7, 4, 5]
    wanted = [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]
    assert fused.scores.tolist() == [round(each, 6) for each in wanted]
    # With the constant 0 the first place of the one list outweighs two worse ones.
    assert reciprocal_rank_fusion([(ONE, 1), (OTHER, 1)], 0, 2).scores.tolist() == [1.5, 1.0]


def test_weights_of_lists():
    fused = reciprocal_rank_fusion([(ONE, 1), (OTHER, 3)], 1, 10)
    assert fused.rows.tolist() == [3, 4, 7, 5]
    assert fused.scores.tolist() == [round(1 / 3 + 3 / 2, 6), 1.0, 0.5, 0.25]


def test_what_a_list_scores_alike_shares_a_rank():
    tied = listed((1, 2.0), (2, 2.0), (3, 1.0))
    fused = reciprocal_rank_fusion([(tied, 1), (listed((3, 1.0), (2, 0.5)), 1)], 1, 10)
    assert fused.rows.tolist() == [2, 3, 1]
    assert fused.scores.tolist() == [round(1 / 2 + 1 / 3, 6), round(1 / 4 + 1 / 2, 6), 0.5]


def test_summed_scores():
    """Of 4 rows one has 2 and one has 4: mean 1.5, deviation sqrt(20/4 - 2.25) = sqrt(2.75)."""
    lists = [(listed((0, 4.0), (1, 2.0)), 1), (listed((1, 1.0)), 3)]
    fused = summed_scores(lists, 4, 10)
    deviations = 2.75**0.5, (1 / 4 - 1 / 16) ** 0.5
    assert fused.rows.tolist() == [1, 0]
    wanted = [2 / deviations[0] + 3 / deviations[1], 4 / deviations[0]]
    assert fused.scores.tolist() == pytest.approx(wanted, abs=1e-6)


def test_a_list_that_was_cut_off_counts_from_its_least():
    fused = summed_scores([(listed((0, 4.0), (1, 3.0)), 1)], 2, 2)
    assert fused.scores.tolist() == [2.0, 0.0]  # 1 and 0: mean and deviation are 1/2


def test_neighbours_in_the_thread_share_a_score(tmp_path):
    """t1: a b c d by position within one instant; t2: e alone; c was corrected later."""
    words = {"a": "none", "b": "fox", "c": "none", "d": "none", "e": "none"}
    episodes = [
        tiny.episode(each, text, at="2022-01-01") | {"position": n, "thread_id": "t1"}
        for n, (each, text) in enumerate(words.items())
    ]
    episodes[4]["thread_id"] = "t2"
    episodes.append(episodes[2] | {"episode_id": "c2", "known_at": "2022-02-01"})
    gone = {"episode_id": "c", "superseded_at": "2022-02-01", "superseded_by": "c2", "batch": 1}
    tables = world.rows() | {"episodes": episodes, "supersessions": [gone]}
    empty = {name: [] for name in ("facts", "fact_evidence", "communities", "community_members")}
    graph = world.opened(tmp_path, tables | empty).group("acme")
    recipe = Recipe("near", {"episodes": ScopeRecipe(("bm25",), thread_share=0.5)})
    hits = graph.search("fox", recipe=recipe)
    assert world.ids(hits) == ["b", "a", "c2", "d"]  # d lies beyond c2
    full = hits[0].score
    lent = [full * share for share in (0.5, 0.5, 0.25)]
    assert [hit.score for hit in hits[1:]] == pytest.approx(lent, abs=1e-6)
    assert [dict(hit.ranks) for hit in hits] == [{"bm25": 1}, {}, {}, {}]
    before = graph.as_of(known="2022-01-15").search("fox", recipe=recipe)
    assert world.ids(before) == ["b", "a", "c", "d"]
