"""Embedding in Spark: each text once, whatever table, group, night or rebuild it comes from."""

from __future__ import annotations

import numpy as np
import pytest

import regesta.query
from embed.endpoint import listening, unit_letters
from publish import tiny, writing
from regesta.context import Batch, StepContext
from regesta.embed.step import Embeddings
from regesta.java import JvmParts
from regesta.ontology import Ontology
from regesta.publish.snapshot import publish
from regesta.query.errors import QueryError
from regesta.query.layout import SEARCHED
from regesta.query.vectors import cosines, unit_vectors
from regesta.warehouse.warehouse import Warehouse

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def endpoint():
    with listening() as opened, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "none")
        yield opened


@pytest.fixture(scope="module")
def night(spark, endpoint, tmp_path_factory):
    """Return a function that publishes rows as a batch, and tells what the endpoint was asked."""
    warehouse = Warehouse.open(spark, str(tmp_path_factory.mktemp("warehouse")), salt="salt")

    def publish_night(root, rows, batch, changed=None):
        known_at = tiny.micros("2024-01-01") + batch
        context = StepContext(warehouse, Batch(batch, known_at), Ontology(), lambda text: None)
        embeddings = Embeddings(context, endpoint.space(), JvmParts())
        endpoint.texts.clear()
        manifest = publish(
            writing.frames(spark, rows),
            root=str(root),
            known_at=known_at,
            batch=batch,
            table_versions={"facts": batch},
            code_version="test",
            relations=writing.ONE_OWNER,
            changed_groups=changed and spark.createDataFrame(changed, "group_id string"),
            embeddings=embeddings,
        )
        asked = endpoint.texts[1:]  # the first is the trial on the driver
        assert len(asked) == embeddings.embedded
        return manifest, asked

    return publish_night


def changed_rows():
    rows = tiny.tables()
    rows["facts"][-1]["text"] = "Acme is owned by Zoë Smith"
    return rows


@pytest.fixture(scope="module")
def published(night, tmp_path_factory):
    root = tmp_path_factory.mktemp("snapshots")
    first = night(root, tiny.tables(), 1)
    second = night(root, changed_rows(), 2, [("globex",)])
    again = night(tmp_path_factory.mktemp("again"), changed_rows(), 2)
    return root, first, second, again


def test_every_text_is_embedded_once(published):
    _, (_, asked), _, _ = published
    assert sorted(asked) == sorted(writing.embedded_texts(tiny.tables()))


def test_a_later_night_embeds_what_is_new(published):
    _, _, (_, asked), _ = published
    assert asked == ["Acme is owned by Zoë Smith"]


def test_publishing_elsewhere_embeds_nothing_and_gives_the_same_bytes(published):
    _, _, (later, _), (again, asked) = published
    assert asked == []
    assert again.segments == later.segments


def test_what_did_not_change_is_carried_over(published):
    _, (first, _), (later, _), _ = published
    assert len(set(first.segments) & set(later.segments)) == 1


TEXTS = {
    "facts": lambda row: row["text"],
    "entities": lambda row: ": ".join(filter(None, (row["name"], row["summary"]))),
    "communities": lambda row: ": ".join(filter(None, (row["name"], row["summary"]))),
    "episodes": lambda row: {"m1": tiny.MAIL, "g1": "Zoë owns Acme"}.get(row["episode_id"]),
}


@pytest.mark.parametrize("table", SEARCHED)
@pytest.mark.parametrize("name", ["acme", "globex"])
def test_rows_have_the_vectors_of_their_texts(published, name, table):
    group = regesta.query.open(published[0]).group(name)._view.group
    rows = range(*group.slice(table).indices(1 << 30))
    assert rows or (name, table) == ("globex", "communities")
    vectors = unit_vectors(group, table, np.arange(len(rows)))
    for row, vector in zip(rows, vectors, strict=True):
        text = TEXTS[table](group.segment.row(table, row))
        if text is not None:
            assert vector == pytest.approx(unit_letters(text), abs=1e-3)  # as float16


def test_a_group_has_each_text_once(published):
    group = regesta.query.open(published[0]).group("acme")._view.group
    texts = group.column("facts", "text")
    vectors = group.slice("facts_vectors")
    assert vectors.stop - vectors.start == len(set(texts)) < len(texts)


def test_the_question_goes_to_the_same_model(published, endpoint):
    group = regesta.query.open(published[0]).group("acme")._view.group
    endpoint.texts.clear()
    vector = group.encoder.vector("who owns Acme?")
    assert endpoint.texts == ["who owns Acme?"]
    rows, found = cosines(group, "facts", vector, np.ones(len(group.column("facts", "text")), bool))
    wanted = [unit_letters(text) @ vector for text in group.column("facts", "text")]
    assert found == pytest.approx(wanted, abs=1e-3)
    assert rows.tolist() == list(range(len(wanted)))


def test_another_model_is_refused(published, endpoint):
    class Other:
        space = endpoint.space(dimension=4)

    with pytest.raises(QueryError, match="those of letters with 8 dimensions; letters with 4 "):
        regesta.query.open(published[0], encoder=Other())
