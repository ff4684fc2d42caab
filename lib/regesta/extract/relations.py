"""Which relation a statement states: the one declared, or the one that the record names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from regesta.extract.values import Record, literal
from regesta.ontology import Ontology
from regesta.sources.declaration import ComputedRelation
from regesta.sources.expressions import compile_expression

_CAMEL_CASE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")


class Named(NamedTuple):
    """A relation and the words between its subject and object."""

    relation: str
    phrase: str


RelationOf = Callable[[Record], Named | None]


def relation_of(declared: str | ComputedRelation, ontology: Ontology) -> RelationOf:
    """Return the function from a record to the relation it states, None where it states none.

    The function raises ValueError for a name that holds neither letters nor digits.
    """
    if isinstance(declared, str):
        named = Named(declared, ontology.phrase(declared))
        return lambda _record: named
    path = compile_expression(declared.path)

    @lru_cache(maxsize=4096)
    def named_by(text: str) -> Named | None:
        relation = _computed(text, declared)
        return None if relation is None else Named(relation, ontology.phrase(relation))

    def of_record(record: Record) -> Named | None:
        text = literal(path(record))
        return None if text is None else named_by(text)

    return of_record


def _computed(text: str, declared: ComputedRelation) -> str | None:
    if text in declared.names:
        return declared.names[text]
    return None if declared.prefix is None else declared.prefix + in_capitals(text)


def in_capitals(text: str) -> str:
    """Return a name as relations are written: StageName and "stage name" become STAGE_NAME.

    Raises ValueError for a name that holds neither letters nor digits.
    """
    words = _BETWEEN_WORDS.sub("_", _CAMEL_CASE.sub("_", text)).strip("_").upper()
    if not words:
        raise ValueError(f"no relation can be named {text!r}; give it a name in `names`")
    return words
