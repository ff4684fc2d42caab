"""A task's requests through the real client to a server with faults: each is accounted for."""

from __future__ import annotations

import asyncio
import json
import random
import threading

import pytest

from chat_server import ChatServer, Fault
from regesta.errors import ConfigurationError
from regesta.llm import sending
from regesta.llm.allowance import Allowance, Limits
from regesta.llm.client import Client
from regesta.llm.gate import Gate, GateServer
from regesta.llm.requests import Request
from regesta.llm.sending import AnswerError, Sender, Step
from regesta.llm.settings import LanguageModelSettings
from regesta.llm.spool import Spool

UNLIMITED = Limits()
SCHEMA = {"type": "object", "properties": {}, "required": []}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(sending, "_FIRST_PAUSE", 0.01)


def check(text):
    try:
        if json.loads(text).get("entities"):
            raise AnswerError("entities.0.name: Field required")
    except json.JSONDecodeError as error:
        raise AnswerError(str(error)) from error


def requests(count):
    made = []
    for number in range(count):
        messages = [
            {"role": "system", "content": "Read."},
            {"role": "user", "content": f"---- m ----\ntext {number}\n---- m ----"},
        ]
        made.append(Request(f"k{number}", f"e{number}", "g", "v1", json.dumps(messages), 20))
    return made


def settings_for(server, **changes):
    given = {
        "base_url": server.url,
        "name": "tiny",
        "in_flight": 4,
        "timeout_seconds": 1,
        **changes,
    }
    return LanguageModelSettings(**given)


def sent(server, tmp_path, asked, *, limits=UNLIMITED, run="0", **changes):
    """Send requests as one task does; return the kept answers by key, and the allowance."""
    settings = settings_for(server, **changes)
    allowance = Allowance(limits)

    async def work(address):
        gate = await Gate.opened(address, 0)
        client = Client(settings, SCHEMA)
        spool = Spool(str(tmp_path / run), "00000-1")
        step = Step("combined", SCHEMA, "Answer as JSON.", check)
        try:
            await Sender(step, settings, client, gate, spool).send_all(iter(asked))
        finally:
            await client.close()
            gate.close()

    with GateServer(allowance, listen="127.0.0.1", host="127.0.0.1") as gate:
        asyncio.run(work(gate.address))
    return kept(tmp_path / run), allowance


def kept(folder):
    rows = [
        json.loads(line)
        for path in sorted((folder / "answers").glob("[!_]*.json"))
        for line in path.read_text().splitlines()
    ]
    assert len({row["request_key"] for row in rows}) == len(rows)
    return {row["request_key"]: row for row in rows}


def told(body):
    return json.dumps({"entities": [], "said": body["messages"][1]["content"][-20:]})


def test_answers_are_kept_and_requests_overlap(tmp_path):
    with ChatServer(told, seconds=0.05) as server:
        answers, _ = sent(server, tmp_path, requests(12))
    assert {row["status"] for row in answers.values()} == {"answered"}
    assert len(server.received) == 12
    assert server.most_at_once == 4
    assert json.loads(answers["k3"]["response"])["said"].startswith("-\ntext 3\n")
    assert answers["k3"]["prompt_tokens"] > 0
    assert server.received[0]["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    "kind", [429, 500, 503, "drop", "hang", "no json", "truncated", "broken", "wrong form"]
)
def test_one_fault_each_leaves_what_a_faultless_run_does(tmp_path, kind):
    seen, lock = set(), threading.Lock()

    def fault(number, body):
        with lock:
            text = body["messages"][1]["content"]
            first = text not in seen
            seen.add(text)
        return Fault(kind, {"Retry-After": "0.01"}) if first else None

    with ChatServer(told) as faultless:
        expected, _ = sent(faultless, tmp_path, requests(6), run="good")
    with ChatServer(told, fault) as server:
        answers, _ = sent(server, tmp_path, requests(6), run="bad")
    for key, row in expected.items():
        assert answers[key]["status"] == "answered"
        assert answers[key]["response"] == row["response"]
        assert answers[key]["sendings"] == 2


