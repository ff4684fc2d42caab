"""One message through every wave of the paper's profile, as the tasks read it."""

from __future__ import annotations

import json

from reader import read_faithfully

from regesta.extract.llm.grounding import Grounding
from regesta.extract.llm.reading import (
    STATE_COLUMNS,
    Asking,
    ModelReading,
    as_state,
    step_of,
    vocabulary_of,
)
from regesta.extract.llm.step import merged_row
from regesta.llm.prices import LanguageModel
from regesta.llm.settings import LanguageModelSettings
from regesta.ontology import Ontology
from regesta.prompts import load_prompts
from regesta.query.times import to_micros

ONTOLOGY = Ontology.model_validate(
    {"relations": {"WORKS_AT": {}}, "labels": {"Account": {}, "Person": {}}}
)


def answered(step, messages):
    """The answer of the test's model, as the ledger would hold it."""
    form = {"json_schema": {"schema": step.schema}}
    return read_faithfully({"messages": messages, "response_format": form})


def read_by(profile, content, tmp_path):
    settings = LanguageModelSettings(base_url="http://127.0.0.1/v1", name="tiny", profile=profile)
    reading = ModelReading(LanguageModel(settings), load_prompts(tmp_path))
    row = dict.fromkeys(STATE_COLUMNS)
    row |= {"episode_id": "e1", "group_id": "g", "source": "mail", "content": content}
    row |= {"kind": "message", "author": "Dee", "authority": 5, "series_id": "s", "known_at": 0}
    row |= {"reference_time": to_micros("2024-01-02")}
    state = tuple(row[name] for name in STATE_COLUMNS)
    vocabulary, asked = vocabulary_of(ONTOLOGY, []), []
    for wave in reading.waves:
        request = Asking(reading, wave, vocabulary, "salt").request(as_state(state))
        if request is None:
            continue
        asked.append(wave.name)
        step = step_of(wave, vocabulary)
        response = answered(step, json.loads(request.messages))
        state = merged_row(wave, state, (request.request_key, "answered", response, None))
    words, told, _ = as_state(state)
    return asked, Grounding(ONTOLOGY, "salt").ground(words, told)


def test_step_by_step_a_message_states_what_it_states_at_once(tmp_path):
    content = "Ann Lee works at Acme since 2023-05-01. Bob Stone works at Acme."
    at_once, whole = read_by("combined", content, tmp_path)
    asked, found = read_by("paper", content, tmp_path)
    assert at_once == ["combined"]
    assert asked == ["entities", "reflexion", "facts", "dates"]
    assert len(found.statements) == 2
    assert found.statements == whole.statements
    assert {mention.name for mention in found.mentions} == {"Ann Lee", "Acme", "Bob Stone"}
    assert found.aside == whole.aside == []


def test_nothing_more_is_asked_where_nothing_is_named(tmp_path):
    asked, found = read_by("paper", "Thank you very much.", tmp_path)
    assert asked == ["entities", "reflexion"]
    assert (found.mentions, found.statements, found.aside) == ([], [], [])
