"""Identity through Spark: hand-worked nights."""

from __future__ import annotations

import random

import pytest

from regesta.resolve.versions import CountedMention, versions

pytestmark = pytest.mark.spark


def test_shared_identifier_joins_and_growth_keeps_the_id(nights, said):
    first = said("e1", "Acme", identifiers=("email:a@acme.com",), day=1)
    nights.night(1, [first])
    second = said("e2", "Acme Inc", identifiers=("email:a@acme.com",), day=2)
    nights.night(2, [second, said("e3", "Bolt", day=2)])
    members = nights.members()
    assert members[first.profile_id] == members[second.profile_id] == first.entity_id
    assert len(set(members.values())) == 2
    assert nights.entity(first.entity_id, 1)["aliases"] == []
    entity = nights.entity(first.entity_id)
    assert (entity["name"], entity["aliases"]) == ("Acme Inc", ["Acme"])
    assert entity["identifiers"] == ["email:a@acme.com"]


def test_a_value_shared_by_many_names_joins_nobody(nights, said):
    def reader(number, day):
        return said(f"e{number}", f"N{number}", identifiers=("email:support@x.com",), day=day)

    few = [reader(n, 1) for n in range(3)]
    nights.night(1, few)
    assert len(set(nights.members().values())) == 1
    nights.night(2, [reader(3, 2)])
    assert len(set(nights.members().values())) == 4
    assert nights.members()[few[1].profile_id] == few[1].entity_id


def test_same_name_joins_within_label_and_group(nights, said):
    one, same = said("e1", "Müller & Co."), said("e2", "MULLER CO", identifiers=("row:1",))
    other_label = said("e3", "Muller Co", label="Ticket")
    other_group = said("e4", "Muller Co", group="h")
    nights.night(1, [one, same, other_label, other_group])
    members = nights.members()
    assert members[one.profile_id] == members[same.profile_id]
    assert len(set(members.values())) == 3


def test_bare_personal_names_need_a_shared_context(nights, said):
    def john(episode, *context, **more):
        return said(episode, "John Smith", "Person", context=context, **more)

    at_acme, too = john("e1", "acme", day=1), john("e2", "acme", "bolt", day=1)
    elsewhere = john("e3", "crane", day=1)
    counts = nights.night(1, [at_acme, too, elsewhere])
    members = nights.members()
    assert members[at_acme.profile_id] == members[too.profile_id]
    assert members[elsewhere.profile_id] != members[at_acme.profile_id]
    (review,) = nights.rows("match_decisions")
    oldest = min(at_acme.profile_id, too.profile_id, elsewhere.profile_id)
    assert review["verdict"] == "review"
    assert review["left"] == oldest or counts["reviews"] == 2
    assert counts["reviews_skipped"] == 0


def test_excluding_values_separate_what_a_third_joins(nights, said):
    left = said("e1", "Acme", identifiers=("vat:1", "email:x@y"), day=1)
    right = said("e2", "Bolt", identifiers=("vat:2", "email:z@y"), day=2)
    between = said("e3", "Crane", identifiers=("email:x@y", "email:z@y"), day=3)
    nights.night(3, [left, right, between])
    members = nights.members()
    assert members[left.profile_id] != members[right.profile_id]
    assert members[between.profile_id] == members[left.profile_id]


def test_a_merge_keeps_the_older_id_and_undone_gives_both_back(nights, said):
    acme = said("e1", "Acme", identifiers=("row:1",), day=1)
    bolt = said("e2", "Bolt", identifiers=("row:2",), day=2)
    nights.night(1, [acme])
    nights.night(2, [bolt])
    both = said("e3", "Acme", identifiers=("row:1", "row:2"), day=3)
    nights.night(3, [both])
    assert set(nights.members().values()) == {acme.entity_id}
    assert nights.redirects() == {bolt.entity_id: acme.entity_id}
    assert nights.entity(bolt.entity_id) is None
    assert nights.entity(bolt.entity_id, 2)["name"] == "Bolt"
    corrected = said("e4", "Acme", identifiers=("row:1", "row:3"), day=4)
    nights.night(4, [corrected], [("e3", 4)])
    members = nights.members()
    assert members == {
        acme.profile_id: acme.entity_id,
        bolt.profile_id: bolt.entity_id,
        corrected.profile_id: acme.entity_id,
    }
    assert nights.redirects() == {}
    assert nights.entity(bolt.entity_id)["name"] == "Bolt"
    assert nights.members(3)[bolt.profile_id] == acme.entity_id


