"""The versions of a record that a nightly extract shows: heartbeats, late extracts, absences."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from judged import arrival, complete, night, nights, run

from regesta.sources.versions import (
    EPISODE,
    LISTED,
    Delivery,
    judge_snapshot_series,
)


def test_equal_nights_are_heartbeats():
    verdicts, stored = run(
        judge_snapshot_series, [], nights((1, "A"), (2, "A"), (3, "B"), (4, "B"), (5, "A")), night()
    )
    assert [(v.kind, v.version.reference_time) for v in verdicts] == [
        ("heartbeat", 2),
        ("heartbeat", 4),
    ]
    assert [v.version.episode_id for v in verdicts] == [stored[0].episode_id, stored[2].episode_id]


def test_a_late_snapshot_changes_only_itself():
    _, stored = run(judge_snapshot_series, [], nights((1, "A"), (3, "A")), night())
    verdicts, later = run(
        judge_snapshot_series, stored, nights((2, "B"), known=200), night(200, 100)
    )
    assert verdicts == []
    assert len(later) == 3
    verdicts, _ = run(judge_snapshot_series, stored, nights((2, "A"), known=200), night(200, 100))
    assert [v.kind for v in verdicts] == ["heartbeat"]
    verdicts, _ = run(judge_snapshot_series, stored, nights((0, "A"), known=200), night(200, 100))
    assert verdicts == []


def test_a_snapshot_delivered_again():
    _, stored = run(judge_snapshot_series, [], nights((1, "A"), (2, "A")), night())
    again = nights((1, "A"), (2, "A"), known=200)
    verdicts = list(judge_snapshot_series([*stored, *again], night(200, 100)))
    assert [v.kind for v in verdicts] == ["unchanged", "unchanged"]
    corrected = nights((2, "B"), known=200)
    verdicts, stored = run(judge_snapshot_series, stored, corrected, night(200, 100))
    assert verdicts == []
    verdicts, _ = run(judge_snapshot_series, stored, nights((2, "A"), known=300), night(300, 200))
    assert [(v.kind, v.version.content_hash) for v in verdicts] == [("superseded", "B")]


def test_a_heartbeat_is_never_known_before_its_episode():
    late, early = nights((1, "A"), known=50), nights((2, "A"), known=10)
    arrived = [*late, replace(early[0], arrival=(0, 2))]
    assert list(judge_snapshot_series(arrived, night())) == []


def gone(verdicts):
    return [v.version.reference_time for v in verdicts if v.kind == "gone"]


def test_a_record_absent_from_a_complete_delivery_has_ended():
    at = night(deliveries=complete(1, 2, 3, 4, new=(1, 2, 3, 4)))
    verdicts, stored = run(judge_snapshot_series, [], nights((1, "A"), (3, "A")), at)
    assert gone(verdicts) == [2, 4]
    assert [v.kind for v in verdicts] == ["gone", "gone"]  # its return at 3 is no heartbeat
    assert {one.removed for one in stored} == {None, "ended"}


def test_absence_is_told_once():
    at = night(deliveries=complete(1, 2, new=(1, 2)))
    _, stored = run(judge_snapshot_series, [], nights((1, "A")), at)
    later = night(200, 100, deliveries=complete(1, 2, 3, new=(3,)))
    assert list(judge_snapshot_series(stored, later)) == []


def test_a_late_complete_delivery_that_lacks_a_record():
    at = night(deliveries=complete(1, 3, new=(1, 3)))
    _, stored = run(judge_snapshot_series, [], nights((1, "A"), (3, "A")), at)
    late = night(200, 100, deliveries=complete(1, 2, 3, new=(2,)))
    (verdict,) = judge_snapshot_series(stored, late)
    assert (verdict.kind, verdict.version.reference_time) == ("gone", 2)
    assert verdict.version.known_at == 200
    assert verdict.version.own_known_at == 100


def test_a_record_that_only_a_late_complete_delivery_lists_ends_at_the_next():
    late = night(200, 100, deliveries=complete(1, 2, 3, new=(2,)))
    verdicts, _ = run(judge_snapshot_series, [], nights((2, "A"), known=200), late)
    assert gone(verdicts) == [3]


def test_a_late_delivery_does_not_put_off_the_end_that_a_later_one_told():
    """In one batch as night by night: that of 3 was known at 30, that of 2 only at 40."""
    told = [Delivery(1, 10, True), Delivery(2, 40, True), Delivery(3, 30, True)]
    listed = [
        arrival("A", time, place=str(time), time=time, known=known, own=known)
        for time, known in ((1, 10), (2, 40))
    ]
    verdicts, _ = run(judge_snapshot_series, [], listed, night(deliveries=told))
    ends = [v.version for v in verdicts if v.kind == "gone"]
    assert [(one.reference_time, one.known_at) for one in ends] == [(3, 30)]


@given(
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.permutations(range(6)),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_a_record_is_believed_listed_where_the_last_known_delivery_lists_it(lists, order, cuts):
    """Whatever the order of the deliveries, and however they are split into batches."""
    known = {time: 10 * (1 + order.index(time)) for time in range(len(lists))}
    arriving = sorted(known, key=lambda time: known[time])
    stored, taken, batch, previous = [], [], [], None
    for number, time in enumerate(arriving):
        batch.append(time)
        if not (cuts[number] or number == len(arriving) - 1):
            continue
        taken += batch
        rows = [
            arrival("A", t, place=str(t), time=t, known=known[t], own=known[t])
            for t in batch
            if lists[t]
        ]
        deliveries = [Delivery(t, known[t], t in batch) for t in sorted(taken)]
        at = night(known[time], previous, deliveries)
        _, stored = run(judge_snapshot_series, stored, rows, at)
        batch, previous = [], known[time]
    for moment in known.values():
        for time in known:
            told = [one for one in stored if one.known_at <= moment and one.reference_time <= time]
            last = max(told, key=lambda one: one.reference_time, default=None)
            delivered = [t for t in known if known[t] <= moment and t <= time]
            expected = bool(delivered) and lists[max(delivered)]
            assert (last is not None and last.removed is None) == expected


def test_a_rejected_row_still_lists_its_record():
    at = night(deliveries=complete(1, 2, 3, new=(1, 2, 3)))
    rejected = replace(nights((2, "?"))[0], kind=LISTED, arrival=(0, 9))
    verdicts, _ = run(judge_snapshot_series, [], [*nights((1, "A")), rejected], at)
    assert gone(verdicts) == [3]


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.sampled_from("AB")), max_size=6, unique_by=lambda p: p[0]
    )
)
def test_every_night_can_be_read_from_episodes_and_heartbeats(told):
    _, stored = run(judge_snapshot_series, [], nights(*told), night())
    assert {(one.reference_time, one.content_hash) for one in stored} == set(told)
    changes = [
        content
        for (_, content), before in zip(sorted(told), [(0, None), *sorted(told)], strict=False)
        if content != before[1]
    ]
    episodes = sorted(stored, key=lambda one: one.reference_time)
    assert [one.content_hash for one in episodes if one.kind == EPISODE] == changes


@given(
    st.dictionaries(st.integers(1, 6), st.sampled_from(["A", "B", None]), min_size=1),
    st.randoms(use_true_random=False),
    st.integers(1, 3),
)
def test_complete_deliveries_in_any_order_and_batches_tell_every_night(told, random, batches):
    times = sorted(told)
    random.shuffle(times)
    stored, seen = [], set()
    for number in range(batches):
        new = set(times[number::batches])
        seen |= new
        at = night((number + 1) * 100, number * 100 or None, complete(*sorted(seen), new=new))
        arrived = nights(*((time, told[time]) for time in sorted(new) if told[time]))
        _, stored = run(judge_snapshot_series, stored, arrived, at)
    said = {(one.reference_time, one.content_hash) for one in stored if one.removed is None}
    assert said == {(time, content) for time, content in told.items() if content}
    ended = {one.reference_time for one in stored if one.removed == "ended"}
    lost = {
        time
        for before, time in zip(sorted(told), sorted(told)[1:], strict=False)
        if told[before] and not told[time]
    }
    assert lost <= ended
    assert all(told[time] is None for time in ended)
