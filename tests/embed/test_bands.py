"""Bands of signs: near vectors share one as often as the angle between them says."""

from __future__ import annotations

import numpy as np
import pytest

from regesta.embed.bands import BANDS, BITS, bands


def _pairs(cosine, count=4000, dimension=256):
    """Return two lists of unit vectors, each at the same angle to its partner."""
    chance = np.random.default_rng(5)
    one, other = (chance.standard_normal((count, dimension)) for _ in range(2))
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    other -= (one * other).sum(axis=1, keepdims=True) * one
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    turned = cosine * one + np.sqrt(1 - cosine**2) * other
    return one.astype(np.float32), turned.astype(np.float32)


@pytest.mark.parametrize("cosine", [0.6, 0.9, 0.95])
def test_near_vectors_share_a_band_as_often_as_charikar_says(cosine):
    left, right = map(bands, _pairs(cosine))
    shared = np.mean([not set(one).isdisjoint(two) for one, two in zip(left, right, strict=True)])
    same_side = 1 - np.arccos(cosine) / np.pi
    assert shared == pytest.approx(1 - (1 - same_side**BITS) ** BANDS, abs=0.03)


def test_what_has_no_words_has_no_bands_and_equal_vectors_share_all():
    vectors = np.zeros((2, 256), np.float32)
    vectors[1, 3] = 1
    nothing, something = bands(vectors)
    assert nothing == ()
    assert len(set(something)) == BANDS
    assert bands(vectors[1:]) == [something]
