"""The form of an answer to `combined`: its schema, and what an answer in that form says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from regesta.llm.sending import AnswerError

_MISTAKES_TOLD = 5


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NamedEntity(_Form):
    """An entity as the model names it."""

    name: str
    label: str


class StatedFact(_Form):
    """A fact as the model states it; dates as it writes them."""

    subject: str
    relation: str
    object: str | None
    value: str | None
    sentence: str
    quote: str
    polarity: Literal["asserts", "ends", "retracts"]
    temporary: bool
    valid_from: str | None
    valid_until: str | None
    dated_by: str | None


class Extraction(_Form):
    """All that the model reads out of one episode."""

    entities: tuple[NamedEntity, ...]
    facts: tuple[StatedFact, ...]


def schema(labels: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of an answer; labels are the only ones that an entity may have."""
    made = Extraction.model_json_schema()
    made["$defs"]["NamedEntity"]["properties"]["label"]["enum"] = list(labels)
    return made


def read(text: str) -> Extraction:
    """Return what an answer says; words and fences around its JSON object are passed over.

    Raises:
        AnswerError: there is no whole JSON object in it, or it is not in the form asked for.
    """
    try:
        return Extraction.model_validate(_object(text))
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