def test_a_storm_of_many_faults_leaves_what_a_faultless_run_does(tmp_path):
    dice = random.Random(7)
    kinds = [429, 500, 502, 503, "drop", "truncated", None, None, None]

    def fault(number, body):
        kind = dice.choice(kinds) if number < 150 else None
        return Fault(kind, {"Retry-After": "0"}) if kind else None

    with ChatServer(told) as faultless:
        expected, _ = sent(faultless, tmp_path, requests(60), run="good")
    with ChatServer(told, fault) as server:
        answers, allowance = sent(server, tmp_path, requests(60), run="bad", attempts=20)
    assert set(answers) == set(expected)
    answered = {key for key, row in answers.items() if row["status"] == "answered"}
    assert all(answers[key]["response"] == expected[key]["response"] for key in answered)
    # An answer that was cut off twice is set aside, and nothing else is.
    assert {answers[key]["status"] for key in set(answers) - answered} <= {"truncated"}
    assert sum(row["sendings"] for row in answers.values()) == len(server.received)
    assert allowance.sendings == len(server.received)


@pytest.mark.parametrize(
    ("kind", "status", "sendings"),
    [
        ("truncated", "truncated", 2),
        ("broken", "invalid", 2),
        ("wrong form", "invalid", 2),
        ("filtered", "refused", 1),
        (400, "refused", 1),
        (413, "refused", 1),
        (500, "failed", 3),
        ("hang", "failed", 3),
    ],
)
def test_what_never_works_is_set_aside_alone_with_its_reason(tmp_path, kind, status, sendings):
    def fault(number, body):
        is_bad = "text 2\n" in body["messages"][1]["content"]
        return Fault(kind, message="context length exceeded") if is_bad else None

    with ChatServer(told, fault) as server:
        answers, _ = sent(server, tmp_path, requests(5), attempts=3, timeout_seconds=0.5)
    assert {key: row["status"] for key, row in answers.items() if row["status"] != "answered"} == {
        "k2": status
    }
    assert answers["k2"]["sendings"] == sendings
    assert answers["k2"]["reason"]


