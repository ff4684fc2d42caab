"""What turns a text into a vector, and what vectors can be compared with which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Space:
    """Vectors of one model can be compared with each other and with no others.

    `query_prefix` is put before what is asked, not before what is embedded to be found. A model
    that is not among the local ones answers at `base_url` or, without one, where OPENAI_BASE_URL
    says.
    """

    model: str
    dimension: int
    query_prefix: str = ""
    base_url: str | None = None

    @property
    def name(self) -> str:
        """Return model and dimension in words; two spaces are one where it is equal."""
        return f"{self.model} with {self.dimension} dimensions"


class Encoder(Protocol):
    """A model at work."""

    @property
    def space(self) -> Space:
        """Return where its vectors belong."""

    def encode(self, texts: Sequence[str]) -> Array:
        """Return float32 (texts, dimension): unit vectors, whatever texts are given together.

        A text in which the model finds no word gives a vector of zeros.
        """


def encode_query(encoder: Encoder, text: str) -> Array:
    """Return float32 (dimension,): the unit vector of what is asked."""
    vector: Array = encoder.encode([encoder.space.query_prefix + text])[0]
    return vector


def unit(vectors: Array) -> Array:
    """Return rows as float32 of length one; rows of zeros stay."""
    wide = vectors.astype(np.float32)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.asarray(wide / np.where(lengths == 0, 1, lengths), np.float32)
