"""The ledger: a step asks only what was never answered, and keeps what comes back.

The requests of a step are those of its episodes, less the ones that `llm_responses` holds an answer
to and those that an earlier run of the batch has settled. The rest is sent by tasks, each with many
requests in flight, under one allowance that the driver keeps (`gate`). Tasks write answers to a
spool as they come; when all are in, the spool is appended to the ledger in one go, marked with the
batch. So a run that is killed sends again what was in flight then, and nothing else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, as_rows
from regesta.context import StepContext
from regesta.errors import ModelError
from regesta.llm.allowance import Allowance, Prices
from regesta.llm.gate import Address, Gate, GateServer
from regesta.llm.prices import LanguageModel
from regesta.llm.progress import reporting
from regesta.llm.requests import ANSWERED, SETTLED, Request
from regesta.llm.sending import Sender, Step
from regesta.llm.settings import LanguageModelSettings
from regesta.llm.spool import ANSWERS, TAKEN, Spool

REQUESTS = pa.schema(
    [(name, pa.int64() if name == "tokens" else pa.string()) for name in Request._fields]
)
_TAKEN = pa.schema([("request_key", pa.string())])
_SENT = pa.schema([("taken", pa.int64())])
_KEPT = (
    "request_key",
    "episode_id",
    "group_id",
    "prompt_version",
    "status",
    "response",
    "reason",
    "estimated_tokens",
    "prompt_tokens",
    "completion_tokens",
    "sendings",
)


@dataclass(frozen=True)
class Asked:
    """A step's answers, one row of `llm_responses` for each request, and the counts of asking."""

    answers: DataFrame
    counts: dict[str, Any]


def ask(
    context: StepContext, language_model: LanguageModel, step: Step, requests: DataFrame
) -> Asked:
    """Have every request (`REQUESTS`; several episodes may share one) answered or set aside.

    Counts: requests (distinct), cached, sent, sent_again (those in flight when an earlier run of
    this batch was killed), answered, refused, truncated, invalid, failed, and tokens and cost of
    what was sent in this batch.

    Raises:
        ModelError: the endpoint can't be used, too many requests failed, or the budget is used up.
            What was answered is kept: the batch, started again, goes on from there.
    """
    mark = f"batches/{context.batch.number}/{step.name}.json"
    files = context.warehouse.files
    wanted = context.stage("llm", step.name, _distinct(requests))
    if not files.exists(mark):
        spools = _Spools(context, step.name)
        counts = _send(context, language_model, step, wanted, spools)
        _fold(context, language_model, step, spools)
        files.write(mark, json.dumps(counts))
    answers = _answers(context, wanted)
    return Asked(answers, {**json.loads(files.read(mark)), **_told(context, answers)})


def unanswered(context: StepContext, requests: DataFrame) -> DataFrame:
    """Return the distinct requests that the ledger holds no answer to."""
    known = context.warehouse.current("llm_responses").where(F.col("status") == ANSWERED)
    return _distinct(requests).join(known.select("request_key"), "request_key", "left_anti")


def _distinct(requests: DataFrame) -> DataFrame:
    first = F.min_by(F.struct(*Request._fields), "episode_id").alias("first")
    return requests.groupBy("request_key").agg(first).select("first.*")


@dataclass(frozen=True)
class _Spools:
    """The spools of a step in this batch: one folder for each run that began to send."""

    context: StepContext
    step: str

    @property
    def _name(self) -> str:
        return f"staging/{self.context.batch.number}/spool/{self.step}"

    def runs(self) -> list[str]:
        return self.context.warehouse.files.names(self._name)

    def next_root(self) -> str:
        return f"{self.context.warehouse.root}/{self._name}/{len(self.runs()):04d}"

    def read(self, part: str, schema: pa.Schema) -> DataFrame:
        root = f"{self.context.warehouse.root}/{self._name}"
        folders = [
            f"{root}/{run}/{part}"
            for run in self.runs()
            if self.context.warehouse.files.exists(f"{self._name}/{run}/{part}")
        ]
        fields = from_arrow_schema(schema)
        if not folders:
            return self.context.spark.createDataFrame([], fields)
        return self.context.spark.read.schema(fields).json(folders)

    def answers(self) -> DataFrame:
        """One row for each request: settled before failed, then the fewest sendings."""
        schema = pa.schema([model.LLM_RESPONSES.field(name) for name in _KEPT])
        settled = F.col("status").isin(*SETTLED)
        order = Window.partitionBy("request_key").orderBy(settled.desc(), "sendings", "response")
        rows = self.read(ANSWERS, schema).withColumn("_rank", F.row_number().over(order))
        return rows.where("_rank = 1").drop("_rank")


def _send(
    context: StepContext,
    language_model: LanguageModel,
    step: Step,
    wanted: DataFrame,
    spools: _Spools,
) -> dict[str, Any]:
    settled = spools.answers().where(F.col("status").isin(*SETTLED)).select("request_key")
    total = wanted.count()
    left = context.stage(
        "llm",
        f"{step.name}-left",
        unanswered(context, wanted).join(settled, "request_key", "left_anti"),
    )
    number, again = left.count(), _in_flight(spools, left)
    counts = {
        "requests": total,
        "cached": total - number - settled.count(),
        "sent_again": again,
    }
    if number:
        allowance = _all_sent(context, language_model, step, left, spools.next_root())
        _judge(context, language_model, allowance, number, spools)
    return counts


def _in_flight(spools: _Spools, left: DataFrame) -> int:
    """Count the requests that an earlier run had taken up and not settled."""
    if not spools.runs():
        return 0
    return left.join(spools.read(TAKEN, _TAKEN).distinct(), "request_key", "left_semi").count()


