"""Sign codes, and the first pass that they are for, against all vectors compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import regesta.query
from publish import tiny, writing
from query.words import Words
from regesta.query import vectors
from regesta.query.codes import differing, nearest, sign_codes

NUMBERS = st.floats(-1, 1, width=32)


@given(st.integers(1, 200).flatmap(lambda n: arrays.arrays(np.float32, (5, n), elements=NUMBERS)))
def test_the_signs_that_differ(rows):
    codes = sign_codes(rows)
    assert codes.shape == (-(-rows.shape[1] // 64), 5)
    wanted = ((rows > 0) != (rows[0] > 0)).sum(axis=1)
    assert differing(codes, sign_codes(rows[:1])[:, 0]).tolist() == wanted.tolist()


def test_no_vectors_have_no_codes():
    codes = sign_codes(np.empty((0, 70), np.float32))
    assert differing(codes, np.zeros(2, np.uint64)).tolist() == []


@given(st.lists(st.integers(0, 9), min_size=1), st.data())
def test_the_nearest_and_those_as_far_as_the_last(distances, data):
    count = data.draw(st.integers(1, len(distances)))
    last = sorted(distances)[count - 1]
    wanted = [place for place, each in enumerate(distances) if each <= last]
    assert nearest(np.array(distances, np.uint16), count).tolist() == wanted


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A group of 600 facts of three words each, beside another group's."""
    generator, words = np.random.default_rng(3), [f"word{n}" for n in range(40)]
    rows = {name: [] for name in tiny.tables()}
    for group in ("f", "g", "h"):
        rows["entities"].append(tiny.entity(f"e-{group}", "Ann", group=group))
        rows["episodes"].append(tiny.episode(f"m-{group}", "", group=group))
        for number in range(600):
            text = " ".join(generator.choice(words, 3))
            name, start = f"{group}{number:03}", "2022-01-01" if number % 3 else "2030-01-01"
            told = (name, f"e-{group}", "SAYS", None, text)
            rows["facts"].append(tiny.fact(*told, group=group, value=name, valid_at=start))
            cited = (name, start, f"s-{name}", f"m-{group}")
            rows["fact_evidence"].append(tiny.evidence(*cited, group=group))
    root = tmp_path_factory.mktemp("snapshots")
    writing.write_snapshot(root, rows, encoder=Words())
    return regesta.query.open(root, encoder=Words()).group("g")


def asked(graph, text):
    hits = graph.search(text, recipe="fact_cosine", limit=5)
    return [(hit.id, hit.score) for hit in hits]


@pytest.mark.parametrize("text", ["word1 word2 word3", "word7", "word30 word31"])
def test_what_the_first_pass_leaves_is_compared_as_without_it(graph, monkeypatch, text):
    every = dict(asked_all(graph, text))
    monkeypatch.setattr(vectors, "_LARGE", 100)
    monkeypatch.setattr(vectors, "_KEPT", 120)
    monkeypatch.setattr(vectors, "_KEPT_PER_HIT", 1)
    passed = []
    monkeypatch.setattr(
        vectors, "nearest", lambda *given: passed.append(nearest(*given)) or passed[-1]
    )
    found = asked(graph, text)
    assert 120 <= len(passed[0]) < 400  # of the 400 that hold, in the group's slice of the codes
    assert found == [(each, every[each]) for each, _ in found]
    best = sorted(every.items(), key=lambda each: (-each[1], each[0]))[:5]
    assert len({each for each, _ in found} & {each for each, _ in best}) >= 4


def asked_all(graph, text):
    return [(hit.id, hit.score) for hit in graph.search(text, recipe="fact_cosine", limit=600)]
