"""The server as a subprocess, asked by the SDK's own client."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from publish import tiny, writing
from regesta.cli.main import app
from regesta.embed import static
from regesta.embed.load import load, local_folder
from regesta.errors import SetupError
from regesta.query import QueryError
from regesta.serve.served import Served
from regesta.serve.tools import Tools


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    writing.write_snapshot(folder, tiny.tables())
    return folder


@pytest.fixture(scope="module")
def acme(root):
    """A client of a server that serves one of the two groups, and what it is asked with."""
    with serving(root, ["acme"]) as client:
        yield client


def command(root, groups):
    named = [part for group in groups for part in ("--group", group)]
    args = ["-m", "regesta.cli.main", "mcp", "--snapshots", str(root), *named]
    return StdioServerParameters(command=sys.executable, args=args)


class Caller:
    """The client, asked from tests that are not asynchronous."""

    def __init__(self, portal, client):
        self.portal, self.client = portal, client

    def result(self, tool, **arguments):
        return self.portal.call(self.client.call_tool, tool, arguments)

    def told(self, tool, **arguments):
        """Return what a programme reads, which must be what a model reads."""
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    def mistake(self, tool, **arguments):
        result = self.result(tool, **arguments)
        assert result.is_error
        return result.content[0].text


@contextmanager
def serving(root, groups):
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(command(root, groups))) as client,
    ):
        yield Caller(portal, client)


def test_the_tools_only_read_and_say_what_they_take(acme):
    tools = acme.portal.call(acme.client.list_tools).tools
    assert "Graphs served: acme." in acme.client.instructions
    assert [tool.name for tool in tools] == ["search", "facts_as_of", "history", "why", "entity"]
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.description
        assert tool.output_schema["required"]
        assert {"known", "group"} <= set(tool.input_schema["properties"])
    scopes = tools[0].input_schema["properties"]["scope"]["enum"]
    assert scopes == ["facts", "entities", "communities", "episodes"]


def test_what_is_so_now_with_dates_and_citations(acme):
    now = acme.told("facts_as_of", entity="Acme", relation="owned_by")
    assert now == {
        "group": "acme",
        "as_of": {"valid": "2024-01-01", "known": "2024-01-01"},
        "left_out": 0,
        "facts": [
            {
                "fact_id": "f-bob",
                "text": "Acme is owned by Bob Müller",
                "subject": "Acme Corp",
                "subject_id": "e-acme",
                "relation": "OWNED_BY",
                "object": "Bob Müller",
                "object_id": "e-bob",
                "kind": "state",
                "dates": "since 2022-07",
                "believed": "since 2023-01-10",
                "citations": [
                    {
                        "episode_id": "m2",
                        "source": "mail",
                        "source_id": "M2",
                        "date": "2023-01-10",
                        "quote": tiny.NEWS,
                    }
                ],
            }
        ],
    }


def test_what_was_so_and_what_was_known_then(acme):
    (jane,) = acme.told("facts_as_of", entity="acme", relation="OWNED_BY", valid="2022-05")["facts"]
    assert (jane["object"], jane["dates"]) == ("Jane Doe", "2021 to 2022-06")
    assert jane["citations"][0]["quote"] == "Jane owns Acme since 2021."
    assert jane["citations"][0]["author"] == "jane@acme.com"
    assert "followed by" in jane["why_ended"]
    assert acme.told("why", fact_id="f-jane")["facts"] == [jane]
    (hit,) = acme.told("search", query="who owned Acme?", valid="2022-05", limit=1)["hits"]
    assert (hit["group"], hit["fact"]["fact_id"]) == ("acme", "f-jane")
    past = acme.told("facts_as_of", entity="Acme", relation="OWNED_BY", known="2022-12")
    (before,) = past["facts"]
    assert (before["object"], before["dates"]) == ("Jane Doe", "since 2021")
    assert "why_ended" not in before  # its end was not known then
    assert past["as_of"] == {"valid": "2022-12-01", "known": "2022-12-01"}


def test_facts_from_the_other_end_and_limits(acme):
    jane = acme.told("facts_as_of", entity="Jane Doe", valid="2022-06")
    assert [fact["fact_id"] for fact in jane["facts"]] == ["f-met", "f-jane"]
    cut = acme.told("facts_as_of", entity="Jane Doe", valid="2022-06", limit=1)
    assert (jane["left_out"], len(cut["facts"]), cut["left_out"]) == (0, 1, 1)
    assert acme.told("facts_as_of", entity="Bob Stone")["facts"] == []  # told, but disputed


def test_history_with_what_was_believed_before(acme):
    every = acme.told("history", entity="Acme", relation="OWNED_BY", all_beliefs=True)["facts"]
    assert [(fact["object"], fact["believed"]) for fact in every] == [
        ("Jane Doe", "2022-01-10 to 2023-01-10"),
        ("Jane Doe", "since 2023-01-10"),
        ("Bob Müller", "since 2023-01-10"),
    ]
    assert "f-bob" in every[0]["why_no_longer_believed"]
    latest = acme.told("history", entity="Acme", relation="OWNED_BY", limit=1)
    assert [fact["object"] for fact in latest["facts"]] == ["Bob Müller"]
    assert latest["left_out"] == 1


def test_entities_communities_and_episodes(acme):
    old = acme.told("entity", name="e-old")["entity"]
    assert (old["entity_id"], old["identifiers"]) == ("e-acme", ["crm:17"])
    assert old["believed"] == "since 2023-01-10"
    (community,) = acme.told("search", query="owners", scope="communities")["hits"]
    assert community["community"]["name"] == "Owners of Acme"
    mail = acme.told("search", query="Müller", scope="episodes", sources=["mail"])["hits"][0]
    assert (mail["episode"]["text"], mail["episode"]["date"]) == (tiny.NEWS, "2023-01-10")


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("entity", {"name": "Acme Crop"}, "There is no entity 'Acme Crop'. Did you mean"),
        ("entity", {"name": "Bob"}, "'Bob' names 2 entities; give an id instead"),
        ("facts_as_of", {"entity": "Acme", "valid": "yesterday"}, "'yesterday' is no date"),
        ("facts_as_of", {"entity": "Acme", "known": "2030"}, "knows nothing after 2024-01-01"),
        ("history", {"entity": "Acme", "relation": "OWNS"}, "There is no relation 'OWNS'"),
        ("why", {"fact_id": "f-nothing"}, "Nothing is known of fact 'f-nothing'"),
        ("search", {"query": "x", "scope": "people"}, "'facts', 'entities'"),
        ("search", {"query": "x", "limit": 0}, "greater than or equal to 1"),
        ("search", {"query": "x", "group": "globex"}, "There is no group 'globex'."),
    ],
)
def test_mistakes_in_plain_words(acme, tool, arguments, words):
    assert words in acme.mistake(tool, **arguments)


OTHERS = ("globex", "Zoë", "e-zoe", "e-other", "f-globex", "g1", "Zoë owns Acme")
"""What names another group's graph and what is in it."""