def test_an_id_survives_the_version_that_replaces_its_founder(nights, new_nights, said):
    old = said("e1", "Acme", identifiers=("row:1",), day=1)
    new = said("e2", "Acme Holding", identifiers=("row:1",), day=3)
    nights.night(1, [old])
    nights.night(3, [new], [("e1", 3)])
    assert nights.members() == {new.profile_id: old.entity_id}
    versions = [nights.entity(old.entity_id, day) for day in (1, 2, 3)]
    assert [version["name"] for version in versions] == ["Acme", "Acme", "Acme Holding"]
    at_once = new_nights()
    at_once.night(3, [old, new], [("e1", 3)])
    for table in ("entity_members", "entities", "entity_redirects"):
        key = lambda row: row["row_id"]  # noqa: E731
        assert sorted(at_once.rows(table), key=key) == sorted(nights.rows(table), key=key)


def test_what_nobody_says_any_more_is_closed_and_comes_back(nights, said):
    acme = said("e1", "Acme", day=1)
    nights.night(1, [acme])
    nights.night(2, [], [("e1", 2)])
    assert nights.members() == {}
    assert nights.entity(acme.entity_id) is None
    nights.night(3, [said("e2", "Acme", day=3)])
    assert nights.members() == {acme.profile_id: acme.entity_id}
    assert nights.entity(acme.entity_id)["created_at"] == 3


def test_an_empty_night_and_a_repeated_step_write_nothing(nights, said):
    nights.night(1, [said("e1", "Acme", day=1)])
    before = nights.warehouse.versions()
    counts = nights.night(2, [])
    assert not any(counts.values())
    assert nights.warehouse.versions() == before
    nights.night(3, [said("e2", "Acme", day=3)])
    assert nights.warehouse.versions()["entities"] == before["entities"]


def test_renamed_over_known_time_in_one_load(nights, said):
    row = ("row:1",)
    names = [
        said("e1", "Acme", identifiers=row, day=1, attributes={"city": "Rome"}),
        said("e2", "Acme", identifiers=row, day=2, attributes={"city": "Oslo"}),
        said("e3", "Apex", identifiers=row, day=4),
        said("e4", "Late", identifiers=row, day=5, reference_day=0),
        said("e5", "Apex", identifiers=row, day=6, authority=10),
    ]
    nights.night(6, names)
    seen = [nights.entity(names[0].entity_id, day) for day in range(1, 7)]
    assert [v["name"] for v in seen] == ["Acme", "Acme", "Acme", "Apex", "Apex", "Apex"]
    assert [dict(v["attributes"])["city"] for v in seen] == ["Rome"] + ["Oslo"] * 5
    assert seen[4]["aliases"] == ["Acme", "Late"]
    assert seen[4]["summary"] == "Company; city: Oslo"


def test_many_mentions_give_the_versions_of_the_plain_fold(nights, new_nights, said):
    """What is dropped before the fold changes no version, in one load and in nights."""
    chance = random.Random(7)
    told = [
        said(
            f"e{number}",
            chance.choice(["Acme", "Acme Inc", "ACME"]),
            identifiers=(f"row:{number % 7}",),
            day=number // 20,
            reference_day=chance.choice([number // 20] * 3 + [0]),
            authority=chance.choice([50, 50, 50, 10]),
            attributes=chance.choice([{}, {}, {"city": "Rome"}, {"city": "Oslo"}]),
            label=f"L{number % 7}",
        )
        for number in range(400)
    ]
    ended = [(f"e{number}", number // 20 + 2) for number in chance.sample(range(360), 40)]
    nights.night(25, told, ended)
    found = nights.rows("entities")
    for row in range(7):
        expected = versions(_counted(told, dict(ended), f"row:{row}"), after=None)
        mine = [one for one in found if one["label"] == f"L{row}"]
        assert {one["created_at"]: _said(one) for one in mine} == {
            one.since: (one.content.name, *one.content[1:5], dict(one.content.attributes))
            for one in expected
        }
    parted = new_nights()
    for first, last in ((0, 7), (8, 9), (10, 25)):
        parted.night(
            last,
            [one for one in told if first <= one.day <= last],
            [(episode, day) for episode, day in ended if first <= day <= last],
        )
    assert _ordered(parted.rows("entities")) == _ordered(found)


def _counted(told, ended, identifier):
    return [
        CountedMention(
            (m.authority, m.row(1)["reference_time"], m.day, m.row(1)["mention_id"]),
            m.day,
            ended.get(m.episode),
            m.name,
            m.label,
            m.identifiers,
            tuple(m.attributes.items()),
        )
        for m in told
        if identifier in m.identifiers
    ]


def _said(row):
    names = ("aliases", "label", "identifiers", "summary")
    texts = (tuple(row[n]) if isinstance(row[n], list) else row[n] for n in names)
    return (row["name"], *texts, dict(row["attributes"]))


def _ordered(rows):
    return sorted(rows, key=lambda row: row["row_id"])
