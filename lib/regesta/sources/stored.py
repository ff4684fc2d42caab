"""What a batch finds in the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

ENDED_CONTENT: Final = "{}"
"""The content of an episode that says no more than that its record is gone."""


@dataclass(frozen=True)
class Stored:
    """The tables as they stand before the batch, with the columns of `regesta.model`."""

    episodes: DataFrame
    supersessions: DataFrame
    heartbeats: DataFrame
    deliveries: DataFrame
