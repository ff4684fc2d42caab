"""Raw messages and texts are found by their writers' own words, in the version known then."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regesta.query
from publish import tiny, writing
from regesta.query import QueryError
from regesta.sources.own_words import message_spans
from regesta.spans import spans_text

REPLY = "The invoice is paid.\n\n-- \nBo Chen\n\nOn Monday Ann wrote:\n> Has the anvil arrived?\n"


def message(episode_id, content, **more):
    spans = [("spans", spans_text(message_spans(content)))]
    changed = {key: more.pop(key) for key in ("kind", "removed") if key in more}
    return tiny.episode(episode_id, content, **more) | {"attributes": spans} | changed


def opened(root, episodes, supersessions=()):
    empty = {name: [] for name in tiny.tables()}
    rows = empty | {"episodes": episodes, "supersessions": list(supersessions)}
    writing.write_snapshot(root, rows)
    return regesta.query.open(root)


def superseded(episode_id, at, by):
    return {"episode_id": episode_id, "superseded_at": at, "superseded_by": by, "batch": 1}


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    episodes = [
        message("m1", REPLY, author="bo@acme.com", at="2022-03-05"),
        message("m2", "Where is the anvil?", at="2022-03-01"),
        message("m3", "Where is the old anvil?", at="2022-06-01"),
        tiny.episode("t1", "An anvil weighs a ton", at="2022-01-10") | {"kind": "text"},
        tiny.episode("r1", '{"what": "anvil"}') | {"kind": "json"},
        message("w1", "{}", at="2022-07-01", removed="withdrawn"),
        message("g1", "anvil anvil", group="globex"),
    ]
    ends = [superseded("m2", "2022-06-01", "m3"), superseded("t1", "2022-07-01", "w1")]
    return opened(tmp_path_factory.mktemp("episodes"), episodes, ends).group("acme")


def found(graph, words, **more):
    hits = graph.search(words, recipe="episode_bm25", **more)
    return [hit.episode.episode_id for hit in hits]


def test_only_own_words_are_searched(acme):
    assert found(acme, "invoice paid") == ["m1"]
    assert found(acme, "Bo Chen") == []
    assert found(acme, "anvil") == ["m3"]
    assert found(acme, "what") == []


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ("2022-01-09", []),
        ("2022-01-10", ["t1"]),
        ("2022-03-01", ["m2", "t1"]),
        ("2022-06-01", ["m3", "t1"]),
        ("2022-06-30", ["m3", "t1"]),
        ("2022-07-01", ["m3"]),
    ],
)
def test_the_version_that_counted_then(acme, known, wanted):
    assert sorted(found(acme.as_of(known=known), "anvil")) == wanted
    assert sorted(found(acme.as_of(valid="1999", known=known), "anvil")) == wanted


def test_a_hit_names_its_source_and_date(acme):
    hits = acme.search("invoice", recipe="episode_bm25")
    (hit,) = hits
    assert hit.episode.label == "mail M1, bo@acme.com, 2022-03-05"
    assert (hit.episode.content, hit.episode.own_words) == (REPLY, "The invoice is paid.")
    assert (hit.kind, hit.fact, hit.entity, hit.citations) == ("episode", None, None, ())
    assert hits.context() == (
        "As of 2024-01-01, as known on 2024-01-01.\n"
        "<EPISODES>\n- The invoice is paid. [1]\n</EPISODES>\n"
        "<SOURCES>\n[1] mail M1, bo@acme.com, 2022-03-05\n</SOURCES>"
    )
    row = hits.to_arrow().to_pylist()[0]
    assert (row["kind"], row["id"], row["episode_ids"]) == ("episode", "m1", ["m1"])
    assert (row["text"], row["valid_at"]) == ("The invoice is paid.", None)


def test_a_scope_that_is_none(acme):
    with pytest.raises(QueryError, match="search facts, entities, communities, episodes"):
        acme.search("x", scope="messages")


WORDS = st.lists(st.sampled_from(["fox", "dog", "> cat"]), min_size=1, max_size=3)
EPISODES = st.lists(
    st.tuples(WORDS, st.integers(1, 9), st.none() | st.integers(10, 20), st.sampled_from("gh"))
)


@pytest.mark.parametrize("recipe", ["episode_bm25", "episode_hybrid_thread"])
@settings(max_examples=25, deadline=None)
@given(EPISODES, st.integers(1, 20), st.sampled_from(["fox", "dog", "cat"]))
def test_scores_tell_nothing_of_what_is_hidden(recipe, rows, known, word):
    """The same search over a snapshot of the visible episodes alone gives the same hits."""
    moment = f"2022-01-{known:02d}"
    every = [
        (message(f"e{n:02d}", "\n".join(w), at=f"2022-01-{at:02d}", group=group), end)
        for n, (w, at, end, group) in enumerate(rows)
    ]
    ends = [superseded(e["episode_id"], f"2022-01-{end:02d}", "x") for e, end in every if end]
    visible = [
        each
        for each, end in every
        if each["group_id"] == "g" and each["known_at"] <= moment and (not end or known < end)
    ]
    anchor = [message("a", "owl", group="g", at="2022-01-01")]
    results = []
    for episodes, supersessions in (([e for e, _ in every], ends), (visible, [])):
        with tempfile.TemporaryDirectory() as root:
            graph = opened(root, anchor + episodes, supersessions).group("g").as_of(known=moment)
            hits = graph.search(word, recipe=recipe, limit=50)
            results.append([(hit.episode.episode_id, hit.score) for hit in hits])
    assert results[0] == results[1]
    having = {each["episode_id"] for each in visible if word in each["content"].split("\n")}
    ids = {each for each, _ in results[0]}
    assert ids == having if recipe == "episode_bm25" else ids >= having