def _all_sent(
    context: StepContext,
    language_model: LanguageModel,
    step: Step,
    left: DataFrame,
    root: str,
) -> Allowance:
    price = language_model.price
    prices = price.per_token() if price else Prices(0.0, 0.0)
    allowance = Allowance(language_model.limits(), prices)
    settings = language_model.settings
    settings.key()  # told here, not by a task, where it is not set
    told = context.spark.sparkContext.getConf()
    host = told.get("spark.driver.host") or "127.0.0.1"
    listen = told.get("spark.driver.bindAddress") or host
    with (
        GateServer(allowance, listen=listen, host=host) as gate,
        reporting(context.report, step.name, left.count(), allowance),
    ):
        task = _task(step, settings, gate.address, root)
        left.repartition(_slots(context)).mapInArrow(task, from_arrow_schema(_SENT)).agg(
            F.sum("taken")
        ).collect()
    return allowance


def _slots(context: StepContext) -> int:
    """Return how many tasks run at the same time: each has many requests in flight."""
    scala: Any = context.spark.sparkContext._jsc.sc()
    return int(scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile()))


def _task(
    step: Step, settings: LanguageModelSettings, address: Address, root: str
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        requests = (Request._make(row) for row in as_rows(batches))
        taken = asyncio.run(_sent_by_task(step, settings, address, root, requests))
        yield pa.RecordBatch.from_arrays([pa.array([taken], pa.int64())], schema=_SENT)

    return run


async def _sent_by_task(
    step: Step,
    settings: LanguageModelSettings,
    address: Address,
    root: str,
    requests: Iterator[Request],
) -> int:
    from regesta.llm.client import Client  # noqa: PLC0415

    context = TaskContext.get()
    assert context is not None
    gate = await Gate.opened(address, context.partitionId())
    spool = Spool(root, f"{context.partitionId():05d}-{context.taskAttemptId()}")
    known = spool.answered()
    client = Client(settings, step.schema)
    try:
        sender = Sender(step, settings, client, gate, spool)
        return await sender.send_all(each for each in requests if each.request_key not in known)
    finally:
        await client.close()
        gate.close()


def _judge(
    context: StepContext,
    language_model: LanguageModel,
    allowance: Allowance,
    number: int,
    spools: _Spools,
) -> None:
    """Raise where what was sent does not do."""
    settled = f"{allowance.answers:,} of {number:,} requests were answered and are kept"
    if allowance.stopped is not None:
        remedy = "give a larger --budget" if allowance.out_of_budget else "put the endpoint right"
        raise ModelError(
            f"The language model was stopped: {allowance.stopped}. {settled}; {remedy} and start "
            "the same command again, which goes on from there."
        )
    failed = spools.answers().where("status = 'failed'")
    count = failed.count()
    if count > language_model.settings.largest_failed_share * number:
        first = failed.orderBy("request_key").select("reason").first()
        raise ModelError(
            f"{count:,} of {number:,} requests to {language_model.settings.base_url} failed, more "
            f"than language_model.largest_failed_share; the first: {first and first[0]}. "
            f"{settled}; start the same command again to send the others once more."
        )
    if count:
        context.report(f"{count:,} requests failed and are set aside")


def _fold(context: StepContext, language_model: LanguageModel, step: Step, spools: _Spools) -> None:
    """Append what the spools hold to the ledger, once per batch."""
    price = language_model.price
    prices = price.per_token() if price else None
    cost = (
        F.lit(None).cast("double")
        if prices is None
        else F.col("prompt_tokens") * prices.prompt + F.col("completion_tokens") * prices.completion
    )
    rows = spools.answers().select(
        *_KEPT,
        F.lit(step.name).alias("step"),
        F.lit(language_model.settings.name).alias("model"),
        cost.alias("cost"),
        context.batch.known_at_column.alias("known_at"),
        F.lit(context.batch.number).alias("batch"),
    )
    context.warehouse.append("llm_responses", rows, batch=context.batch.number, purpose=step.name)


def _answers(context: StepContext, wanted: DataFrame) -> DataFrame:
    """The answer of every request; for one that has none, what became of it in this batch."""
    ledger = context.warehouse.current("llm_responses")
    counts = (F.col("status") == ANSWERED) | (F.col("batch") == context.batch.number)
    answered_first = Window.partitionBy("request_key").orderBy(
        (F.col("status") == ANSWERED).desc(), F.col("batch").desc()
    )
    return (
        ledger.where(counts)
        .join(wanted.select("request_key"), "request_key", "left_semi")
        .withColumn("_rank", F.row_number().over(answered_first))
        .where("_rank = 1")
        .drop("_rank")
    )


def _told(context: StepContext, answers: DataFrame) -> dict[str, Any]:
    mine = F.col("batch") == context.batch.number
    rows = answers.groupBy("status").agg(
        F.count(F.lit(1)).alias("requests"),
        F.sum(F.when(mine, F.col("prompt_tokens"))).alias("prompt_tokens"),
        F.sum(F.when(mine, F.col("completion_tokens"))).alias("completion_tokens"),
        F.sum(F.when(mine, F.col("sendings"))).alias("sendings"),
        F.sum(F.when(mine, F.col("cost"))).alias("cost"),
    )
    told = rows.collect()
    sums = {
        name: sum(row[name] or 0 for row in told)
        for name in ("prompt_tokens", "completion_tokens", "sendings", "cost")
    }
    return {**{row["status"]: int(row["requests"]) for row in told}, **sums}
