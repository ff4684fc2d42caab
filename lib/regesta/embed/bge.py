"""BAAI's bge-small-en-v1.5 in 32-bit ONNX, on the processor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from regesta.embed.encoder import Array, Space, unit
from regesta.embed.tokens import open_tokenizer
from regesta.errors import SetupError

SPACE: Final = Space(
    model="bge-small-en-v1.5",
    dimension=384,
    query_prefix="Represent this sentence for searching relevant passages: ",
)
MODEL: Final = "model.onnx"
MOST_TOKENS: Final = 512
BEGIN, END = 101, 102
_TOGETHER: Final = 32


class BgeEncoder:
    """The encoder of Xiao et al., "C-Pack" (2023): the first token's vector stands for the text.

    Only the first 512 tokens of a text count. The weights are not quantised: those that are
    dynamically give a text other vectors when other texts are beside it.
    """

    def __init__(self, folder: Path) -> None:
        self.space = SPACE
        self._tokenizer = open_tokenizer(folder)
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._session = open_session(folder / MODEL)

    def encode(self, texts: Sequence[str]) -> Array:
        """Return float32 (texts, 384); see `Encoder`."""
        tokens = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        found = np.zeros((len(tokens), self.space.dimension), np.float32)
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            found[places] = self.states([tokens[place] for place in places])[:, 0]
        return unit(found)

    def states(self, tokens: Sequence[Sequence[int]]) -> Array:
        """Return float32 (texts, longest, 384): the last layer's vector of every token."""
        longest = max(map(len, tokens))
        ids = np.zeros((len(tokens), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: Array = self._session.run(None, given)[0]
        return states


def open_session(path: Path) -> Any:
    """Open an ONNX model on one thread: a Spark worker has one core.

    Raises:
        SetupError: onnxruntime is missing.
    """
    try:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            f"{SPACE.model} needs onnxruntime, which isn't installed: pip install 'regesta[embed]'."
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
