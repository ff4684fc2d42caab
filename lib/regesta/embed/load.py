"""From a space to the encoder at work, once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from regesta.embed import bge, static
from regesta.embed.encoder import Encoder, Space
from regesta.embed.endpoint import EndpointEncoder
from regesta.embed.files import bge_folder, models_folder, static_folder
from regesta.java import JvmParts

LOCAL: Final[dict[str, Space]] = {each.model: each for each in (bge.SPACE, static.SPACE)}
"""The models that need no endpoint, by name."""

_FOLDERS: Final[dict[str, Callable[[JvmParts, Path], Path]]] = {
    bge.SPACE.model: bge_folder,
    static.SPACE.model: static_folder,
}


def local_folder(space: Space, parts: JvmParts | None = None) -> Path | None:
    """Return the folder of a local model, resolved or made if need be; None for others.

    Raises:
        SetupError: it can't be had; the message says what to do.
    """
    made = _FOLDERS.get(space.model)
    return made(parts or JvmParts(), models_folder()) if made else None


@cache
def encoder_of(space: Space, folder: Path | None) -> Encoder:
    """Return the encoder of a space; a local one reads its files from `folder`.

    Raises:
        SetupError: a package, a file or a key is missing.
    """
    if folder is None:
        return EndpointEncoder(space)
    return static.StaticEncoder(folder) if space == static.SPACE else bge.BgeEncoder(folder)


def load(space: Space, parts: JvmParts | None = None) -> Encoder:
    """Return the encoder of a space, ready to be asked; the first call may take a minute.

    Raises:
        SetupError: a package, a file or a key is missing.
    """
    return encoder_of(space, local_folder(space, parts))
