from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.versions import (
    ABSENT,
    ARRIVAL,
    BY_ARRIVAL,
    EPISODE,
    HEARTBEAT,
    LISTED,
    LOWEST_PLACE,
    Delivery,
    Night,
    Version,
    judge_item_series,
    judge_snapshot_series,
)


def night(known_at=100, previous=None, deliveries=()):
    def name(version):
        own = version.known_at if version.own_known_at is None else version.own_known_at
        parts = (version.item_id, version.place, *version.said, version.known_at, own)
        return "/".join(map(str, parts))

    return Night(known_at, previous, name, ended_hash="ended", deliveries=deliveries)


def arrival(content, row=1, *, place="p", known=100, own=None, time=0, **fields):
    made = Version(
        kind=ARRIVAL,
        item_id=str(time),
        reference_time=time,
        place=place,
        known_at=known,
        own_known_at=own,
        content_hash=content,
        group_id="g",
        removed=None,
        arrival=(0, row),
    )
    return replace(made, **fields)


def by_arrival(contents, *, batch=1, first=1):
    return [
        arrival(content, row, place=f"{BY_ARRIVAL}{batch:03d}/{row:03d}")
        for row, content in enumerate(contents, start=first)
    ]


def after(versions, verdicts):
    """Return the table of episodes and heartbeats of a series after a batch, by the verdicts."""
    told = {v.version.arrival: v for v in verdicts if v.version.arrival and v.kind != "superseded"}
    stored = [version for version in versions if version.kind in (EPISODE, HEARTBEAT)]
    for version in versions:
        verdict = told.get(version.arrival)
        if version.kind != ARRIVAL or (verdict and verdict.kind == "unchanged"):
            continue
        new = verdict.version if verdict else version
        kind = HEARTBEAT if verdict and verdict.kind == "heartbeat" else EPISODE
        own = new.known_at if new.own_known_at is None else new.own_known_at
        place = LOWEST_PLACE if kind == HEARTBEAT else new.place
        stored.append(replace(new, kind=kind, own_known_at=own, arrival=None, place=place))
    stored += [replace(v.version, kind=EPISODE, arrival=None) for v in verdicts if v.kind == "gone"]
    names = night().name
    superseded = {v.version.episode_id for v in verdicts if v.kind == "superseded"}
    named = [one if one.episode_id else replace(one, episode_id=names(one)) for one in stored]
    return [
        replace(one, published=True, superseded=one.superseded or one.episode_id in superseded)
        for one in named
    ]


def run(judge, stored, arrived, at):
    versions = [*stored, *arrived]
    verdicts = list(judge(versions, at))
    return verdicts, after(versions, verdicts)


def contents(versions):
    return [one.content_hash for one in sorted(versions, key=lambda version: version.rank)]


def kinds(verdicts):
    return [(verdict.kind, verdict.version.content_hash) for verdict in verdicts]


def test_to_b_and_back_to_a_is_three_versions_by_arrival():
    verdicts, stored = run(judge_item_series, [], by_arrival("ABA"), night())
    assert kinds(verdicts) == [("superseded", "B"), ("superseded", "A")]
    assert contents(stored) == ["A", "B", "A"]
    assert len({one.episode_id for one in stored}) == 3


def test_back_to_a_in_later_nights_is_three_versions():
    stored = []
    for batch, content in enumerate("ABA", start=1):
        arrived = [replace(one, known_at=batch) for one in by_arrival(content, batch=batch)]
        _, stored = run(judge_item_series, stored, arrived, night(batch, batch - 1))
    assert contents(stored) == ["A", "B", "A"]


def test_the_same_deliveries_under_another_name_add_nothing():
    for sequence in ("A", "AB", "ABA", "ABAB"):
        _, stored = run(judge_item_series, [], by_arrival(sequence), night(100))
        again = by_arrival(sequence, batch=2)
        verdicts, _ = run(judge_item_series, stored, again, night(200, 100))
        assert {verdict.kind for verdict in verdicts} == {"unchanged"}, sequence


def test_only_what_follows_the_overlap_is_new():
    _, stored = run(judge_item_series, [], by_arrival("ABA"), night(100))
    _, stored = run(judge_item_series, stored, by_arrival("BAC", batch=2), night(200, 100))
    assert contents(stored) == ["A", "B", "A", "C"]


