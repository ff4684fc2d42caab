"""Any endpoint that speaks OpenAI's protocol for embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from regesta.embed.encoder import Array, Space, unit
from regesta.errors import SetupError

if TYPE_CHECKING:
    from openai import OpenAI

KEY: Final = "OPENAI_API_KEY"
MOST_CHARACTERS: Final = 8_000
"""Of a text that is longer, only its beginning is sent."""
_TOGETHER: Final = 128


class EndpointEncoder:
    """Sends texts to `space.base_url`; the key is in the environment, as `KEY`."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._client = _client(space)

    def encode(self, texts: Sequence[str]) -> Array:
        """Return float32 (texts, dimension); see `Encoder`.

        Raises:
            SetupError: the endpoint can't be reached, refuses, or answers otherwise than agreed.
        """
        found = np.zeros((len(texts), self.space.dimension), np.float32)
        said = [place for place, text in enumerate(texts) if text.strip()]
        for start in range(0, len(said), _TOGETHER):
            places = said[start : start + _TOGETHER]
            found[places] = self._ask([texts[place][:MOST_CHARACTERS] for place in places])
        return unit(found)

    def _ask(self, texts: list[str]) -> Array:
        from openai import OpenAIError  # noqa: PLC0415

        model = self.space.model
        try:
            answer: Any = self._client.embeddings.create(
                model=model, input=texts, encoding_format="float"
            )
        except OpenAIError as error:
            raise SetupError(
                f"The endpoint {self._client.base_url} did not embed with {model} ({error}): check "
                f"embeddings.base_url and embeddings.model in conf/base.yaml, and {KEY}."
            ) from error
        rows = sorted(answer.data, key=lambda each: each.index)
        vectors = [each.embedding for each in rows]
        if [len(each) for each in vectors] != [self.space.dimension] * len(texts):
            raise SetupError(
                f"The endpoint {self._client.base_url} gave {len(vectors)} vectors of "
                f"{len(vectors[0]) if vectors else 0} dimensions for {len(texts)} texts, expected "
                f"are {self.space.dimension}: correct embeddings.dimension in conf/base.yaml."
            )
        return np.array(vectors, np.float32)


def _client(space: Space) -> OpenAI:
    try:
        from openai import OpenAI, OpenAIError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            f"{space.model} is asked through the package openai, which isn't installed: "
            "pip install 'regesta[embed]'."
        ) from error
    try:
        return OpenAI(base_url=space.base_url)
    except OpenAIError as error:
        raise SetupError(
            f"{space.model} can't be asked: set {KEY} (any text where the endpoint wants "
            f"none) and, for another endpoint than OpenAI's, embeddings.base_url ({error})."
        ) from error
