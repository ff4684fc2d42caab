"""The waves of a profile: what is asked of every episode at once, before the next thing is.

`combined` asks for all in one request. `paper` follows the Zep paper (arXiv 2501.13956, section
2.2): entities, with the messages before this one as context; a reflexion on what was missed or
invented (Shinn et al., 2023); facts between these entities; dates of these facts. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from regesta.extract.llm.answers import (
    Dates,
    Entities,
    Extraction,
    Facts,
    NamedEntity,
    Reflexion,
    StatedFact,
    UndatedFact,
)
from regesta.llm.forms import read
from regesta.names import normalise_name


class Told(BaseModel):
    """What the waves so far have read out of an episode; `stray` are dates of no fact, as JSON."""

    model_config = ConfigDict(frozen=True)
    entities: tuple[NamedEntity, ...] = ()
    facts: tuple[StatedFact, ...] = ()
    stray: tuple[str, ...] = ()

    @property
    def filling(self) -> dict[str, str]:
        """What of it a prompt may show."""
        named = (f"- {entity.name} ({entity.label})" for entity in self.entities)
        facts = (f"{number}. {fact.sentence}" for number, fact in enumerate(self.facts, start=1))
        return {"entities": "\n".join(named) or "(none)", "facts": "\n".join(facts) or "(none)"}


@dataclass(frozen=True)
class Wave:
    """One question to all episodes.

    `wanted` tells whether what was read so far leaves anything to ask, `merged` adds an answer.
    """

    name: str
    form: type[BaseModel]
    merged: Callable[[Told, Any], Told]
    wanted: Callable[[Told], bool]

    @property
    def check(self) -> Callable[[str], BaseModel]:
        """The function that reads an answer, or raises AnswerError."""
        return partial(read, self.form)


def always(_told: Told) -> bool:
    """Ask about every episode, whatever was read so far."""
    return True


def _all(_told: Told, answer: Extraction) -> Told:
    return Told(entities=answer.entities, facts=answer.facts)


def _entities(told: Told, answer: Entities) -> Told:
    return told.model_copy(update={"entities": answer.entities})


def _reflected(told: Told, answer: Reflexion) -> Told:
    invented = {normalise_name(name) for name in answer.invented}
    kept = tuple(one for one in told.entities if normalise_name(one.name) not in invented)
    return told.model_copy(update={"entities": kept + answer.missed})


def _facts(told: Told, answer: Facts) -> Told:
    return told.model_copy(update={"facts": tuple(map(_undated, answer.facts))})


def _undated(fact: UndatedFact) -> StatedFact:
    return StatedFact(**fact.model_dump(), valid_from=None, valid_until=None, dated_by=None)


def _dated(told: Told, answer: Dates) -> Told:
    facts, stray = list(told.facts), []
    for dates in answer.dates:
        if not 1 <= dates.fact <= len(facts):
            stray.append(dates.model_dump_json())
            continue
        given = dates.model_dump(exclude={"fact"})
        facts[dates.fact - 1] = facts[dates.fact - 1].model_copy(update=given)
    return told.model_copy(update={"facts": tuple(facts), "stray": tuple(stray)})


def _names_something(told: Told) -> bool:
    return bool(told.entities)


def _states_something(told: Told) -> bool:
    return bool(told.facts)


PROFILES: Final[Mapping[str, tuple[Wave, ...]]] = {
    "combined": (Wave("combined", Extraction, _all, always),),
    "paper": (
        Wave("entities", Entities, _entities, always),
        Wave("reflexion", Reflexion, _reflected, always),
        Wave("facts", Facts, _facts, _names_something),
        Wave("dates", Dates, _dated, _states_something),
    ),
}
