"""A batch: its steps in order, begun once, taken up again where a run broke off.

A batch has a folder `batches/<number>` with its plan (known_at and the whole configuration) and a
mark for every step that has written its tables. The row in `batches`, written last, names the
versions of the tables that belong together; without it the batch never was, for readers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyspark.sql import functions as F

from regesta import model
from regesta.batches import (
    Counts,
    derive,
    last_batch,
    published,
    reading_of,
    record,
    timed,
)
from regesta.communities.step import Refresh
from regesta.config import Configuration, Settings, from_record
from regesta.context import Batch, Report, StepContext
from regesta.errors import ConfigurationError
from regesta.extract.llm.looking import Estimate, estimate, messages_about
from regesta.extract.llm.reading import ModelReading
from regesta.llm.prices import WITHOUT_LIMIT, Budget
from regesta.llm.requests import Message
from regesta.resolve import words
from regesta.resolve.matching import is_asked_to_learn
from regesta.sources.step import ARCHIVES, ingest
from regesta.timeline.verdict_intake import add_verdicts, read_verdicts
from regesta.timeline.verdict_step import awaited
from regesta.warehouse.lease import lease
from regesta.warehouse.warehouse import Warehouse

MICROSECONDS_PER_DAY = 86_400_000_000


@dataclass(frozen=True)
class Run:
    """What a command asks for: up to which step, whether to refresh all communities.

    `valid_on`: a valid time, in microseconds, whose communities are found beside the present ones.
    `budget` is the most that a language model may be used.
    """

    steps: Sequence[str] = model.STEPS
    refresh: bool = False
    valid_on: int | None = None
    publishes: bool = True
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True)
class BatchReport:
    """What a batch did: step -> counts and seconds. `complete` is False where steps remain."""

    number: int
    known_at: int
    steps: Mapping[str, Counts]
    complete: bool


class Pipeline:
    """Runs batches over one warehouse."""

    def __init__(self, warehouse: Warehouse, configuration: Configuration, report: Report) -> None:
        self._warehouse = warehouse
        self._configuration = configuration
        self._report = report
        self._confirm: Callable[[], None] = lambda: None

    def run(self, run: Run, known_at: int) -> list[BatchReport]:
        """Finish a batch that broke off, then take in what is new at `known_at`, if it is later.

        Raises:
            BusyError: another run holds the warehouse.
            ConfigurationError: known_at is not after that of the last batch, or what is asked of a
                valid time is not of the past.
        """
        if run.valid_on is not None and run.valid_on >= known_at:
            raise ConfigurationError(
                f"{_iso(run.valid_on)} is not before the run's known time {_iso(known_at)}: give a "
                "day of the past."
            )
        with self._alone():
            reports = []
            if (number := self._broken_off()) is not None:
                self._report(f"batch {number} had broken off: taking it up again")
                reports.append(self._advance(number, run))
                if not reports[-1].complete:
                    return reports
            last = self._last()
            if last is not None and known_at == last["known_at"]:
                self._clear(last["batch"])  # a run may have died just before it did
                self._report(f"batch {last['batch']}, known at that time, is complete")
                return reports or [BatchReport(last["batch"], known_at, {}, complete=True)]
            reports.append(self._begin(run, known_at))
            return reports

    def add_verdicts(self, path: Path, now: int) -> Mapping[str, int]:
        """Let the next batch take in a file of verdicts, said `now` where they don't say when.

        Raises:
            InputError: a line is no verdict, or on facts that are not told.
            ConfigurationError: a batch is under way, which may be past the step that takes it in.
        """
        said = read_verdicts(path, now)
        with self.next_batch(now) as context:
            return add_verdicts(context, said, path)

    @contextmanager
    def next_batch(self, now: int) -> Iterator[StepContext]:
        """Give the context in which something is said, `now`, that the next batch takes in.

        Raises:
            BusyError: another run holds the warehouse.
            ConfigurationError: a batch is under way, which may be past the step that takes it in.
        """
        with self._alone():
            last = self._last()
            if last is None or self._broken_off() is not None:
                raise ConfigurationError(
                    "What is said or asked here is of what whole batches tell: finish the first "
                    "one, or the one under way, with `regesta nightly`."
                )
            number = int(last["batch"]) + 1
            yield self._context(number, now, self._configuration)
            self._clear(number)

    def estimate(self) -> list[Estimate]:
        """Return what the batch under way would use of the language model, step by step.

        Raises:
            ConfigurationError: no batch is under way, or no language model is set.
        """
        number = self._broken_off()
        if number is None:
            raise ConfigurationError(
                "No batch is under way, so there is nothing to estimate: take in what is new with "
                "`regesta ingest` first; `regesta nightly` then goes on from there."
            )
        plan = self._warehouse.files.read_json(_plan_name(number))
        configuration = from_record(plan, self._configuration)
        context = self._context(number, plan["known_at"], configuration)
        return estimate(context, needed_reading(configuration), configuration.sources)

    def messages_about(self, step: str, episode_id: str) -> list[Message]:
        """Return what a step would send the language model about an episode of the warehouse.

        Raises:
            ConfigurationError: no language model is set, or its profile has no such step.
            InputError: there is no such episode, or an earlier step has no answer about it.
        """
        configuration = self._configuration
        reading = needed_reading(configuration)
        context = self._context(0, 0, configuration)
        return messages_about(context, reading, configuration.sources, step, episode_id)

    def continue_with(
        self, step: str, *, refresh: bool = False, budget: Budget = WITHOUT_LIMIT
    ) -> BatchReport:
        """Run one step of the batch that is under way, for schedulers that run each by itself.

        Raises:
            ConfigurationError: no batch is under way: `ingest` begins one.
        """
        with self._alone():
            number = self._broken_off()
            if number is None:
                raise ConfigurationError(
                    f"No batch is under way, so there is nothing for {step} to do: begin one with "
                    "the ingest step."
                )
            return self._advance(number, Run(steps=(step,), refresh=refresh, budget=budget))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lease, over the generation of tables that is read by then."""
        with lease(self._warehouse.files) as held:
            if held.abandoned:
                self._report(f"the lease was taken over from {held.abandoned}")
            self._warehouse = self._warehouse.newest()
            self._confirm = held.confirm
            yield

    def _last(self) -> dict[str, Any] | None:
        return last_batch(self._warehouse)

    def _broken_off(self) -> int | None:
        last = self._last()
        number = int(last["batch"]) + 1 if last else 1
        # Before its input is fixed a batch has written nothing and is begun anew, so that a
        # corrected archive or configuration counts.
        begun = self._warehouse.files.exists(f"batches/{number}/{ARCHIVES}")
        return number if begun else None

    def _begin(self, run: Run, known_at: int) -> BatchReport:
        last = self._last()
        previous = last["known_at"] if last else None
        if previous is not None and known_at <= previous:
            raise ConfigurationError(
                f"known_at {_iso(known_at)} is not after the last batch's {_iso(previous)}: known "
                "time only grows. Give a later --known-at, or none to take the clock."
            )
        number = int(last["batch"]) + 1 if last else 1
        plan = {"known_at": known_at, **self._configuration.recorded()}
        self._warehouse.files.write(_plan_name(number), json.dumps(plan))
        return self._advance(number, run)

    def _advance(self, number: int, run: Run) -> BatchReport:
        files = self._warehouse.files
        plan = files.read_json(_plan_name(number))
        configuration = from_record(plan, self._configuration)
        context = self._context(number, plan["known_at"], configuration)
        done: dict[str, Counts] = {}
        for step in model.STEPS:
            mark = f"batches/{number}/{step}.json"
            if files.exists(mark):
                done[step] = files.read_json(mark)
            elif step in run.steps:
                self._confirm()
                done[step] = self._step(step, context, configuration, run, done)
                files.write(mark, json.dumps(done[step]))
                came = step != "ingest" or done[step]["arrived"]
                if not (came or run.refresh or run.valid_on is not None or _said(context)):
                    return self._nothing_new(context, done, run)
            else:
                return BatchReport(number, plan["known_at"], done, complete=False)
        self._confirm()
        self._commit(context, plan, done)
        return BatchReport(number, plan["known_at"], done, complete=True)

    def _context(self, number: int, known_at: int, configuration: Configuration) -> StepContext:
        last = self._last()
        pinned = dict(last["table_versions"]) if last else {}
        return StepContext(
            warehouse=replace(self._warehouse, pinned=pinned),
            batch=Batch(number, known_at, last["known_at"] if last else None),
            ontology=configuration.ontology,
            report=self._report,
        )

    def _step(
        self,
        step: str,
        context: StepContext,
        configuration: Configuration,
        run: Run,
        done: Mapping[str, Counts],
    ) -> Counts:
        return timed(step, context, lambda: self._work(step, context, configuration, run, done))

    def _work(
        self,
        step: str,
        context: StepContext,
        configuration: Configuration,
        run: Run,
        done: Mapping[str, Counts],
    ) -> Mapping[str, Any]:
        if step == "ingest":
            return ingest(context, configuration.sources)
        if step == "publish":
            settings = self._configuration.settings
            return published(context, settings, done) if run.publishes else {"skipped": True}
        whole = step == "communities" and (run.refresh or self._refresh_is_due(context))
        refresh = Refresh(whole, run.refresh, run.valid_on)
        return derive(step, context, configuration, refresh=refresh, budget=run.budget)

    def _refresh_is_due(self, context: StepContext) -> bool:
        batches = context.warehouse.current("batches")
        mark = F.get_json_object("steps", "$.communities.refresh.refreshed")
        refreshed = batches.where(mark == "true")
        last = refreshed.agg(F.max(F.unix_micros("known_at"))).first()
        if last is None or last[0] is None:
            return True
        settings = self._configuration.settings.communities
        since = context.batch.known_at - int(last[0])
        if since >= settings.refresh_after_days * MICROSECONDS_PER_DAY:
            return True
        told = F.get_json_object("steps", "$.communities.drift_per_mille").cast("long")
        newest = batches.orderBy(F.desc("batch")).select(told).first()
        return ((newest and newest[0]) or 0) >= 1000 * settings.refresh_at_drift

    def _nothing_new(self, context: StepContext, done: dict[str, Counts], run: Run) -> BatchReport:
        """Forget a batch to which nothing came; publish the last one if that is still to do."""
        self._clear(context.batch.number)
        self._report("nothing new")
        last = self._last()
        if last is not None and run.publishes:
            known_at = last["known_at"]
            current = replace(context, batch=Batch(int(last["batch"]), known_at))
            done = {**done, "publish": published(current, self._configuration.settings)}
            self._clear(current.batch.number)
        return BatchReport(context.batch.number, context.batch.known_at, done, complete=True)

    def _commit(
        self, context: StepContext, plan: Mapping[str, Any], done: Mapping[str, Counts]
    ) -> None:
        versions = self._warehouse.versions()
        versions.pop("batches", None)
        config = {key: value for key, value in plan.items() if key != "known_at"}
        record(context, config, done, versions)
        self._clear(context.batch.number)

    def _clear(self, number: int) -> None:
        self._warehouse.files.delete(f"staging/{number}")
        self._warehouse.files.delete(f"batches/{number}")


def open_pipeline(
    spark: Any, configuration: Configuration, report: Report, *, warehouse: str | None = None
) -> Pipeline:
    """Open the warehouse that the settings name, or another one, and return its pipeline."""
    settings: Settings = configuration.settings
    opened = Warehouse.open(spark, warehouse or settings.warehouse, salt=settings.salt)
    return Pipeline(opened, configuration, report)


def needed_reading(configuration: Configuration) -> ModelReading:
    """Return the language model that the configuration sets.

    Raises:
        ConfigurationError: it sets none.
    """
    reading = reading_of(configuration)
    if reading is None:
        raise ConfigurationError(
            "No language model is set: give language_model.base_url and .name in base.yaml."
        )
    return reading


def _said(context: StepContext) -> bool:
    """Return whether somebody said something for the batch: of facts, of identity, to learn."""
    said = (awaited(context), words.new(context))
    return is_asked_to_learn(context) or any(
        each is not None and not each.isEmpty() for each in said
    )


def _plan_name(number: int) -> str:
    return f"batches/{number}/plan.json"


def _iso(micros: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(micros // 1_000_000))
