"""The forms of answers, as schemas, and what an answer in its form says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from regesta.llm.forms import Form


class NamedEntity(Form):
    """An entity as the model names it."""

    name: str
    label: str


class UndatedFact(Form):
    """A fact as the model states it, before it is asked for dates.

    `others` are further entities that the one fact joins to its subject: a hyper-edge.
    """

    subject: str
    relation: str
    object: str | None
    others: tuple[str, ...]
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


class Extraction(Form):
    """All that the model reads out of one episode: the answer to `combined`."""

    entities: tuple[NamedEntity, ...]
    facts: tuple[StatedFact, ...]


class Entities(Form):
    """The answer to `entities`."""

    entities: tuple[NamedEntity, ...]


class Reflexion(Form):
    """The answer to `reflexion`: what was missed, and the names of what was invented."""

    missed: tuple[NamedEntity, ...]
    invented: tuple[str, ...]


class Facts(Form):
    """The answer to `facts`."""

    facts: tuple[UndatedFact, ...]


class FactDates(Form):
    """The dates of a fact, which is told by its number in the request, from 1 on."""

    fact: int
    valid_from: str | None
    valid_until: str | None
    dated_by: str | None


class Dates(Form):
    """The answer to `dates`."""

    dates: tuple[FactDates, ...]


def schema(form: type[BaseModel], labels: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of a form; labels are the only ones that an entity may have."""
    made = form.model_json_schema()
    if entity := made["$defs"].get("NamedEntity"):
        entity["properties"]["label"]["enum"] = list(labels)
    return made
