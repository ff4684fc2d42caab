"""A static model: one vector per token, made from bge-small, added up and without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from regesta.embed import bge
from regesta.embed.encoder import Array, Space, unit
from regesta.embed.tokens import open_tokenizer

SPACE: Final = Space(model="bge-small-en-v1.5-static", dimension=256)
TOKENS: Final = "tokens.npy"
SMOOTHING: Final = 1e-4
_FIRST_WORD: Final = 999
"""What comes before in the vocabulary are marks and unused places; from here by frequency."""
_TOGETHER: Final = 512
_MOST_TOKENS: Final = 1 << 16


class StaticEncoder:
    """Adds up the vectors of a text's tokens; some hundred times as fast as the model itself."""

    def __init__(self, folder: Path) -> None:
        self.space = SPACE
        self._tokenizer = open_tokenizer(folder)
        self._tokens: Array = np.load(folder / TOKENS, allow_pickle=False).astype(np.float32)

    def encode(self, texts: Sequence[str]) -> Array:
        """Return float32 (texts, 256); see `Encoder`."""
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        tokens = [each.ids for each in found]
        sums = np.zeros((len(tokens), self.space.dimension), np.float32)
        for places in _chunks(tokens):
            flat = np.concatenate([tokens[place] for place in places])
            lengths = [len(tokens[place]) for place in places]
            starts = np.cumsum([0, *lengths[:-1]])
            sums[places] = np.add.reduceat(self._tokens[flat], starts, axis=0)
        return unit(sums)


def _chunks(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of texts that have tokens, few enough to be added up at once."""
    places: list[int] = []
    count = 0
    for place, each in enumerate(tokens):
        if each:
            places.append(place)
            count += len(each)
        if count >= _MOST_TOKENS:
            yield places
            places, count = [], 0
    if places:
        yield places


def distilled(encoder: bge.BgeEncoder, vocabulary: int) -> Array:
    """Return float16 (vocabulary, 256): what each token adds to a text.

    As Model2Vec does (Tulkens and van Dongen, 2024): every token goes through the model alone, what
    comes out is cut to its principal components, and frequent tokens weigh less, by the smooth
    inverse frequency of Arora et al. (2017), with the frequency that Zipf's law gives to their
    place in the vocabulary.
    """
    every = [(bge.BEGIN, token, bge.END) for token in range(vocabulary)]
    parts = [every[start : start + _TOGETHER] for start in range(0, vocabulary, _TOGETHER)]
    # The first state is trained to stand for a whole text, and tells less of a lone token.
    states = np.concatenate([encoder.states(part)[:, 1:].mean(axis=1) for part in parts])
    components = _principal(states, SPACE.dimension)
    return np.asarray(components * _weights(vocabulary)[:, None], np.float16)


def _principal(rows: Array, dimension: int) -> Array:
    """Return the rows in their first principal components, each of which points up at its peak."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :dimension]
    peaks = axes[np.abs(axes).argmax(axis=0), np.arange(dimension)]
    return np.asarray(centred @ (axes * np.sign(peaks)))


def _weights(vocabulary: int) -> Array:
    places = np.maximum(np.arange(vocabulary) - _FIRST_WORD + 1, 1)
    frequencies = 1 / places
    frequencies /= frequencies[_FIRST_WORD:].sum()
    return np.asarray(SMOOTHING / (SMOOTHING + frequencies))
