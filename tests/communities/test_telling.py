"""Communities told by a language model: what is asked, once, and where its words go."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from chat_server import TEXT, ChatServer
from regesta.communities import telling
from regesta.communities.step import Way
from regesta.llm.prices import LanguageModel
from regesta.llm.prompts import Prompted
from regesta.llm.settings import LanguageModelSettings
from regesta.prompts import load_prompts

pytestmark = pytest.mark.spark


def told(body):
    """Answer with the number of lines and the first one; a community of x is not answered."""
    content = body["messages"][1]["content"]
    lines = TEXT.findall(content)[0][1].splitlines()
    summary = f"{len(lines)} lines: {lines[0]}"
    if "Its size" not in content:
        return json.dumps({"summary": summary})
    if "x KNOWS" in content:
        return "I can't."
    return json.dumps({"name": f"About {lines[0][0]}", "summary": summary, "key_terms": ["told"]})


@pytest.fixture
def server():
    with ChatServer(told) as running:
        yield running


@pytest.fixture
def way(server):
    settings = LanguageModelSettings(base_url=server.url, name="tiny", largest_failed_share=1)
    prompted = Prompted(LanguageModel(settings), load_prompts(Path("no overrides")))
    return Way(365, prompted)


def test_what_changed_is_told_anew_and_what_is_not_answered_keeps_its_own_words(
    graphs, make_fact, server, way
):
    one, other = (list(itertools.combinations(names, 2)) for names in ("abcd", "wxyz"))
    counts = graphs.batch(1, [*one, *other], way=way)
    by_id = {row["community_id"]: row for row in graphs.rows("communities")}
    mine, theirs = (by_id[graphs.partition()[name]] for name in "aw")
    assert (mine["name"], mine["key_terms"]) == ("About a", ["told"])
    assert mine["summary"] == "6 lines: a KNOWS b (since 1970-01-02)"
    # An answer that is not in form is asked for twice, and then taken from the facts.
    assert theirs["name"] == "w, x, y"
    assert len(server.received) == 3
    asked = counts["model"]["communities-level_0"]
    assert (asked["answered"], asked["invalid"]) == (1, 1)
    # A fact that ended is told as such; the others are not asked about again.
    ended = make_fact("a", "d", 1, relation="OWED", invalid_at=2 * 86_400_000_000)
    graphs.batch(3, facts=[ended], way=way)
    text = TEXT.findall(server.received[3]["messages"][1]["content"])[0][1]
    assert "a OWED d (1970-01-02 to 1970-01-03)" in text
    assert len(server.received) == 4
    [again] = [row for row in graphs.rows("communities") if row["name"] == "About a"]
    assert again["summary"].startswith("7 lines")
    # Nothing changes, nothing is asked.
    graphs.batch(4, way=way)
    assert len(server.received) == 4


def test_many_facts_are_told_in_parts_first(graphs, make_fact, server, way, monkeypatch):
    monkeypatch.setattr(telling, "FACTS_OF_A_PART", 4)
    pairs = list(itertools.combinations("abcde", 2))
    counts = graphs.batch(1, pairs, way=way)
    [community] = graphs.rows("communities")
    # Ten facts make parts of four, four and two lines; the whole is told from three summaries.
    assert sorted(
        len(TEXT.findall(body["messages"][1]["content"])[0][1].splitlines())
        for body in server.received
    ) == [2, 3, 4, 4]
    assert community["summary"].startswith("3 lines: 4 lines: a KNOWS b")
    assert counts["model"]["communities-parts"]["answered"] == 3
