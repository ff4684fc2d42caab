"""Recorded batches, derived again one after the other into the tables of another generation.

Identity and communities depend on what stood before a batch, so the batches are replayed in turn,
each with the configuration, the known time and the refresh of communities that were recorded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from regesta import model
from regesta.batches import DERIVING, Counts, derive, last_batch, record, timed
from regesta.communities.step import Refresh
from regesta.config import CommunitySettings, Configuration, TimelineSettings, from_record
from regesta.context import Batch, Report, StepContext
from regesta.llm.prices import Budget
from regesta.llm.settings import LanguageModelSettings
from regesta.session import suit
from regesta.sources.step import delivered
from regesta.warehouse.warehouse import Warehouse, generation_folder

NOTHING_IS_ASKED: Final = Budget(tokens=0)
"""The answers of a language model are recorded: a replay finds them and sends no request."""


@dataclass(frozen=True)
class RecordedBatch:
    """A row of `batches`; `config` holds the sources and the vocabulary that a replay uses."""

    number: int
    known_at: int
    config: Mapping[str, Any]
    steps: Mapping[str, Counts]
    table_versions: Mapping[str, int]

    @property
    def refresh(self) -> Refresh:
        """Whether all communities were found anew, and those of which past day."""
        return Refresh(**self.steps["communities"]["refresh"])


@dataclass
class Replayed(Warehouse):
    """Another generation of the derived tables, over the recorded ones as they stood at a batch."""

    until: int = 0

    @classmethod
    def over(cls, warehouse: Warehouse, *, generation: int, until: int) -> Replayed:
        """Return the generation of a warehouse that is being built, at batch `until`."""
        of = (warehouse.spark, warehouse.root, warehouse.salt)
        return cls(*of, generation=generation, until=until)

    @property
    def staging(self) -> str:
        """The folder for what batches compute on their way."""
        return f"{self.root}/{generation_folder(self.generation)}/staging"

    def current(self, table: str) -> DataFrame:
        """Return a table as it stands now, a recorded one as it stood at the batch."""
        rows = super().current(table)
        return rows.where(F.col("batch") <= self.until) if table in model.RECORDED else rows

    def before(self, table: str) -> DataFrame:
        """Return a table as it stood before the batch."""
        if table in model.RECORDED:
            return super().current(table).where(F.col("batch") < self.until)
        return super().before(table)


def recorded_batches(warehouse: Warehouse) -> list[RecordedBatch]:
    """Return the whole batches of a warehouse, oldest first."""
    rows = (
        warehouse.current("batches")
        .orderBy("batch")
        .select("batch", F.unix_micros("known_at"), "config", "steps", "table_versions")
        .collect()
    )
    return [
        RecordedBatch(number, known_at, json.loads(config), json.loads(steps), versions)
        for number, known_at, config, steps, versions in rows
    ]


def replay(
    warehouse: Warehouse,
    batches: Sequence[RecordedBatch],
    *,
    generation: int,
    today: Configuration,
    report: Report,
    confirm: Callable[[], None],
) -> None:
    """Derive the batches that `generation` does not hold yet; `confirm` is called before each.

    Started again after a failure, it goes on with the batch that failed: every write of it that was
    done is skipped.
    """
    last = last_batch(Replayed.over(warehouse, generation=generation, until=0))
    known_at, versions = (last["known_at"], dict(last["table_versions"])) if last else (None, {})
    missing = [each for each in batches if last is None or each.number > last["batch"]]
    begun = time.monotonic()
    for done, batch in enumerate(missing):
        confirm()
        report(f"batch {batch.number}, {_left(done, len(missing), time.monotonic() - begun)}")
        built = Replayed.over(warehouse, generation=generation, until=batch.number)
        configuration = as_recorded(batch, today)
        context = StepContext(
            replace(built, pinned=versions),
            Batch(batch.number, batch.known_at, known_at),
            configuration.ontology,
            report,
        )
        known_at, versions = batch.known_at, _replayed(context, batch, configuration)


def as_recorded(batch: RecordedBatch, today: Configuration) -> Configuration:
    """Return what a batch was told, its language model included, under today's settings."""
    configuration = from_record(batch.config, today)
    recorded = batch.config["settings"]
    asked = recorded["language_model"]
    update = {
        "language_model": LanguageModelSettings.model_validate(asked) if asked else None,
        "communities": CommunitySettings.model_validate(recorded["communities"]),
        "timeline": TimelineSettings.model_validate(recorded["timeline"]),
    }
    return replace(configuration, settings=configuration.settings.model_copy(update=update))


def _left(done: int, total: int, seconds: float) -> str:
    told = f"{done} of {total} replayed"
    return f"{told}, about {seconds / done * (total - done):.0f} s left" if done else told


def _replayed(
    context: StepContext, batch: RecordedBatch, configuration: Configuration
) -> dict[str, int]:
    """Derive one batch; return the versions of the tables that belong to it."""
    suit(context.spark, delivered(context.warehouse.current("deliveries")))
    done = dict(batch.steps)
    for step in DERIVING:
        work = partial(
            derive,
            step,
            context,
            configuration,
            refresh=batch.refresh,
            budget=NOTHING_IS_ASKED,
        )
        done[step] = timed(step, context, work)
    found = context.warehouse.versions()
    recorded = {k: v for k, v in batch.table_versions.items() if k in model.RECORDED}
    versions = {**recorded, **{k: v for k, v in found.items() if k in model.DERIVED}}
    record(context, batch.config, done, versions)
    folders = (
        f"{generation_folder(context.warehouse.generation)}/staging",
        f"batches/{batch.number}",
    )
    for folder in folders:
        context.warehouse.files.delete(folder)
    return versions
