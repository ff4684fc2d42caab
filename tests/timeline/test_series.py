"""Snapshot series: what each snapshot says, as its neighbours become known."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from regesta.timeline.series import Snapshot
from regesta.timeline.series import testimonies as spans_of


def snapshot(item, time, known, listed, until=None):
    return Snapshot(item, f"episode {item}", time, known, until, {key: key for key in listed})


def told(snapshots):
    return sorted(
        (t.snapshot.item, t.key, "ends" if t.ends else "begins", t.known_from, t.known_until)
        for t in spans_of(snapshots)
    )


def test_a_value_is_stated_where_it_changes_and_ended_where_it_vanishes():
    nights = [snapshot("n1", 1, 1, "ab"), snapshot("n2", 2, 2, "ab"), snapshot("n3", 3, 3, "b")]
    assert told(nights) == [
        ("n1", "a", "begins", 1, None),
        ("n1", "b", "begins", 1, None),
        ("n3", "a", "ends", 3, None),
    ]


def test_a_late_snapshot_changes_itself_and_the_next_one():
    nights = [snapshot("n1", 1, 1, "a"), snapshot("n3", 3, 3, "a"), snapshot("n2", 2, 9, "b")]
    assert told(nights) == [
        ("n1", "a", "begins", 1, None),
        ("n2", "a", "ends", 9, None),
        ("n2", "b", "begins", 9, None),
        ("n3", "a", "begins", 9, None),
        ("n3", "b", "ends", 9, None),
    ]


def test_a_corrected_snapshot_is_replaced_at_its_known_time():
    nights = [
        snapshot("n1", 1, 1, "a"),
        snapshot("n2", 2, 2, "", until=5),
        snapshot("n2", 2, 5, "a"),
    ]
    assert told(nights) == [("n1", "a", "begins", 1, None), ("n2", "a", "ends", 2, 5)]


def test_a_removed_record_ends_all():
    nights = [snapshot("n1", 1, 1, "ab"), snapshot("n2", 2, 2, "")]
    assert [entry[2:4] for entry in told(nights) if entry[0] == "n2"] == [("ends", 2)] * 2


def literal(snapshots, known):
    """What the rule says at one known time, word by word."""
    counting = sorted(
        (
            s
            for s in snapshots
            if s.known_from <= known and (s.known_until is None or known < s.known_until)
        ),
        key=lambda s: s.reference_time,
    )
    said = set()
    for before, one in zip([None, *counting], counting, strict=False):
        had = set(before.listed) if before else set()
        said |= {(one.item, key, False) for key in set(one.listed) - had}
        said |= {(one.item, key, True) for key in had - set(one.listed)}
    return said


@st.composite
def histories(draw):
    made = []
    for time in draw(st.lists(st.integers(1, 6), unique=True, max_size=5)):
        knowns = sorted(draw(st.lists(st.integers(1, 8), unique=True, min_size=1, max_size=3)))
        for known, until in zip(knowns, [*knowns[1:], None], strict=True):
            listed = draw(st.frozensets(st.sampled_from("abc")))
            made.append(snapshot(f"n{time}", time, known, sorted(listed), until))
    return draw(st.permutations(made))


@settings(max_examples=300)
@given(histories())
def test_at_every_known_time_a_series_says_what_the_rule_says(snapshots):
    spans = spans_of(snapshots)
    for known in range(10):
        counting = [
            (t.snapshot.item, t.key, t.ends)
            for t in spans
            if t.known_from <= known and (t.known_until is None or known < t.known_until)
        ]
        assert len(counting) == len(set(counting))
        assert set(counting) == literal(snapshots, known)
