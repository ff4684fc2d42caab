from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from judged import arrival, by_arrival, contents, kinds, night, run

from regesta.sources.versions import (
    ABSENT,
    BY_ARRIVAL,
    judge_item_series,
)


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
