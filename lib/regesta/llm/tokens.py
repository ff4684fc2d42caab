"""How many tokens a text is, where no model says so itself."""

from __future__ import annotations

from collections.abc import Callable

_BYTES_PER_TOKEN = 4


def counter() -> Callable[[str], int]:
    """Return a function that counts tokens: with a tokenizer where one is installed.

    The tokenizer is that of o200k models (`pip install bpe-openai`, which brings its vocabulary);
    without it four bytes count as one token. Other models count otherwise: the ledger knows by how
    much (`estimate`).
    """
    try:
        import bpe_openai  # noqa: PLC0415
    except ModuleNotFoundError:
        return lambda text: -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
    tokenizer = bpe_openai.get_encoding("o200k_base")
    return lambda text: len(tokenizer.encode_ordinary(text))
