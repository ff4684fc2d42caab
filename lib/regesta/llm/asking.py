"""Things that are put to a model, each with the values that fill a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from regesta.arrow import Batches, as_batch, as_rows
from regesta.context import StepContext
from regesta.llm.forms import step
from regesta.llm.ledger import REQUESTS, ask
from regesta.llm.prompts import Prompted, Requests, compiled, filled
from regesta.llm.requests import ANSWERED, Request

Values = Callable[..., Mapping[str, str]]


class Question(NamedTuple):
    """What is asked of everything: the step's name, the prompt's, and the form of an answer."""

    step: str
    prompt: str
    form: type[BaseModel]


class Answered(NamedTuple):
    """about, group_id and response of what was answered, and the counts of asking."""

    answers: DataFrame
    counts: dict[str, Any]


def put(
    context: StepContext, prompted: Prompted, question: Question, rows: DataFrame, values: Values
) -> Answered:
    """Ask about rows: about (what it is, an id), group_id, and the arguments of `values`.

    Things of equal values share a request, and each takes its answer. Without rows nothing is asked
    and nothing counted.

    Raises:
        ModelError: see `ledger.ask`.
    """
    make = partial(
        _made, prompted=prompted, prompt=question.prompt, salt=context.salt, values=values
    )
    made = rows.mapInArrow(make, from_arrow_schema(REQUESTS))
    requests = context.stage("asking", question.step, made)
    named = requests.select("request_key", "about", "group_id")
    if requests.isEmpty():
        nothing = named.select("about", "group_id", F.lit("").alias("response"))
        return Answered(nothing, {})
    asked = ask(context, prompted.language_model, step(question.step, question.form), requests)
    answers = asked.answers.where(F.col("status") == ANSWERED).select("request_key", "response")
    found = named.join(answers, on="request_key", how="inner").drop("request_key")
    return Answered(found, asked.counts)


def _made(
    batches: Batches, prompted: Prompted, prompt: str, salt: str, values: Values
) -> Iterator[pa.RecordBatch]:
    requests = Requests(prompted.language_model, prompt, salt)
    ready = compiled(prompted.prompts[prompt])

    def request(about: str, group_id: str, *rest: Any) -> Request:
        filling = values(*rest)
        messages = filled(ready, filling, "\n".join(filling.values()))
        return requests.of(about, group_id, ready, messages)

    for batch in batches:
        yield as_batch([request(*row) for row in as_rows([batch])], REQUESTS)