def test_at_one_place_the_later_known_counts_then_the_greater_hash():
    arrived = [arrival("A", 1, known=5, own=5), arrival("B", 2, known=3, own=3)]
    verdicts, stored = run(judge_item_series, [], arrived, night())
    assert contents(stored) == ["B", "A"]
    (superseded,) = verdicts
    assert (superseded.version.content_hash, superseded.at) == ("B", 5)
    assert superseded.other_id == stored[0].episode_id
    arrived = [arrival("B", 1), arrival("A", 2)]
    _, stored = run(judge_item_series, [], arrived, night())
    assert contents(stored) == ["A", "B"]


def test_a_late_version_takes_its_place_and_never_counts():
    first = [arrival("new", 1, place="2", known=10, own=10)]
    _, stored = run(judge_item_series, [], first, night(10))
    late = [arrival("old", 1, place="1", known=20, own=20)]
    (verdict,) = run(judge_item_series, stored, late, night(20, 10))[0]
    assert (verdict.kind, verdict.version.content_hash) == ("superseded", "old")
    assert (verdict.version.known_at, verdict.at) == (20, 10)  # superseded before it was known


def test_an_episode_is_superseded_once_at_the_earliest_time_a_higher_one_is_known():
    arrived = [
        arrival("A", 1, place="1", known=1, own=1),
        arrival("B", 2, place="2", known=9, own=9),
        arrival("C", 3, place="3", known=5, own=5),
    ]
    verdicts, stored = run(judge_item_series, [], arrived, night())
    assert {(v.version.content_hash, v.at) for v in verdicts} == {("A", 5), ("B", 5)}
    more = [arrival("D", 4, place="4", known=200, own=200)]
    verdicts, _ = run(judge_item_series, stored, more, night(200, 100))
    assert [(v.version.content_hash, v.at) for v in verdicts] == [("C", 200)]


def test_removals_that_mean_no_withdrawal_supersede_nothing():
    for meaning, expected in (("no_information", []), ("ended", []), ("withdrawn", ["A"])):
        gone = arrival("x", 2, place="2", known=2, own=2, removed=meaning)
        arrived = [arrival("A", 1, place="1", known=1, own=1), gone]
        verdicts, stored = run(judge_item_series, [], arrived, night())
        assert [v.version.content_hash for v in verdicts] == expected
        back = [arrival("B", 1, place="3", known=200, own=200)]
        verdicts, _ = run(judge_item_series, stored, back, night(200, 100))
        assert {(v.version.content_hash, v.at) for v in verdicts} == {("A", 200), ("x", 200)} - {
            (content, 200) for content in expected
        }


def test_what_was_published_is_not_told_earlier():
    _, stored = run(judge_item_series, [], [arrival("A", place="1", known=5, own=5)], night(50))
    late = arrival("B", 1, place="2", known=40, own=40)
    verdicts, _ = run(judge_item_series, stored, [late], night(60, 50))
    assert [(v.kind, v.version.known_at, v.version.own_known_at) for v in verdicts] == [
        ("restamped", 60, 40),
        ("superseded", 5, 5),
    ]
    assert verdicts[1].at == 60
    fresh = replace(late, known_at=55, own_known_at=55)
    assert [v.kind for v in judge_item_series([*stored, fresh], night(60, 50))] == ["superseded"]
    new_item_of_known_group = replace(late, published=True)
    (verdict,) = judge_item_series([new_item_of_known_group], night(60, 50))
    assert (verdict.kind, verdict.version.known_at) == ("restamped", 60)
    assert list(judge_item_series([late], night(60, 50))) == []  # a first load of its group


def test_restamped_versions_delivered_again_add_nothing():
    _, stored = run(judge_item_series, [], [arrival("A", known=5, own=5)], night(50))
    late = [arrival("B", 1, known=40, own=40), arrival("C", 2, known=45, own=45)]
    _, stored = run(judge_item_series, stored, late, night(60, 50))
    assert contents(stored) == ["A", "B", "C"]
    again = [arrival("A", 1, known=5, own=5), *(replace(v, arrival=(0, 9)) for v in late)]
    verdicts = list(judge_item_series([*stored, *again], night(70, 60)))
    assert {v.kind for v in verdicts} == {"unchanged"}