def test_an_invalid_answer_is_asked_again_with_what_was_wrong(tmp_path):
    with ChatServer(told, lambda n, body: Fault("wrong form") if n == 0 else None) as server:
        sent(server, tmp_path, requests(1))
    last = server.received[1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert "entities.0.name: Field required" in last[3]["content"]


def test_a_cut_answer_is_given_more_room(tmp_path):
    with ChatServer(told, lambda n, body: Fault("truncated") if n == 0 else None) as server:
        sent(server, tmp_path, requests(1), max_output_tokens=100)
    assert [body["max_tokens"] for body in server.received] == [100, 200]


@pytest.mark.parametrize(("refused", "formats"), [
    ({"json_schema"}, ["json_schema", "json_object"]),
    ({"json_schema", "json_object"}, ["json_schema", "json_object", None]),
])  # fmt: skip
def test_less_structure_is_asked_for_where_it_is_not_offered(tmp_path, refused, formats):
    def fault(number, body):
        form = body.get("response_format", {}).get("type")
        return Fault(400, message="response_format is not supported") if form in refused else None

    with ChatServer(told, fault) as server:
        answers, _ = sent(server, tmp_path, requests(2), in_flight=1)
    found = [body.get("response_format", {}).get("type") for body in server.received]
    assert found == [*formats, formats[-1]]
    assert "Answer as JSON." in server.received[-1]["messages"][0]["content"]
    assert {row["status"] for row in answers.values()} == {"answered"}


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_no_request_would_get_past_stops_all(tmp_path, monkeypatch, status):
    monkeypatch.setenv("TINY_KEY", "sk-secret-1")

    def fault(number, body):
        return Fault(status, message="Incorrect key sk-secr**** provided: sk-secret-1")

    with ChatServer(told, fault) as server:
        answers, allowance = sent(server, tmp_path, requests(30), key_variable="TINY_KEY")
    assert answers == {}
    assert len(server.received) <= 4
    assert str(status) in allowance.stopped
    assert "sk-se" not in allowance.stopped


def test_the_key_is_sent_and_stands_in_nothing_that_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TINY_KEY", "sk-secret-1")
    with ChatServer(told, lambda n, b: Fault(400, message="sk-secret-1 is a key")) as server:
        answers, _ = sent(server, tmp_path, requests(2), key_variable="TINY_KEY")
    assert set(server.keys) == {"Bearer sk-secret-1"}
    assert "***" in answers["k0"]["reason"]
    everything = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert not any("sk-secret" in text for text in everything)


def test_a_budget_stops_before_it_is_passed(tmp_path):
    with ChatServer(told) as server:
        answers, allowance = sent(
            server,
            tmp_path,
            requests(200),
            limits=Limits(budget_tokens=3000),
            max_output_tokens=50,
        )
    used = sum(row["prompt_tokens"] + row["completion_tokens"] for row in answers.values())
    assert 0 < used <= 3000
    assert allowance.tokens == used
    assert allowance.out_of_budget
    assert len(answers) == len(server.received) < 200


def test_the_endpoint_is_sent_no_more_than_is_allowed(tmp_path):
    with ChatServer(told) as server:
        sent(server, tmp_path, requests(12), limits=Limits(requests_per_minute=300), in_flight=12)
    # Five a second; the first second's worth may come at once.
    assert server.times[-1] - server.times[0] > 1.0


def test_a_second_attempt_at_a_partition_waits_for_the_first():
    order = []

    async def work(address):
        first = await Gate.opened(address, 3)
        second = asyncio.create_task(Gate.opened(address, 3))
        other = await Gate.opened(address, 4)
        await asyncio.sleep(0.1)
        order.append(second.done())
        first.close()
        (await second).close()
        other.close()

    with GateServer(Allowance(Limits()), listen="127.0.0.1", host="127.0.0.1") as gate:
        asyncio.run(asyncio.wait_for(work(gate.address), 5))
    assert order == [False]


def test_who_does_not_know_the_secret_is_not_let_in():
    async def work(address):
        with pytest.raises(ConnectionError):
            await Gate.opened(address._replace(secret="guess"), 0)

    with GateServer(Allowance(Limits()), listen="127.0.0.1", host="127.0.0.1") as gate:
        asyncio.run(work(gate.address))


def test_a_second_run_of_a_task_finds_what_the_first_kept(tmp_path):
    spool = Spool(str(tmp_path), "00003-1")
    spool.keep([{"request_key": "a"}, {"request_key": "b"}])
    assert Spool(str(tmp_path), "00003-2").answered() == {"a", "b"}
    assert Spool(str(tmp_path), "00004-9").answered() == set()


def test_a_spool_is_kept_on_file_systems_of_other_names(tmp_path):
    spool = Spool(tmp_path.as_uri(), "00003-1")
    spool.take(["a", "b"])
    spool.keep([{"request_key": "a"}])
    assert set(kept(tmp_path)) == {"a"}
    (taken,) = (tmp_path / "taken").iterdir()
    assert [json.loads(line)["request_key"] for line in taken.read_text().splitlines()] == [
        "a",
        "b",
    ]
    elsewhere = Spool("mock:///warehouse/spool", "00003-1")  # in memory, at no path
    elsewhere.keep([{"request_key": "c"}])
    assert elsewhere.answered() == {"c"}


def test_a_file_system_that_there_is_not_is_told():
    with pytest.raises(ConfigurationError, match="dbfs://lake/spool can't be opened"):
        Spool("dbfs://lake/spool", "00003-1")
