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
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta import model
from regesta.arrow import Batches, as_rows
from regesta.context import StepContext
from regesta.errors import ModelError
from regesta.ids import digest
from regesta.llm.allowance import FAILURES_IN_A_ROW, FREE, Allowance
from regesta.llm.gate import Address, Gate, GateServer
from regesta.llm.prices import LanguageModel
from regesta.llm.progress import reporting
from regesta.llm.requests import ANSWERED, SETTLED, Answer, Request
from regesta.llm.sending import Sender, Step
from regesta.llm.spool import ANSWERS, TAKEN, Spool
from regesta.query.store import resolve

REQUESTS = pa.schema(
    [(name, pa.int64() if name == "tokens" else pa.string()) for name in Request._fields]
)
_TAKEN = pa.schema([("request_key", pa.string())])
_SENT = pa.schema([("taken", pa.int64())])
_KEPT = Answer._fields


@dataclass(frozen=True)
class Asked:
    """A step's answers, one row of `llm_responses` for each request, and the counts of asking."""

    answers: DataFrame
    counts: dict[str, Any]


def ask(
    context: StepContext, language_model: LanguageModel, step: Step, requests: DataFrame
) -> Asked:
    """Have every request (`REQUESTS`; several may share one key) answered or set aside.

    Counts: requests (distinct), cached, sent_again (those in flight when an earlier run of this
    batch was killed), answered, refused, truncated, invalid, failed, and sendings, tokens and cost
    of what was sent in this batch. `requests` is read several times.

    Raises:
        ModelError: the endpoint can't be used, too many requests failed, or the budget is used up.
            What was answered is kept: the batch, started again, goes on from there.
    """
    spools = _Spools.of(context, step.name, language_model)
    mark = f"batches/{context.batch.number}/{spools.name}.json"
    files = context.warehouse.files
    if not files.exists(mark):
        counts = _send(context, language_model, step, requests, spools)
        _fold(context, step.name, spools)
        files.write(mark, json.dumps(counts))
    answers = _answers(context, requests)
    return Asked(answers, {**files.read_json(mark), **_told(context, answers)})


def remaining(
    context: StepContext, language_model: LanguageModel, step: str, requests: DataFrame
) -> DataFrame:
    """Return the distinct requests that neither the ledger nor a run of this batch has settled."""
    spools = _Spools.of(context, step, language_model)
    return _unsettled(spools, _without_answer(context, requests))


def experience(context: StepContext, language_model: LanguageModel, step: str) -> DataFrame:
    """Return what requests of a step came to, in the ledger and in earlier runs of this batch."""
    asked = (F.col("step") == step) & (F.col("model") == language_model.settings.name)
    ledger = context.warehouse.current("llm_responses").where(asked).select(*_KEPT)
    spools = _Spools.of(context, step, language_model)
    return ledger.unionByName(spools.answers()) if spools.runs() else ledger


def settled_now(context: StepContext, language_model: LanguageModel, step: str) -> int:
    """Count the requests of a step that earlier runs of this batch have settled."""
    spools = _Spools.of(context, step, language_model)
    return spools.settled().count() if spools.runs() else 0


def _unsettled(spools: _Spools, requests: DataFrame) -> DataFrame:
    if not spools.runs():
        return requests
    return requests.join(spools.settled(), "request_key", "left_anti")


def _without_answer(context: StepContext, requests: DataFrame) -> DataFrame:
    ledger = context.warehouse.current("llm_responses")
    # What this batch asked is kept once all is in: in a replay nothing is left to ask.
    known = ledger.where((F.col("status") == ANSWERED) | (F.col("batch") == context.batch.number))
    first = F.min_by(F.struct(*Request._fields), "about").alias("first")
    distinct = requests.groupBy("request_key").agg(first).select("first.*")
    return distinct.join(known.select("request_key"), "request_key", "left_anti")


@dataclass(frozen=True)
class _Spools:
    """The spools of a step and model in this batch: a folder for each run that began to send."""

    context: StepContext
    name: str

    @classmethod
    def of(cls, context: StepContext, step: str, language_model: LanguageModel) -> _Spools:
        """Return those of a step, whose answers depend on the model's parameters too."""
        return cls(context, f"{step}-{digest('', language_model.settings.parameters)[:8]}")

    @property
    def _folder(self) -> str:
        return f"staging/{self.context.batch.number}/spool/{self.name}"

    def runs(self) -> list[str]:
        """Return the names of the runs that began to send, in order."""
        return self.context.warehouse.files.names(self._folder)

    def next_root(self) -> str:
        """Return the folder of the run that begins now."""
        return f"{self.context.warehouse.root}/{self._folder}/{len(self.runs()):04d}"

    def read(self, part: str, schema: pa.Schema) -> DataFrame:
        """Return what all runs wrote down in one part, ANSWERS or TAKEN."""
        warehouse = self.context.warehouse
        names = [f"{self._folder}/{run}/{part}" for run in self.runs()]
        folders = [f"{warehouse.root}/{name}" for name in names if warehouse.files.exists(name)]
        fields = from_arrow_schema(schema)
        if not folders:
            return self.context.spark.createDataFrame([], fields)
        return self.context.spark.read.schema(fields).json(folders)

    def answers(self) -> DataFrame:
        """Return a row for each request: settled before failed, then the fewest sendings."""
        schema = pa.schema([model.LLM_RESPONSES.field(name) for name in _KEPT])
        settled = F.col("status").isin(*SETTLED)
        order = Window.partitionBy("request_key").orderBy(settled.desc(), "sendings", "response")
        rows = self.read(ANSWERS, schema).withColumn("_rank", F.row_number().over(order))
        return rows.where("_rank = 1").drop("_rank")

    def settled(self) -> DataFrame:
        """Return the keys of the requests that need not be sent again in this batch."""
        return self.answers().where(F.col("status").isin(*SETTLED)).select("request_key")


