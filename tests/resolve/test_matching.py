"""Records of one person under several spellings, night by night."""

from __future__ import annotations

from collections import defaultdict

import pytest

from regesta.resolve import matching
from regesta.resolve.report import report

pytestmark = pytest.mark.spark
GIVEN = ("Frank", "Emily", "Gerald", "Louise", "William", "Ada", "Horace", "Beatrice")
LAST = ("Brightman", "Clifford", "Burn", "Hengler", "Watts", "Osborne", "Kamienski", "Tills")
PEOPLE = 64


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(matching, "FEWEST", 100)


@pytest.fixture
def patient(said):
    def made(episode, name, born, town=None, **more):
        told = {"born": born} | ({"town": town} if town else {})
        return said(episode, name, "Patient", attributes=told, **more)

    return made


def person(number):
    name = f"{GIVEN[number % 8]} {LAST[(number * 3 + number // 8) % 8]}"
    town = "York" if number % 2 else "Leeds"
    return name, f"18{20 + number}-0{1 + number % 9}-17", town


@pytest.fixture
def records(patient):
    """Two records of every person: whole, and with a typing error. They are who weights know."""
    rows = []
    for number in range(PEOPLE):
        name, born, town = person(number)
        rows.append(patient(f"{number}a", name, born, town, day=1))
        rows.append(patient(f"{number}b", name[:-2] + name[-1], born, town, day=1))
    return rows


def together(nights):
    """Which profiles are one entity, whatever its id."""
    found = defaultdict(set)
    for profile_id, entity_id in nights.members().items():
        found[entity_id].add(profile_id)
    return set(map(frozenset, found.values()))


def ids(*said):
    return frozenset(one.profile_id for one in said)


def test_spellings_are_one_and_later_ones_join_without_learning_again(
    nights, records, patient, said
):
    first = nights.night(1, records)
    pairs = {ids(*records[place : place + 2]) for place in range(0, len(records), 2)}
    assert together(nights) == pairs
    assert first["pairs_scored"] > PEOPLE
    [weights] = nights.rows("match_weights")
    name, born, town = person(3)
    turned = patient("3c", f"{name.split()[1]}, {name.split()[0]}", born, town, day=2)
    only_a_name = said("3d", name[:-1], "Patient", day=2)
    numbered = patient("3e", f"{name} II", born, town, day=2)
    counts = nights.night(2, [turned, only_a_name, numbered])
    assert nights.members()[turned.profile_id] == records[6].entity_id
    # Neither what has nothing but a name nor what has a number of its own is put with anybody.
    assert nights.members()[only_a_name.profile_id] == only_a_name.entity_id
    assert nights.members()[numbered.profile_id] == numbered.entity_id
    assert nights.rows("match_weights") == [weights]
    assert counts["pairs_scored"] < first["pairs_scored"] / 2
    waiting = {
        frozenset((row["left"], row["right"]))
        for row in nights.rows("match_decisions")
        if row["verdict"] == "review"
    }
    assert ids(records[6], numbered) in waiting
    told = nights.say(3, lambda context: report(context, "Patient"))
    assert (told.weights, told.profiles) == (weights["version"], len(records) + 3)
    assert sum(band.pairs for band in told.bands) == told.pairs
    assert sum(size * entities for size, entities in told.sizes) == told.profiles
    assert all(rule.alone <= rule.pairs <= rule.proposed for rule in told.rules)
    assert told.bands[0].missed == 0 < told.bands[0].wrong
    assert numbered.profile_id in {
        side.profile_id for pair in told.strongest for side in (pair.left, pair.right)
    }
    # Learned again, from what there is now; what was never in doubt stays.
    nights.say(3, lambda context: matching.ask_to_learn(context, "Patient"))
    nights.night(3, [])
    assert {row["profiles"] for row in nights.rows("match_weights")} == {
        len(records),
        len(records) + 3,
        None,
    }
    assert all(any(pair <= each for each in together(nights)) for pair in pairs)


@pytest.mark.long
def test_later_evidence_joins_what_stood_apart_and_its_end_parts_it(nights, records, patient):
    """A record joins another by a name with a typing error and a birth date, while it counts."""
    whole = patient("x1", "Zachary Quillfeather", "1850-02-03", "Ripon", day=2)
    little = patient("x2", "Z Quill", "1850", None, day=3)
    between = patient("x3", "Zachary Quillfether", "1850-02-03", None, day=4)
    nights.night(1, records)
    nights.night(2, [whole])
    nights.night(3, [little])
    assert {ids(whole), ids(little)} <= together(nights)
    nights.night(4, [between])
    assert {ids(whole, between), ids(little)} <= together(nights)
    assert nights.members()[between.profile_id] == whole.entity_id
    nights.night(5, [], [("x3", 5)])
    assert {ids(whole), ids(little)} <= together(nights)
    assert nights.members(4)[between.profile_id] == whole.entity_id


def test_the_order_of_arrival_changes_no_cluster_when_blocks_grow_over_the_cap(
    new_nights, records, patient, monkeypatch
):
    """Two share a birth date and a surname; with four more of both they are not compared."""
    monkeypatch.setattr(matching, "MOST_IN_BLOCK", 4)
    born = "1850-02-03"
    pair = [
        patient("x1", "Quentin Oldacre", born, day=2),
        patient("x2", "Kwentin Oldacre", born, day=2),
    ]
    others = [
        patient(f"y{number}", f"{name} Oldacre", born, day=3)
        for number, name in enumerate(("Mary", "Bertha", "Ludwig", "Tom"))
    ]
    by_turns, at_once = new_nights(), new_nights()
    by_turns.night(1, records)
    by_turns.night(2, pair)
    assert ids(*pair) in together(by_turns)
    by_turns.night(3, others)
    at_once.night(1, records)
    at_once.night(3, [*others, *pair])
    assert together(by_turns) == together(at_once)
    assert ids(*pair) not in together(by_turns)


def test_too_few_profiles_are_not_matched(nights, records):
    nights.night(1, records[:6])
    assert nights.rows("match_weights") == []
    assert together(nights) == {ids(one) for one in records[:6]}


def test_what_nobody_has_a_value_of_is_told(nights, patient):
    nights.night(1, [patient("e1", "Ann Lee", "1980-01-02"), patient("e2", "Bo Lee", "1981-02-03")])
    assert nights.told == [
        "Patient: no profile has a value of town, which `match` compares",
        "Patient: 2 of 100 profiles that weights are learned from",
    ]
