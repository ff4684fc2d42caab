"""Cosine over a group's vectors; numpy alone, the model is loaded when something is asked.

Every vector is compared, but of a large group only those that a first pass over sign codes leaves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow.fs as pafs

from regesta.embed.encoder import Encoder, Space, encode_query
from regesta.errors import SetupError
from regesta.query.codes import differing, nearest, sign_codes
from regesta.query.errors import QueryError
from regesta.query.group import Group, Mask
from regesta.query.layout import MODELS
from regesta.query.manifest import File, segment_id
from regesta.query.question import Question, Ranked, ranked
from regesta.query.store import Store

Array = npt.NDArray[Any]
_FEW: Final = 8
"""One row in so many is cheaper to pick out than to pass by."""
_LARGE: Final = 200_000
"""Up to so many vectors of a group are all compared."""
_KEPT: Final = 20_000
_KEPT_SHARE: Final = 32
_KEPT_PER_HIT: Final = 20
"""The first pass leaves so many rows, one in so many of those asked about, so many for each hit
wanted, whatever is most: see tests/bench/bench_search.py for what is missed."""


class QueryEncoder:
    """Turns what is asked into a vector of a snapshot's space.

    Without an encoder of the caller's own the snapshot's model, or its endpoint, is asked; it is
    loaded at the first question.
    """

    def __init__(
        self, space: Space, store: Store, model: Mapping[str, File], given: Encoder | None = None
    ) -> None:
        if given is not None and given.space.name != space.name:
            raise QueryError(
                f"The snapshot's vectors are those of {space.name}; {given.space.name} can't be "
                "compared with them: ask with the model that the snapshot was published with."
            )
        self._space, self._store, self._model = space, store, model
        self._given = given
        self._last: tuple[str, Array] | None = None

    def vector(self, text: str) -> Array:
        """Return float32 (dimension,): the unit vector of a question.

        The last one is kept: the groups and scopes of one search ask for the same.
        """
        if self._last is None or self._last[0] != text:
            self._last = text, encode_query(self._encoder, text)
        return self._last[1]

    @cached_property
    def hindrance(self) -> str | None:
        """Return why nothing can be embedded here (a package or a key is missing), None if it can.

        It loads the model.
        """
        try:
            _ = self._encoder
        except SetupError as error:
            return str(error)
        return None

    @cached_property
    def _encoder(self) -> Encoder:
        from regesta.embed.load import encoder_of  # noqa: PLC0415

        if self._given is not None:
            return self._given
        if not self._model:
            return encoder_of(self._space, None)
        folder = self._store.path(MODELS, segment_id(self._model))
        if self._store.local:
            return encoder_of(self._space, Path(folder))
        with tempfile.TemporaryDirectory() as copied:
            pafs.copy_files(folder, copied, source_filesystem=self._store.filesystem)
            return encoder_of(self._space, Path(copied))


def cosine(question: Question) -> Ranked:
    """Rank by the cosine of the question's vector to those of the texts; it must be positive.

    Of a large group only the rows that may be among the nearest are compared. Raises QueryError
    where the snapshot has no vectors.
    """
    encoder = question.asked.encoder
    if encoder is None:
        raise QueryError(
            "The snapshot has no vectors: name a model in embeddings.model of conf/base.yaml and "
            "publish again, or search by words (bm25)."
        )
    vector = encoder.vector(question.asked.text)
    mask = _passing(question, vector)
    rows, found = cosines(question.view.group, question.scope, vector, mask)
    return ranked(rows[found > 0], found[found > 0], question.limit)


def _passing(question: Question, vector: Array) -> Mask:
    """Return the rows asked about that the first pass leaves; all of them where it is not worth it.

    Distances are whole numbers and rows of one distance stay together, so that the same rows are
    left on every machine.
    """
    group, table = question.view.group, question.scope
    places = _places(group, table)
    rows = np.flatnonzero(question.mask & (places >= 0))
    kept = max(_KEPT, len(rows) // _KEPT_SHARE, _KEPT_PER_HIT * question.limit)
    part = group.slice(f"{table}_vectors")
    if part.stop - part.start <= _LARGE or len(rows) <= 2 * kept:
        return question.mask
    codes = group.segment.array(table, "codes")[:, part]
    distances = differing(codes, sign_codes(vector[None])[:, 0])[places[rows]]
    found = np.zeros_like(question.mask)
    found[rows[nearest(distances, kept)]] = True
    return found


def cosines(group: Group, table: str, question: Array, mask: Mask) -> tuple[Array, Array]:
    """Return the rows of a mask that have a vector, from the group's first, and their cosines."""
    places = _places(group, table)
    rows = np.flatnonzero(mask & (places >= 0))
    return rows, _products(_vectors(group, table), places[rows], question)


def unit_vectors(group: Group, table: str, rows: Array) -> Array:
    """Return float32 (rows, dimension) of rows from the group's first; zeros without a vector."""
    places = _places(group, table)[rows]
    found = np.asarray(_vectors(group, table)[np.maximum(places, 0)])
    found[places < 0] = 0
    return found


def _vectors(group: Group, table: str) -> Array:
    vectors: Array = group.segment.array(table, "vectors")[group.slice(f"{table}_vectors")]
    return vectors


def _places(group: Group, table: str) -> Array:
    """Return for each row its place among the group's vectors, below 0 where it has none."""
    return np.asarray(group.array(table, "vector") - group.slice(f"{table}_vectors").start)


def _products(vectors: Array, places: Array, question: Array) -> Array:
    if len(places) * _FEW < len(vectors):
        return np.asarray(vectors[places] @ question)
    return np.asarray((vectors @ question)[places])
