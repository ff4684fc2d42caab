"""Pairs that a language model decides, and who overrules it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat_server import TEXT, ChatServer
from regesta import model
from regesta.llm.prices import LanguageModel
from regesta.llm.prompts import Prompted
from regesta.llm.settings import LanguageModelSettings
from regesta.match.linkage import MOST
from regesta.prompts import load_prompts
from regesta.resolve import matching, steward
from regesta.resolve.clusters import Word, cluster
from regesta.resolve.forest import Profile
from regesta.resolve.step import resolve

DAY = 86_400_000_000
PEOPLE = 64
GIVEN = ("Frank", "Emily", "Gerald", "Louise", "William", "Ada", "Horace", "Beatrice")
LAST = ("Brightman", "Clifford", "Burn", "Hengler", "Watts", "Osborne", "Kamienski", "Tills")


def person(number):
    name = f"{GIVEN[number % 8]} {LAST[(number * 3 + number // 8) % 8]}"
    return name, {"born": f"18{20 + number}-0{1 + number % 9}-17", "town": "York"}


def judged(body):
    """Say that entries of one birth date are one, but of Gerald, and are not sure of William."""
    shown = [text for _, text in TEXT.findall(body["messages"][1]["content"])]
    born = [line for text in shown for line in text.splitlines() if line.startswith("born: ")]
    verdict = "same" if len(set(born)) == 1 else "different"
    if "Gerald" in shown[0]:
        verdict = "different"
    if "William" in shown[0]:
        verdict = "unsure"
    return json.dumps({"verdict": verdict, "reason": "the birth dates"})


@pytest.fixture
def server():
    with ChatServer(judged) as running:
        yield running


@pytest.fixture
def resolving(monkeypatch, server):
    monkeypatch.setattr(matching, "FEWEST", 100)
    settings = LanguageModelSettings(base_url=server.url, name="tiny")
    prompted = Prompted(LanguageModel(settings), load_prompts(Path("no overrides")))
    return lambda context: resolve(context, prompted=prompted)


@pytest.mark.spark
def test_pairs_between_the_thresholds_are_decided_once_and_a_person_overrules(
    nights, said, server, resolving
):
    def patient(episode, number, more="", day=1):
        name, told = person(number)
        return said(episode, f"{name}{more}", "Patient", attributes=told, day=day)

    first = [patient(f"{n}{s}", n, s and "n") for n in range(PEOPLE) for s in ("", "b")]
    counts = nights.night(1, first, step=resolving)
    assert len(server.received) == counts.get("model", {}).get("adjudication", {}).get(
        "requests", 0
    )
    asked_before = len(server.received)
    # A number of its own keeps scores from joining: these wait for somebody.
    numbered = {n: patient(f"{n}c", n, " II", day=2) for n in (0, 2, 4)}
    counts = nights.night(2, numbered.values(), step=resolving)
    asked = [body["messages"][1]["content"] for body in server.received[asked_before:]]
    assert all("born: 18" in text and " ii" in text.casefold() for text in asked)
    assert counts["model"]["adjudication"]["answered"] == len(asked) > 0
    members = nights.members()
    assert members[numbered[0].profile_id] == members[first[0].profile_id]
    assert members[numbered[2].profile_id] == numbered[2].entity_id
    assert members[numbered[4].profile_id] == numbered[4].entity_id
    words = nights.rows("identity_overrides")
    assert {row["decided_by"] for row in words} == {"model"}
    assert {row["author"] for row in words} == {"model tiny"}
    assert {row["verdict"] for row in words} >= {model.SAME, model.NOT_THE_SAME}
    # Nothing is asked again, and the one of which the model is not sure waits for a person.
    nights.night(3, [patient("63d", 63, day=3)], step=resolving)
    sent = len(server.received)
    waiting = nights.say(4, lambda context: steward.waiting(context, None, 50))
    pairs = [{one.left.profile_id, one.right.profile_id} for one in waiting]
    assert any(numbered[4].profile_id in pair for pair in pairs)
    assert not any({numbered[0].profile_id, numbered[2].profile_id} & pair for pair in pairs)
    speaker = steward.Speaker("Kim", "two cousins", 4 * DAY)
    apart = [
        steward.Said("g", first[place].profile_id, numbered[0].profile_id, model.NOT_THE_SAME)
        for place in (0, 1)
    ]
    nights.say(4, lambda context: steward.say(context, apart, speaker))
    nights.night(4, [], step=resolving)
    assert nights.members()[numbered[0].profile_id] == numbered[0].entity_id
    assert len(server.received) == sent


def profiles(*names, keys=(), **vat):
    return [
        Profile(name, age, "Company", keys, {"vat": frozenset({vat[name]})} if name in vat else {})
        for age, name in enumerate(names)
    ]


def test_a_model_joins_nothing_that_is_separated_and_yields_to_persons():
    keyed = profiles("a", "b", "c", keys=("6x",), a="1", b="2")
    by_model = [("a", "b", MOST)]
    assert cluster(keyed, scored=by_model)["b"] == "b"
    by_person = [Word("a", "b", is_same=True)]
    assert cluster(keyed, words=by_person)["b"] == "a"
    # A person joined a and b over c; the model's word that they are two is not heard.
    plain = profiles("a", "b", "c")
    chain = [Word("a", "c", is_same=True), Word("c", "b", is_same=True)]
    parting = [("a", "b", -MOST)]
    assert set(cluster(plain, scored=parting, words=chain).values()) == {"a"}
    # And where a person parts, a model joins nothing, over whatever it says.
    parted = [Word("a", "b", is_same=False)]
    found = cluster(plain, scored=[("a", "c", MOST), ("b", "c", MOST)], words=parted)
    assert found["a"] != found["b"]
