"""What nightly batches and a rebuild share: the deriving steps, and the row of a whole batch."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from pyspark.sql import functions as F

from regesta import __version__, model
from regesta.arrow import as_frame
from regesta.communities.step import Refresh, Way, communities
from regesta.config import Configuration, Settings
from regesta.context import StepContext
from regesta.embed.step import Embeddings
from regesta.extract.llm.reading import ModelReading
from regesta.extract.step import extract
from regesta.llm.prices import WITHOUT_LIMIT, Budget, LanguageModel
from regesta.publish.step import publish
from regesta.resolve.step import resolve
from regesta.timeline.step import timeline
from regesta.warehouse.warehouse import Warehouse

DERIVING: Final = ("extract", "resolve", "timeline", "communities")
"""The steps that compute the derived tables, in their order."""

Counts = dict[str, Any]


def derive(
    step: str,
    context: StepContext,
    configuration: Configuration,
    *,
    refresh: Refresh,
    budget: Budget,
) -> Counts:
    """Run one of the `DERIVING` steps; `budget` is how much a language model may be used."""
    reading = reading_of(configuration, budget)
    settings = configuration.settings
    work: dict[str, Callable[[], Mapping[str, Any]]] = {
        "extract": lambda: extract(context, configuration.sources, reading),
        "resolve": lambda: resolve(context, settings.spark.jvm_parts(), reading),
        "timeline": lambda: timeline(context, most_judged=settings.timeline.most_judged),
        "communities": lambda: {
            "refresh": refresh._asdict(),
            **communities(context, refresh, Way(settings.communities.event_days, reading)),
        },
    }
    return dict(work[step]())


def published(
    context: StepContext, settings: Settings, steps: Mapping[str, Counts] | None = None
) -> Counts:
    """Publish the tables as they stand, with the vectors of the model that embeds.

    `steps` tells the counts of the batch while its row in `batches` is not written.
    """
    space, parts = settings.embeddings.space(), settings.spark.jvm_parts()
    embeddings = Embeddings(context, space, parts) if space else None
    return dict(publish(context, embeddings, steps))


def reading_of(configuration: Configuration, budget: Budget = WITHOUT_LIMIT) -> ModelReading | None:
    """Return the language model that the configuration sets, with its prompts; None without one."""
    settings = configuration.settings.language_model
    if settings is None:
        return None
    language_model = LanguageModel(settings, configuration.prices, budget)
    return ModelReading(language_model, configuration.prompts)


def timed(step: str, context: StepContext, work: Callable[[], Mapping[str, Any]]) -> Counts:
    """Do a step's work under its name, with its seconds among the counts; report both."""
    context.report(f"{step} ...")
    context.spark.sparkContext.setJobDescription(f"batch {context.batch.number}: {step}")
    begun = time.monotonic()
    counts = dict(work())
    counts["seconds"] = round(time.monotonic() - begun, 2)
    context.report(f"{step}: {_told(counts)}")
    return counts


def last_batch(warehouse: Warehouse) -> dict[str, Any] | None:
    """Return batch, known_at (microseconds) and table_versions of the last whole batch."""
    newest = warehouse.current("batches").orderBy(F.col("batch").desc())
    row = newest.select(
        "batch", F.unix_micros("known_at").alias("known_at"), "table_versions"
    ).first()
    return row.asDict() if row else None


def record(
    context: StepContext,
    config: Mapping[str, Any],
    steps: Mapping[str, Counts],
    versions: Mapping[str, int],
) -> None:
    """Write the row that makes a batch whole: its configuration, its steps' counts, its tables."""
    batch, told = context.batch, steps["ingest"]
    row = (
        *(batch.number, batch.known_at, "complete", json.dumps(steps)),
        json.dumps({key: value for key, value in told.items() if key != "seconds"}),
        *(json.dumps(config), __version__, *_used(steps), dict(versions)),
    )
    rows = as_frame(context.spark, [row], model.BATCHES)
    context.warehouse.append("batches", rows, batch=batch.number)


def _used(done: Mapping[str, Counts]) -> tuple[int, float]:
    """Return the tokens that the batch's requests used, and what they cost."""
    told = [counts for step in DERIVING for counts in done[step].get("model", {}).values()]
    tokens = sum(step["prompt_tokens"] + step["completion_tokens"] for step in told)
    return tokens, float(sum(step["cost"] for step in told))


def _told(counts: Mapping[str, Any]) -> str:
    parts = [
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in counts.items()
        if isinstance(value, int) and not isinstance(value, bool) and value
    ]
    return f"{counts['seconds']:.1f} s; " + (", ".join(parts) or "nothing changed")
