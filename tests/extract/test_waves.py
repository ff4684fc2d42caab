"""What each wave of the paper's profile adds to what was read so far."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from regesta.extract.llm.prompts import Vocabulary
from regesta.extract.llm.reading import STATE_COLUMNS, Asking, ModelReading, as_state
from regesta.extract.llm.waves import PROFILES, Told
from regesta.llm.prices import LanguageModel
from regesta.llm.sending import AnswerError
from regesta.llm.settings import LanguageModelSettings, Profile
from regesta.ontology import Ontology
from regesta.prompts import load_prompts

ENTITIES, REFLEXION, FACTS, DATES = PROFILES["paper"]


def add(told, wave, **answer):
    return wave.merged(told, wave.check(json.dumps(answer)))


def named(*names):
    return [{"name": name, "label": "Person"} for name in names]


def fact(sentence):
    return {
        "subject": "Ann",
        "relation": "KNOWS",
        "object": "Bob",
        "value": None,
        "sentence": sentence,
        "quote": sentence,
        "polarity": "asserts",
        "temporary": False,
        "others": [],
    }


def dates(number, start):
    return {"fact": number, "valid_from": start, "valid_until": None, "dated_by": "in 2021"}


def test_every_profile_that_can_be_configured_has_its_waves():
    assert set(PROFILES) == set(get_args(Profile))


def test_a_reflexion_takes_out_what_was_invented_and_adds_what_was_missed():
    told = add(Told(), ENTITIES, entities=named("Ann", "Monday", "Bob"))
    told = add(told, REFLEXION, missed=named("Cem"), invented=["monday", "Eve"])
    assert [entity.name for entity in told.entities] == ["Ann", "Bob", "Cem"]


def test_dates_come_to_their_facts_and_stray_ones_stand_apart():
    told = add(Told(), FACTS, facts=[fact("Ann knows Bob."), fact("Bob knows Ann.")])
    assert "2. Bob knows Ann." in told.filling["facts"]
    told = add(told, DATES, dates=[dates(2, "2021"), dates(3, "2022"), dates(0, "2023")])
    assert [each.valid_from for each in told.facts] == [None, "2021"]
    assert [json.loads(each)["fact"] for each in told.stray] == [3, 0]


def test_nothing_is_asked_about_facts_where_nothing_is_named_nor_about_dates_without_facts():
    with_names = add(Told(), ENTITIES, entities=named("Ann"))
    assert (FACTS.wanted(Told()), FACTS.wanted(with_names)) == (False, True)
    assert (DATES.wanted(with_names), REFLEXION.wanted(Told())) == (False, True)


def test_an_answer_in_the_form_of_another_wave_is_refused():
    with pytest.raises(AnswerError, match="missed: Field required"):
        REFLEXION.check(json.dumps({"entities": []}))


def state_row(**changes):
    row = dict.fromkeys(STATE_COLUMNS)
    row |= {"episode_id": "e1", "group_id": "g", "source": "mail", "content": "He knows Bob."}
    row |= {"kind": "message", "author": "Dee", "reference_time": 0, "authority": 5, **changes}
    return [row[name] for name in STATE_COLUMNS]


@pytest.fixture
def asking(tmp_path):
    settings = LanguageModelSettings(base_url="http://127.0.0.1/v1", name="tiny", profile="paper")
    reading = ModelReading(LanguageModel(settings), load_prompts(tmp_path))
    return lambda wave: Asking(reading, wave, Vocabulary.of(Ontology()), "salt")


def test_what_was_read_so_far_is_part_of_the_next_question(asking):
    spans = json.dumps({"own": [[0, 10]], "quoted": [[10, 20]], "signature": []})
    before = [{"author": "Cem", "content": "Ann is in.> quoted", "spans": spans}, {"content": "?"}]
    told = add(Told(), ENTITIES, entities=named("Ann", "Bob"))
    state = as_state(state_row(earlier=json.dumps(before), told=told.model_dump_json()))
    user = asking(FACTS).messages(state)[1]["content"]
    assert "\nCem: Ann is in.\nunknown: ?\n" in user
    assert "- Ann (Person)\n- Bob (Person)" in user


def test_nothing_is_asked_about_what_cannot_be_read_or_has_no_words(asking):
    assert asking(ENTITIES).request(as_state(state_row())) is not None
    assert asking(ENTITIES).request(as_state(state_row(why="refused"))) is None
    assert asking(ENTITIES).request(as_state(state_row(content=" \n"))) is None


def test_a_request_is_one_with_equal_content_and_another_with_any_change(asking):
    base = asking(ENTITIES).request(as_state(state_row()))
    same = asking(ENTITIES).request(as_state(state_row(episode_id="e2")))
    assert (same.request_key, same.about) == (base.request_key, "e2")
    others = [
        asking(REFLEXION).request(as_state(state_row())),
        asking(ENTITIES).request(as_state(state_row(author="Eve"))),
        asking(ENTITIES).request(as_state(state_row(content="He knows Rob."))),
    ]
    assert len({base.request_key, *(each.request_key for each in others)}) == 4
