"""Texts to the token numbers of BERT's English vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from regesta.errors import SetupError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER: Final = "tokenizer.json"


def open_tokenizer(folder: Path) -> Tokenizer:
    """Open a model's tokenizer.

    Raises:
        SetupError: the package `tokenizers` is missing.
    """
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SetupError(
            "Embedding needs tokenizers, which isn't installed: pip install 'regesta[embed]'."
        ) from error
    return Tokenizer.from_file(str(folder / TOKENIZER))
