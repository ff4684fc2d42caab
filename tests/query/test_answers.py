"""What a hit tells: dates, ids, citations; the text for a model; tables; the same bytes again."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest

import regesta.query
from publish import tiny, writing
from query import world
from regesta.query import Filters, QueryError
from regesta.query.context import estimate_tokens


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    writing.write_snapshot(root, tiny.tables())
    return regesta.query.open(root).group("acme")


def test_a_hit_has_all_that_an_answer_needs(acme):
    (hit,) = acme.as_of(valid="2022-06").search("owned", limit=1)
    assert (hit.kind, hit.id, hit.group, dict(hit.ranks)) == ("fact", "f-jane", "acme", {"bm25": 1})
    assert (hit.fact.valid_precision, hit.fact.invalid_precision) == ("year", "month")
    assert hit.fact.dates == "2021 to 2022-06"
    assert [entity.entity_id for entity in hit.entities] == ["e-acme", "e-jane"]
    (cited,) = hit.citations
    assert (cited.quote, cited.label) == (
        "Jane owns Acme since 2021.",
        "mail M1, jane@acme.com, 2022-01-10",
    )


def test_names_summaries_and_communities_are_those_of_the_known_time(acme):
    hits = acme.search("acme anvils owner", recipe="combined_hybrid_rrf")
    found = {hit.kind: hit.found for hit in reversed(hits.hits)}
    assert (found["entity"].name, found["entity"].summary) == ("Acme Corp", "A maker of anvils")
    assert found["community"].name == "Owners of Acme"
    before = acme.as_of(known="2022-06").search("acme anvils owner", recipe="combined_hybrid_rrf")
    found = {hit.kind: hit.found for hit in reversed(before.hits)}
    assert (found["entity"].name, found["entity"].summary) == ("Acme", None)
    assert "community" not in found
    assert "Acme Corp" not in before.context()


def test_old_ids_and_redirects_are_origins_and_centres(acme):
    """e-old became e-acme in June 2023."""
    for asked in ("e-old", "ACME Corp", "crm:17"):
        hits = acme.search("", recipe="entity_breadth_first", origins=[asked])
        assert hits[0].id == "e-acme"
    before = acme.as_of(known="2023-05").search(
        "", recipe="entity_breadth_first", origins=["e-old"]
    )
    assert [hit.id for hit in before] == ["e-old"]


COMBINED = """\
As of 2024-01-01, as known on 2024-01-01.
<FACTS>
Facts, each with the dates between which it holds; an event with when it took place.
- Jane Doe met Bob Müller (event on 2022-05-05) [1]
- Acme is owned by Bob Müller (since 2022-07) [2]
- Acme is owned by Bob Stone (since 2022-09, disputed) [3]
</FACTS>
<ENTITIES>
- Jane Doe (Person)
- Bob Müller (Person)
- Acme Corp (Company): A maker of anvils
- Bob Stone (Person)
</ENTITIES>
<COMMUNITIES>
- Owners of Acme: Acme and who owned it
</COMMUNITIES>
<EPISODES>
- P1! And Jane met Bob. [1]
- They say Bob Stone owns Acme [3]
- Jane owns Acme since 2021. Best regards [4]
</EPISODES>
<SOURCES>
[1] mail M4, 2022-03-05 10:30:00
[2] mail M2, 2023-01-10
[3] mail M3, 2023-01-10
[4] mail M1, jane@acme.com, 2022-01-10
</SOURCES>"""


def combined(acme):
    filters = Filters(disputed="include")
    words = "Bob met or owned or owner"
    return acme.search(words, recipe="combined_hybrid_rrf", filters=filters, limit=3)


def test_the_text_for_a_model(acme):
    assert combined(acme).context() == COMBINED


def test_a_budget_of_tokens_keeps_whole_hits(acme):
    """By a tokenizer that counts words: the best hits that fit, and their sources and entities."""
    hits = combined(acme)

    def words(text):
        return len(text.split())

    for budget in range(7, words(COMBINED) + 1):
        text = hits.context(tokens=budget, count_tokens=words)
        assert words(text) <= budget
        assert set(text.splitlines()) <= set(COMBINED.splitlines()) | set(renumbered(text))
    assert hits.context(tokens=words(COMBINED), count_tokens=words) == COMBINED
    assert hits.context(tokens=9, count_tokens=words) == COMBINED.splitlines()[0]
    with pytest.raises(QueryError, match="6 tokens do not hold the heading"):
        hits.context(tokens=6, count_tokens=words)


def renumbered(text):
    """Lines whose citations have other numbers, as fewer sources are told."""
    return [line for line in text.splitlines() if "[" in line]


def test_tokens_are_estimated_on_the_safe_side():
    assert estimate_tokens("") == 0
    assert estimate_tokens("four words of text") == 6
    assert estimate_tokens("東京都") == 3


def test_tables(acme):
    table = combined(acme).to_arrow()
    assert table.column_names == [
        *("rank", "group", "kind", "id", "text", "score"),
        *("valid_at", "invalid_at", "created_at", "expired_at"),
        *("valid_precision", "invalid_precision", "episode_ids", "ranks"),
    ]
    rows = table.to_pylist()
    assert [row["kind"] for row in rows] == [
        *["fact"] * 3,
        *["entity"] * 2,
        "community",
        *["episode"] * 3,
    ]
    assert rows[1]["valid_at"] == datetime(2022, 7, 1, tzinfo=UTC)
    assert (rows[1]["valid_precision"], rows[1]["ranks"]) == ("month", [("bm25", 2)])
    assert rows[5]["text"] == "Owners of Acme"
    assert acme.search("nobody").to_arrow().num_rows == 0


def test_a_data_frame(acme):
    pytest.importorskip("pandas")
    frame = acme.search("owned met").to_pandas()
    assert frame["id"].tolist() == ["f-bob", "f-met"]
    assert str(frame["valid_at"].dt.tz) == "UTC"


ASKED = """
import sys
import regesta.query as q
graph = q.open(sys.argv[1]).group("g")
for name in sorted(q.RECIPES):
    if "cross_encoder" not in name and "cosine" not in name:
        hits = graph.search("ann knows bob writes friends", recipe=name, center="ann")
        print(name, hits.context(), hits.to_arrow().to_pylist())
"""


def test_the_same_snapshot_and_question_give_the_same_bytes(tmp_path):
    """In processes whose hashes differ, over snapshots written from rows in another order."""
    shuffled = {name: rows[::-1] for name, rows in world.rows().items()}
    answers = set()
    for number, tables in enumerate((world.rows(), shuffled)):
        world.opened(tmp_path / str(number), tables)
        done = subprocess.run(
            [sys.executable, "-c", ASKED, str(tmp_path / str(number))],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": str(number + 1), "PYTHONPATH": ":".join(sys.path)},
        )
        answers.add(done.stdout)
    assert len(answers) == 1
