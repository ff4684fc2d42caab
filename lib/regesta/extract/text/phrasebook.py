"""The phrasings that an ontology's relations are told by: shipped sets and patterns of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from regesta.errors import ConfigurationError
from regesta.extract.text.patterns import PatternError, Phrasebook, Phrasing, compile_phrasing
from regesta.ontology import Ontology, RelationDeclaration, ToldDeclaration


@cache
def shipped() -> Mapping[str, tuple[ToldDeclaration, ...]]:
    """Return the shipped phrasings by their names."""
    text = (files("regesta.extract.text") / "phrases.yaml").read_text("utf-8")
    sets: dict[str, list[Any]] = yaml.safe_load(text)
    return {
        name: tuple(ToldDeclaration.model_validate(entry) for entry in entries)
        for name, entries in sets.items()
    }


def phrasebook(ontology: Ontology) -> Phrasebook:
    """Return all phrasings of an ontology.

    Raises:
        ConfigurationError: what can't be read in them, by relation.
    """
    mistakes: list[str] = []
    found = [
        phrasing
        for relation, declared in ontology.relations.items()
        for phrasing in _phrasings(relation, declared, mistakes)
    ]
    if mistakes:
        raise ConfigurationError.from_mistakes(mistakes)
    return Phrasebook(found)


def _phrasings(
    relation: str, declared: RelationDeclaration, mistakes: list[str]
) -> Iterator[Phrasing]:
    for entry in _entries(relation, declared, mistakes):
        for says in entry.says:
            try:
                yield compile_phrasing(
                    relation,
                    says,
                    values=entry.values or declared.values,
                    value=entry.value,
                    ends=entry.ends,
                    temporary=entry.temporary,
                )
            except PatternError as error:
                mistakes.append(f"relation {relation}: told: {error}")


def _entries(
    relation: str, declared: RelationDeclaration, mistakes: list[str]
) -> Iterator[ToldDeclaration]:
    for told in declared.told:
        if isinstance(told, ToldDeclaration):
            yield told
        elif "{" in told:
            yield ToldDeclaration(says=(told,))
        elif told in shipped():
            yield from shipped()[told]
        else:
            mistakes.append(
                f"relation {relation}: told: {told!r} names no shipped phrasings; expected a "
                f"pattern with {{subject}} or one of {', '.join(sorted(shipped()))}"
            )