def _send(
    context: StepContext,
    language_model: LanguageModel,
    step: Step,
    requests: DataFrame,
    spools: _Spools,
) -> dict[str, Any]:
    unanswered = context.stage("llm", step.name, _without_answer(context, requests))
    left = _unsettled(spools, unanswered)
    total = requests.select("request_key").distinct().count()
    open_before, number = unanswered.count(), left.count()
    counts = {
        "requests": total,
        "cached": total - open_before,
        "sent_again": _in_flight(spools, left),
    }
    if number:
        may_fail = int(language_model.settings.largest_failed_share * total)
        task = _Left(left, number, may_fail)
        _judge(language_model, _all_sent(language_model, step, task, spools), task, spools)
    return counts


class _Left(NamedTuple):
    """The requests that are left to send, how many they are, and how many of them may fail."""

    rows: DataFrame
    number: int
    may_fail: int


def _in_flight(spools: _Spools, left: DataFrame) -> int:
    """Count the requests that an earlier run had taken up and not settled."""
    if not spools.runs():
        return 0
    return left.join(spools.read(TAKEN, _TAKEN).distinct(), "request_key", "left_semi").count()


def _all_sent(language_model: LanguageModel, step: Step, left: _Left, spools: _Spools) -> Allowance:
    context, price = spools.context, language_model.price
    allowance = Allowance(
        language_model.limits(),
        price.per_token() if price else FREE,
        max(FAILURES_IN_A_ROW, left.may_fail + 1),
    )
    settings = language_model.settings
    root = spools.next_root()
    settings.key()  # what is not set, or can't be reached, is told here and not by a task
    resolve(root)
    told = context.spark.sparkContext.getConf()
    host = told.get("spark.driver.host") or "127.0.0.1"
    listen = told.get("spark.driver.bindAddress") or host
    with (
        GateServer(allowance, listen=listen, host=host) as gate,
        reporting(context.report, step.name, left.number, allowance),
    ):
        task = _task(step, language_model, gate.address, root)
        spread = left.rows.repartition(_slots(context))
        try:
            spread.mapInArrow(task, from_arrow_schema(_SENT)).agg(F.sum("taken")).collect()
        finally:
            language_model.budget.spend(allowance.money, allowance.tokens)
    return allowance


def _slots(context: StepContext) -> int:
    """Return how many tasks run at the same time: each has many requests in flight."""
    scala: Any = context.spark.sparkContext._jsc.sc()
    return int(scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile()))


def _task(
    step: Step, language_model: LanguageModel, address: Address, root: str
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        requests = (Request._make(row) for row in as_rows(batches))
        taken = asyncio.run(_sent_by_task(step, language_model, address, root, requests))
        yield pa.RecordBatch.from_arrays([pa.array([taken], pa.int64())], schema=_SENT)

    return run


async def _sent_by_task(
    step: Step,
    language_model: LanguageModel,
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
    settings, price = language_model.settings, language_model.price
    client = Client(settings, step.schema)
    try:
        prices = None if price is None else price.per_token()
        sender = Sender(step, settings, client, gate, spool, prices)
        return await sender.send_all(each for each in requests if each.request_key not in known)
    finally:
        await client.close()
        gate.close()


def _judge(
    language_model: LanguageModel, allowance: Allowance, left: _Left, spools: _Spools
) -> None:
    """Raise where what was sent does not do."""
    kept = f"{allowance.answers:,} of {left.number:,} requests were answered and are kept"
    if allowance.stopped is not None:
        remedy = "give a larger --budget" if allowance.out_of_budget else "put the endpoint right"
        raise ModelError(
            f"The language model was stopped: {allowance.stopped}. {kept}; {remedy} and start the "
            "same command again, which goes on from there."
        )
    if not allowance.given_up:
        return
    failed = spools.answers().where("status = 'failed'")
    count = failed.count()
    if count > left.may_fail:
        first = failed.orderBy("request_key").select("reason").first()
        raise ModelError(
            f"{count:,} requests to {language_model.settings.base_url} failed, and no more than "
            f"{left.may_fail:,} may (language_model.largest_failed_share); the first: "
            f"{first and first[0]}. {kept}; start the same command again to send the others once "
            "more."
        )
    spools.context.report(f"{count:,} requests failed and are set aside")


def _fold(context: StepContext, step: str, spools: _Spools) -> None:
    """Append what the spools hold to the ledger, once per batch."""
    if not spools.runs():
        return
    rows = spools.answers().select(
        *_KEPT,
        F.lit(step).alias("step"),
        context.batch.known_at_column.alias("known_at"),
        F.lit(context.batch.number).alias("batch"),
    )
    context.warehouse.append("llm_responses", rows, batch=context.batch.number, purpose=spools.name)


def _answers(context: StepContext, requests: DataFrame) -> DataFrame:
    """Return the answer to every request; where there is none, what this batch came to."""
    ledger = context.warehouse.current("llm_responses")
    counts = (F.col("status") == ANSWERED) | (F.col("batch") == context.batch.number)
    answered_first = Window.partitionBy("request_key").orderBy(
        (F.col("status") == ANSWERED).desc(), F.col("batch").desc()
    )
    return (
        ledger.where(counts)
        .join(requests.select("request_key"), "request_key", "left_semi")
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