# Snapshot mode


def nights(*deliveries, known=100, **more):
    """Return arrivals from (time, content) pairs."""
    return [
        arrival(content, row, time=time, place=str(time), known=known, **more)
        for row, (time, content) in enumerate(deliveries, start=1)
    ]


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


def complete(*times, new=()):
    return [Delivery(time, 100, time in new) for time in times]


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


# Invariants


ARRIVALS = st.lists(
    st.tuples(st.sampled_from("123"), st.sampled_from("ABC"), st.integers(1, 4)), max_size=6
)


def made(told, offset=0):
    return [
        arrival(content, row + offset, place=place, known=known, own=known)
        for row, (place, content, known) in enumerate(told)
    ]


@given(ARRIVALS, st.randoms(use_true_random=False))
def test_order_of_arrivals_with_places_decides_nothing(told, random):
    straight = run(judge_item_series, [], made(told), night())[1]
    shuffled = [*told]
    random.shuffle(shuffled)
    turned = run(judge_item_series, [], made(shuffled), night())[1]
    assert {one.episode_id for one in straight} == {one.episode_id for one in turned}


@given(ARRIVALS)
def test_the_same_input_again_adds_nothing(told):
    _, stored = run(judge_item_series, [], made(told), night(100))
    verdicts, again = run(judge_item_series, stored, made(told), night(200, 100))
    assert {verdict.kind for verdict in verdicts} <= {"unchanged"}
    assert again == stored


@given(st.lists(st.sampled_from("AB"), max_size=8), st.integers(0, 8))
def test_by_arrival_a_split_into_batches_keeps_the_sequence(told, cut):
    whole = run(judge_item_series, [], by_arrival(told), night(100))[1]
    _, stored = run(judge_item_series, [], by_arrival(told[:cut]), night(100))
    rest = by_arrival(told[cut:], batch=2)
    _, stored = run(judge_item_series, stored, rest, night(200, 100))
    assert contents(whole)[-1:] == contents(stored)[-1:]


@given(ARRIVALS, ARRIVALS)
def test_supersessions_are_those_of_a_plain_reading_of_the_rule(first, second):
    verdicts, stored = run(judge_item_series, [], made(first), night(100))
    more, final = run(judge_item_series, stored, made(second, 50), night(200, 100))
    told = [v for v in [*verdicts, *more] if v.kind == "superseded"]
    assert len({v.version.episode_id for v in told}) == len(told)
    for version in final:
        higher = [one.known_at for one in final if one.rank > version.rank]
        found = [v.at for v in told if v.version.episode_id == version.episode_id]
        assert found == ([min(higher)] if higher else [])


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


def absent(place, known=200, **fields):
    gone = {"removed": "withdrawn", "kind": ABSENT, "arrival": None}
    return arrival("ended", place=place, known=known, **gone | fields)


def test_a_section_that_its_document_has_no_more_is_withdrawn_and_may_come_back():
    for place in ("p", f"{BY_ARRIVAL}002/001"):
        first = arrival("A", place=place.replace("002", "001"))
        _, stored = run(judge_item_series, [], [first], night(100))
        verdicts, stored = run(judge_item_series, stored, [absent(place)], night(200, 100))
        assert kinds(verdicts) == [("gone", "ended"), ("superseded", "A")]
        assert [one.removed for one in stored] == [None, "withdrawn"]
        again = absent(place.replace("002", "003"), 300)
        verdicts, _ = run(judge_item_series, stored, [again], night(300, 200))
        assert verdicts == []
        back = arrival("A", place=place.replace("002", "003"), known=300)
        verdicts, stored = run(judge_item_series, stored, [back], night(300, 200))
        assert kinds(verdicts) == [("superseded", "ended")]
        assert contents(stored) == ["A", "ended", "A"]


def test_a_withdrawal_that_was_known_before_is_stamped_with_the_batch():
    _, stored = run(judge_item_series, [], [arrival("A", own=100)], night(100))
    late = absent("p", 50, own_known_at=50)
    (gone, superseded) = judge_item_series([*stored, late], night(200, 100))
    assert (gone.kind, gone.version.known_at, gone.version.own_known_at) == ("gone", 200, 50)
    assert (superseded.kind, superseded.at) == ("superseded", 200)
