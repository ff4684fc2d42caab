"""Days, months and years that a question names."""

from __future__ import annotations

import numpy as np
import pytest

from publish import tiny
from query import world
from query.world import ids
from regesta.query.named_times import NamedTime, named_times


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What broke on 2024-03-05?", [NamedTime(2024, 3, 5)]),
        ("What broke in 2024-03?", [NamedTime(2024, 3)]),
        ("on 3 June, 2023, or on 3rd of June 2023", [NamedTime(2023, 6, 3)] * 2),
        ("on October 13, 2023", [NamedTime(2023, 10, 13)]),
        ("on the 5th of May", [NamedTime(None, 5, 5)]),
        ("since Sept 2022 and Jan. 4", [NamedTime(2022, 9), NamedTime(None, 1, 4)]),
        ("in december 2023, and in 2022?", [NamedTime(2023, 12), NamedTime(2022)]),
        ("Who left in June?", [NamedTime(None, 6)]),
        ("in May or in March", [NamedTime(None, 5), NamedTime(None, 3)]),
        ("May I march on, and may she?", []),
        ("March was dry", []),
        ("ticket 20231 of CRM-2023X, room 1850", []),
        ("by the 7th day, INC0001234", []),
    ],
)
def test_named_times(text, wanted):
    assert named_times(text) == wanted


def test_which_moments_a_named_time_holds():
    moments = np.array(
        [
            tiny.micros(each)
            for each in ("2023-06-30T23:59:59", "2023-07-01", "2024-07-31T12:00", "1969-07-02")
        ]
    )
    for named, wanted in (
        (NamedTime(2023, 6), [True, False, False, False]),
        (NamedTime(None, 7), [False, True, True, True]),
        (NamedTime(None, 7, 31), [False, False, True, False]),
        (NamedTime(1969), [False, False, False, True]),
        (NamedTime(2023, 2, 31), [False, False, False, False]),
    ):
        assert named.holds(moments).tolist() == wanted


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return world.opened(tmp_path_factory.mktemp("world")).group("g")


def test_the_date_that_a_question_names_finds_episodes_alone(graph):
    assert ids(graph.search("on 3 January 2022?", recipe="episode_date")) == ["m3"]
    assert ids(graph.search("in 2022?", recipe="episode_date", limit=2)) == ["m1", "m2"]
    assert ids(graph.search("in 2021?", recipe="episode_date")) == []
    earlier = graph.as_of(known="2022-01-02")
    assert ids(earlier.search("in January 2022", recipe="episode_date")) == ["m1", "m2"]


def test_episodes_are_searched_by_words_author_date_and_thread(graph):
    """Of "bob writes" and "bob repeats" the date tells which; ann's and cy's mail stand beside."""
    hits = graph.search("What did bob say on 3 January 2022?", scope="episodes")
    assert ids(hits)[:2] == ["m3", "m2"]
    assert hits[0].ranks == {"bm25": 1, "date": 1}
    assert set(ids(hits)) == {"m1", "m2", "m3", "m4", "m5"}
    named = graph.search("What did bob say on 3 January 2022?", recipe="episode_hybrid_thread")
    assert [(hit.id, hit.score) for hit in named] == [(hit.id, hit.score) for hit in hits]
