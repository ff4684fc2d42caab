"""The vocabulary of a graph: relation types, entity labels and kinds of identifiers.

Declared in conf/ontologies/*.yaml, several files of which make one ontology. What isn't declared is
allowed: an unknown relation is many-valued, an unknown label names no person, an unknown kind of
identifier joins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from regesta.model import Cardinality, FactKind
from regesta.timeline.ontology import Ontology as Relations
from regesta.timeline.ontology import Relation


class RelationDeclaration(BaseModel):
    """What can conflict with a relation's facts, and how they read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    cardinality: Cardinality = "many"
    excludes: tuple[str, ...] = ()
    kind: FactKind = "state"
    phrase: str | None = None


class LabelDeclaration(BaseModel):
    """A label of entities; bare personal names join only in a shared context."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    personal_name: bool = False


class IdentifierDeclaration(BaseModel):
    """What a shared value of one kind of identifier says about two mentions.

    `joins`: the same value makes one entity. `excludes`: an entity has one value, so two values
    separate. `weak_above`: a value shared by more distinct names than this joins nobody.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    joins: bool = True
    excludes: bool = False
    weak_above: int = Field(default=5, ge=1)


class Ontology(BaseModel):
    """Relations, labels and identifier kinds by name.

    A relation's name may end in `*`: the entry then is of all relations that begin so and have no
    entry of their own, as those that a record names do (`declaration.ComputedRelation`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    relations: Mapping[str, RelationDeclaration] = Field(default_factory=dict)
    labels: Mapping[str, LabelDeclaration] = Field(default_factory=dict)
    identifiers: Mapping[str, IdentifierDeclaration] = Field(default_factory=dict)

    @field_validator("relations")
    @classmethod
    def _beginnings_are_simple(
        cls, relations: Mapping[str, RelationDeclaration]
    ) -> Mapping[str, RelationDeclaration]:
        for name, declared in relations.items():
            linked = declared.excludes or declared.cardinality in ("one_subject", "one_to_one")
            if "*" in name and (linked or "*" in name[:-1]):
                raise ValueError(
                    f"{name}: expected * at the end only, cardinality one or many, no excludes"
                )
        return relations

    def identifier(self, kind: str) -> IdentifierDeclaration:
        """Return the declaration of a kind, or the default one."""
        return self.identifiers.get(kind, IdentifierDeclaration())

    def is_personal(self, label: str) -> bool:
        """Return whether entities of this label bear personal names."""
        return label in self.labels and self.labels[label].personal_name

    def phrase(self, relation: str) -> str:
        """Return the words between subject and object: "is owned by"."""
        declared = self.relations.get(relation)
        return (declared and declared.phrase) or relation.lower().replace("_", " ")

    def for_timeline(self) -> Relations:
        """Return the relations in the form that the timeline rules read."""
        return Relations(
            {
                name: Relation(
                    name=name,
                    cardinality=declared.cardinality,
                    excludes=frozenset(declared.excludes),
                    kind=declared.kind,
                    phrase=declared.phrase,
                )
                for name, declared in self.relations.items()
            }
        )


def merged(declarations: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the parts of several files; a later file's entry replaces an earlier one's."""
    whole: dict[str, Any] = {}
    for part in declarations:
        for section, entries in part.items():
            whole[section] = {**whole.get(section, {}), **(entries or {})}
    return whole
