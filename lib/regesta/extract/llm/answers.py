"""The forms of answers, as schemas, and what an answer in its form says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from regesta.llm.sending import AnswerError

_MISTAKES_TOLD = 5


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NamedEntity(_Form):
    """An entity as the model names it."""

    name: str
    label: str


class UndatedFact(_Form):
    """A fact as the model states it, before it is asked for dates."""

    subject: str
    relation: str
    object: str | None
    value: str | None
    sentence: str
    quote: str
    polarity: Literal["asserts", "ends", "retracts"]
    temporary: bool


class StatedFact(UndatedFact):
    """A fact with its dates as the model writes them."""

    valid_from: str | None
    valid_until: str | None
    dated_by: str | None


class Extraction(_Form):
    """All that the model reads out of one episode: the answer to `combined`."""

    entities: tuple[NamedEntity, ...]
    facts: tuple[StatedFact, ...]


class Entities(_Form):
    """The answer to `entities`."""

    entities: tuple[NamedEntity, ...]


class Reflexion(_Form):
    """The answer to `reflexion`: what was missed, and the names of what was invented."""

    missed: tuple[NamedEntity, ...]
    invented: tuple[str, ...]


class Facts(_Form):
    """The answer to `facts`."""

    facts: tuple[UndatedFact, ...]


class FactDates(_Form):
    """The dates of a fact, which is told by its number in the request, from 1 on."""

    fact: int
    valid_from: str | None
    valid_until: str | None
    dated_by: str | None


class Dates(_Form):
    """The answer to `dates`."""

    dates: tuple[FactDates, ...]


Form = TypeVar("Form", bound=BaseModel)


def schema(form: type[BaseModel], labels: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of a form; labels are the only ones that an entity may have."""
    made = form.model_json_schema()
    if entity := made["$defs"].get("NamedEntity"):
        entity["properties"]["label"]["enum"] = list(labels)
    return made


def read(form: type[Form], text: str) -> Form:
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
