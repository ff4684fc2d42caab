"""Snapshot series: what each snapshot says, as its neighbours become known."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from regesta.timeline.series import Snapshot
from regesta.timeline.series import testimonies as spans_of


def snapshot(item, time, known, listed, until=None, unknown=""):
    """`listed` are values, one for each thing; A is another value of the thing a."""
    keys = {(one.lower(), one): one for one in listed}
    return Snapshot(item, f"episode {item}", time, known, until, keys, frozenset(unknown))


def told(snapshots):
    return sorted(
        (t.snapshot.item, t.key[1], "ends" if t.ends else "begins", t.known_from, t.known_until)
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


def test_what_a_snapshot_does_not_know_holds_on():
    nights = [
        snapshot("n1", 1, 1, "a"),
        snapshot("n2", 2, 2, "", unknown="a"),
        snapshot("n3", 3, 3, "a"),
        snapshot("n4", 4, 4, "", unknown="a"),
        snapshot("n5", 5, 5, "A"),
    ]
    assert told(nights) == [
        ("n1", "a", "begins", 1, None),
        ("n5", "A", "begins", 5, None),
        ("n5", "a", "ends", 5, None),
    ]


def test_what_was_not_known_is_judged_again_when_a_late_snapshot_tells():
    nights = [
        snapshot("n1", 1, 1, "a"),
        snapshot("n3", 3, 3, "", unknown="a"),
        snapshot("n4", 4, 4, "a"),
        snapshot("n2", 2, 9, "A"),
    ]
    assert told(nights) == [
        ("n1", "a", "begins", 1, None),
        ("n2", "A", "begins", 9, None),
        ("n2", "a", "ends", 9, None),
        ("n4", "A", "ends", 9, None),
        ("n4", "a", "begins", 9, None),
    ]


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
    said, had = set(), set()
    for one in counting:
        holds = set(one.listed) | {key for key in had if key[0] in one.unknown}
        said |= {(one.item, key, False) for key in set(one.listed) - had}
        said |= {(one.item, key, True) for key in had - holds}
        had = holds
    return said


@st.composite
def histories(draw):
    made = []
    for time in draw(st.lists(st.integers(1, 6), unique=True, max_size=5)):
        knowns = sorted(draw(st.lists(st.integers(1, 8), unique=True, min_size=1, max_size=3)))
        for known, until in zip(knowns, [*knowns[1:], None], strict=True):
            listed = draw(st.frozensets(st.sampled_from("abAB")))
            unknown = draw(st.frozensets(st.sampled_from("ab")))
            unknown -= {one.lower() for one in listed}
            made.append(snapshot(f"n{time}", time, known, sorted(listed), until, unknown))
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
