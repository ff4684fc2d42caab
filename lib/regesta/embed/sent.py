"""A model at work in Spark's tasks, on this machine or on others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from regesta.embed.encoder import Encoder, Space
from regesta.embed.endpoint import KEY
from regesta.embed.load import encoder_of, local_folder
from regesta.java import JvmParts

_TRIAL = "Acme is owned by Jane Doe"


@dataclass(frozen=True)
class SentModel:
    """What a task needs to open a model: its files, where they were sent to, or an endpoint's key.

    A relative `folder` is among the files that Spark sends.
    """

    space: Space
    folder: Path | None
    key: str | None = None

    def opened(self) -> Encoder:
        """Return the encoder, once per process."""
        # Each task has one core, and Spark starts tasks by forking.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        if self.key:
            os.environ[KEY] = self.key
        folder = self.folder
        if folder and not folder.is_absolute():
            folder = Path(SparkFiles.get(str(folder)))
        return encoder_of(self.space, folder)


def sent(spark: SparkSession, space: Space, parts: JvmParts) -> SentModel:
    """Return a model that tasks can open; it is tried here first, for a clear complaint.

    Raises:
        SetupError: the model can't be had; the message says what to do.
    """
    folder = local_folder(space, parts)
    encoder_of(space, folder).encode([_TRIAL])
    if folder is None:
        # Tasks on other machines have not this one's environment.
        return SentModel(space, None, os.environ.get(KEY))
    if str(spark.sparkContext.master).startswith("local"):
        return SentModel(space, folder)
    spark.sparkContext.addFile(str(folder), recursive=True)
    return SentModel(space, Path(folder.name))
