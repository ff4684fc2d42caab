"""Answers in a form: a pydantic model, read out of what a model wrote."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from regesta.llm.prompts import form_of
from regesta.llm.sending import AnswerError, Step

_MISTAKES_TOLD = 5


class Form(BaseModel):
    """The form of an answer, or a part of one."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Some = TypeVar("Some", bound=BaseModel)


def step(name: str, form: type[BaseModel]) -> Step:
    """Return what the requests of a step share whose answers have a form."""
    schema = form.model_json_schema()
    return Step(name, schema, form_of(schema), partial(read, form))


def read(form: type[Some], text: str) -> Some:
    """Return what an answer says; words and fences around its JSON object are passed over.

    Raises:
        AnswerError: there is no whole JSON object in it, or it is not in the form asked for.
    """
    try:
        return form.model_validate(_object(text))
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)[:_MISTAKES_TOLD]
        mistakes = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in told)
        raise AnswerError("; ".join(mistakes)) from error


def _object(text: str) -> Any:
    begin = text.find("{")
    if begin < 0:
        raise AnswerError("expected a JSON object, found none")
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
    except json.JSONDecodeError as error:
        raise AnswerError(f"no JSON: {error.msg} at character {error.pos}") from error
    return found
