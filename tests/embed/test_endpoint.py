"""An endpoint's model: what is sent, and what is said when it does not answer as agreed."""

from __future__ import annotations

import numpy as np
import pytest

from embed.endpoint import listening, unit_letters
from regesta.embed.encoder import encode_query
from regesta.embed.endpoint import EndpointEncoder
from regesta.errors import SetupError


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with listening() as opened:
        yield opened


def test_vectors_are_those_of_the_texts_in_order(endpoint):
    texts = [f"{'abcdefgh'[n % 8] * (n + 1)}z" for n in range(300)]  # more than one request
    found = EndpointEncoder(endpoint.space()).encode(texts)
    assert found == pytest.approx(np.stack([unit_letters(text) for text in texts]), abs=1e-6)
    assert endpoint.texts == texts
    assert endpoint.keys == {"Bearer secret"}


def test_nothing_is_asked_of_blank_texts(endpoint):
    found = EndpointEncoder(endpoint.space()).encode(["", "abc", " \n"])
    assert endpoint.texts == ["abc"]
    assert not found[[0, 2]].any()


def test_a_question_has_its_prefix(endpoint):
    encode_query(EndpointEncoder(endpoint.space(query_prefix="query: ")), "who?")
    assert endpoint.texts == ["query: who?"]


def test_a_long_text_is_cut(endpoint):
    EndpointEncoder(endpoint.space()).encode(["a" * 10_000])
    assert endpoint.texts == ["a" * 8_000]


def test_another_dimension_than_declared(endpoint):
    with pytest.raises(SetupError, match=r"of 8 dimensions for 1 texts, expected are 7: correct"):
        EndpointEncoder(endpoint.space(dimension=7)).encode(["abc"])


def test_a_model_that_it_does_not_have(endpoint):
    with pytest.raises(SetupError, match=r"did not embed with other .*no model other.*base_url"):
        EndpointEncoder(endpoint.space(model="other")).encode(["abc"])


def test_without_a_key(endpoint, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SetupError, match="letters can't be asked: set OPENAI_API_KEY"):
        EndpointEncoder(endpoint.space())