def every_call(word):
    """Return calls with a word in every argument of every tool that takes a text."""
    for scope in ("facts", "entities", "communities", "episodes"):
        yield "search", {"query": word, "scope": scope, "all_times": True}
        yield "search", {"query": f"Acme {word}", "scope": scope, "valid": "2021"}
    for name in ("labels", "relations", "sources", "group", "valid"):
        yield "search", {"query": "Acme", name: word if name in ("group", "valid") else [word]}
    for tool, first in (("facts_as_of", "entity"), ("history", "entity"), ("why", "fact_id")):
        yield tool, {first: word}
        yield tool, {first: word, "group": "globex"}
        yield tool, {first: word, "groups": ["globex"], "snapshots": "globex", "origins": [word]}
        yield tool, {first: "Acme", "group": word}
    yield "history", {"entity": "Acme", "relation": word, "all_beliefs": True}
    yield "facts_as_of", {"entity": "Acme", "relation": word}
    yield "entity", {"name": word}
    yield "entity", {"name": "Acme", "group": word}


def test_no_argument_of_any_tool_tells_of_another_graph(acme, tmp_path):
    """The answers, mistakes among them, are those of a snapshot that lacks the other graph."""
    tables = tiny.tables()
    alone = {
        name: [row for row in rows if row["group_id"] == "acme"] for name, rows in tables.items()
    }
    assert alone["entities"] != tables["entities"]
    writing.write_snapshot(tmp_path, alone)
    with serving(tmp_path, ["acme"]) as other:
        for tool, arguments in (call for word in OTHERS for call in every_call(word)):
            assert acme.result(tool, **arguments) == other.result(tool, **arguments), arguments


def test_several_groups_where_the_operator_names_them(root):
    with serving(root, ["acme", "globex"]) as caller:
        both = caller.told("search", query="owned", valid="2021-06")["hits"]
        assert {hit["group"] for hit in both} == {"acme", "globex"}
        one = caller.told("search", query="owned", valid="2021-06", group="globex")["hits"]
        assert {hit["group"] for hit in one} == {"globex"}
        assert caller.told("entity", name="Zoë", group="globex")["entity"]["entity_id"] == "e-zoe"
        assert "Say which group is meant: acme, globex." in caller.mistake("entity", name="Zoë")


def test_a_snapshot_published_meanwhile_is_taken_up(tmp_path):
    writing.write_snapshot(tmp_path, tiny.tables())
    later = tiny.tables()
    later["facts"][2] |= {"text": "Acme belongs to Bob"}
    with serving(tmp_path, ["acme"]) as caller:
        question = {"entity": "Acme", "relation": "OWNED_BY"}
        before = caller.told("facts_as_of", **question)
        known_at = datetime(2024, 2, 1, tzinfo=UTC)
        writing.write_snapshot(tmp_path, later, known_at=known_at, batch=2)
        after = caller.told("facts_as_of", **question)
    assert [(each["as_of"]["known"], each["facts"][0]["text"]) for each in (before, after)] == [
        ("2024-01-01", "Acme is owned by Bob Müller"),
        ("2024-02-01", "Acme belongs to Bob"),
    ]


def test_a_search_by_words_alone_says_so(tmp_path, monkeypatch):
    folder = local_folder(static.SPACE)
    encoder = load(static.SPACE)
    writing.write_snapshot(tmp_path, tiny.tables(), encoder=encoder, model=folder)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    found = Tools(Served(tmp_path, ["acme"])).search("Bob")
    assert found["note"].startswith("Searched by words alone: ")
    assert [hit["fact"]["fact_id"] for hit in found["hits"]] == ["f-bob", "f-met"]


@pytest.mark.parametrize(
    ("groups", "words"),
    [(["acne"], "There is no group 'acne'. Did you mean 'acme'?"), ([], "There are 2 graphs")],
)
def test_the_operators_mistakes(root, groups, words):
    done = CliRunner().invoke(app, command(root, groups).args[2:])
    assert isinstance(done.exception, QueryError)
    assert words in str(done.exception)


def test_without_the_package_it_says_what_to_install(root, monkeypatch):
    monkeypatch.delitem(sys.modules, "regesta.serve.server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    done = CliRunner().invoke(app, command(root, ["acme"]).args[2:])
    assert isinstance(done.exception, SetupError)
    assert "pip install 'regesta[mcp]'" in str(done.exception)
