"""One message through a real model, where one is served."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from regesta.extract.llm.grounding import Grounding, Words
from regesta.extract.llm.prompts import Vocabulary
from regesta.extract.llm.reading import Asking, ModelReading, State, step_of
from regesta.extract.llm.waves import PROFILES, Told
from regesta.extract.rows import Episode
from regesta.llm.allowance import Allowance, Limits
from regesta.llm.client import Client
from regesta.llm.gate import Gate, GateServer
from regesta.llm.prices import LanguageModel
from regesta.llm.sending import Sender
from regesta.llm.settings import LanguageModelSettings
from regesta.llm.spool import Spool
from regesta.ontology import Ontology
from regesta.prompts import load_prompts
from regesta.query.times import to_micros

ADDRESS = os.environ.get("REGESTA_TEST_MODEL_URL")
ONTOLOGY = Ontology.model_validate(
    {"relations": {"WORKS_AT": {"phrase": "works at"}}, "labels": {"Person": {}, "Company": {}}}
)

pytestmark = pytest.mark.skipif(
    ADDRESS is None,
    reason="no language model is served: set REGESTA_TEST_MODEL_URL to an endpoint's base_url",
)


def test_a_message_is_read_and_borne_out(tmp_path):
    settings = LanguageModelSettings(
        base_url=ADDRESS or "",
        name=os.environ.get("REGESTA_TEST_MODEL_NAME", "default"),
        max_output_tokens=600,
        timeout_seconds=600,
    )
    vocabulary, (wave,) = Vocabulary.of(ONTOLOGY), PROFILES["combined"]
    reading = ModelReading(LanguageModel(settings), load_prompts(tmp_path / "none"))
    asking, step = Asking(reading, wave, vocabulary, "salt"), step_of(wave, vocabulary)
    content = "Good morning, Rosa Lindqvist works at Birchwood Dental since 4 March 2024."
    episode = Episode("e1", "g", "s", "mail", "T1", 0, content, 5, to_micros("2024-03-06"), 0)
    words = Words(episode, "message", "Tom Hale", None)
    request = asking.request(State(words, Told(), None))

    async def work(address):
        gate, client = await Gate.opened(address, 0), Client(settings, step.schema)
        sender = Sender(step, settings, client, gate, Spool(str(tmp_path), "00000-1"))
        await sender.send_all(iter([request]))
        await client.close()
        gate.close()

    with GateServer(Allowance(Limits()), listen="127.0.0.1", host="127.0.0.1") as gate:
        asyncio.run(work(gate.address))
    (path,) = (tmp_path / "answers").iterdir()
    answer = json.loads(path.read_text())
    assert answer["status"] == "answered", answer
    told = wave.merged(Told(), wave.check(answer["response"]))
    found = Grounding(ONTOLOGY, "salt").ground(words, told)
    assert {"Rosa Lindqvist", "Birchwood Dental"} <= {mention.name for mention in found.mentions}
