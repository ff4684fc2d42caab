"""A person's word: two entities joined and parted by hand, and taken back."""

from __future__ import annotations

import pytest

from regesta.errors import InputError
from regesta.resolve import steward
from regesta.resolve.steward import Speaker, entity

pytestmark = pytest.mark.spark
SPEAKER = Speaker("ada", "one VAT id", 1)


def merged(one, other):
    def speak(context):
        return steward.merge(
            context, entity(context, "g", one), entity(context, "g", other), SPEAKER
        )

    return speak


def undone(*names):
    def speak(context):
        found = [entity(context, "g", name) for name in names]
        return steward.undo(context, found, Speaker("ada", "a mistake", 2))

    return speak


def test_a_merge_by_hand_is_undone_as_if_it_had_never_been(nights, said):
    acme = said("e1", "Acme", identifiers=("row:1",), day=1)
    bolt = said("e2", "Bolt", "Account", identifiers=("row:2",), day=2)
    nights.night(1, [acme])
    nights.night(2, [bolt])
    before = nights.members()
    assert nights.say(3, merged("acme", "row:2")) == {"said": 1}
    assert nights.members() == before  # until the next night
    nights.night(3, [])
    assert set(nights.members().values()) == {acme.entity_id}
    assert nights.redirects() == {bolt.entity_id: acme.entity_id}
    # A later version of one half's record stays with both.
    renamed = said("e3", "Bolt Holding", "Account", identifiers=("row:2",), day=4)
    nights.night(4, [renamed], [("e2", 4)])
    assert nights.members() == dict.fromkeys((acme.profile_id, renamed.profile_id), acme.entity_id)
    with pytest.raises(InputError, match="one entity already"):
        nights.say(5, merged("Acme", "bolt holding"))
    nights.say(5, undone("Acme"))
    nights.night(5, [])
    assert nights.members() == {
        acme.profile_id: acme.entity_id,
        renamed.profile_id: bolt.entity_id,
    }
    assert nights.redirects() == {}
    assert nights.members(4)[renamed.profile_id] == acme.entity_id
    with pytest.raises(InputError, match="Nothing that was said"):
        nights.say(6, undone("Acme"))


def test_a_split_by_hand_parts_one_name_and_stays_when_more_comes(nights, said):
    here = said("e1", "Acme", identifiers=("colour:red",), day=1)
    there = said("e2", "Acme", identifiers=("colour:blue",), day=2)
    nights.night(2, [here, there])
    assert set(nights.members().values()) == {here.entity_id}

    def parted(context):
        found = entity(context, "g", "Acme")
        told = [one.identifiers for one in steward.members(context, found)]
        assert told == [["colour:red"], ["colour:blue"]]
        with pytest.raises(InputError, match="no profile"):
            steward.split(context, found, ["zzz"], SPEAKER)
        with pytest.raises(InputError, match="Nothing of 'Acme' would be left"):
            steward.split(context, found, [here.profile_id, there.profile_id], SPEAKER)
        return steward.split(context, found, [there.profile_id[:16]], SPEAKER)

    assert nights.say(3, parted) == {"said": 1}
    nights.night(3, [said("e3", "ACME", identifiers=("colour:green",), day=3)])
    members = nights.members()
    assert members[here.profile_id] == here.entity_id
    assert members[there.profile_id] == there.entity_id
    assert len(set(members.values())) == 2
    with pytest.raises(InputError, match="several entities 'Acme'"):
        nights.say(4, merged("Acme", "Acme"))


def test_pairs_that_wait_are_shown_until_somebody_decides(nights, said):
    one = said("e1", "John Smith", "Person", context=("acme",), day=1)
    other = said("e2", "John Smith", "Person", context=("bolt",), day=2)
    nights.night(1, [one])
    nights.night(2, [other])
    [pair] = nights.say(3, lambda context: steward.waiting(context, None, 10))
    assert {pair.left.profile_id, pair.right.profile_id} == {one.profile_id, other.profile_id}
    assert (pair.left.name, pair.score, pair.evidence) == (
        "John Smith",
        None,
        ["same personal name"],
    )
    assert nights.say(3, lambda context: steward.waiting(context, "other", 10)) == []
    ids = (pair.left.profile_id, pair.right.profile_id)
    nights.say(3, lambda context: steward.say(context, [steward.Said("g", *ids, "same")], SPEAKER))
    nights.night(3, [])
    assert nights.say(4, lambda context: steward.waiting(context, None, 10)) == []
    assert set(nights.members().values()) == {one.entity_id}


def test_a_word_is_on_what_records_say_not_on_names_in_texts(nights, said):
    acme = said("e1", "Acme", "Topic", identifiers=("row:1",), day=1)
    told = said("e2", "Acme", "Topic", day=1, extractor="local")
    nights.night(1, [acme, told, said("e3", "Bolt", "Topic", identifiers=("row:2",), day=1)])
    assert nights.members()[told.profile_id] == acme.entity_id
    assert nights.say(2, lambda context: entity(context, "g", "Acme")).profiles == [acme.profile_id]
