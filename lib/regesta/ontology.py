"""The vocabulary of a graph: relation types, entity labels and kinds of identifiers.

Declared in conf/ontologies/*.yaml, several files of which make one ontology. What isn't declared is
allowed: an unknown relation is many-valued, an unknown label names no person, an unknown kind of
identifier joins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from regesta.match.declaration import Compared
from regesta.model import Cardinality, FactKind, MissingStart
from regesta.timeline.ontology import Ontology as Relations
from regesta.timeline.ontology import Relation

NAME: Final = "name"
"""Stands for the name of an entity among what is compared of it."""
LITERAL: Final = "LITERAL"
"""Stands for a value where a signature names labels."""


def _check_form(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"expected a regular expression: {error}") from error
    return text


Form = Annotated[str, AfterValidator(_check_form)]


class ToldDeclaration(BaseModel):
    """Phrasings of one meaning; see `extract.text.patterns` for how `says` are written.

    `value` is what they tell where they hold no {value}, `values` the form that one has. `ends`: a
    fact ends with it. `temporary`: what is told covers another fact for its span only.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    says: tuple[str, ...] = Field(min_length=1)
    value: str | None = None
    values: Form | None = None
    ends: bool = False
    temporary: bool = False


class RelationDeclaration(BaseModel):
    """What can conflict with a relation's facts, what they join, how they read.

    `synonyms` are other names of the relation; `inverse` the name under which it is told from the
    object's side (EMPLOYS of EMPLOYED_BY); of a `symmetric` one both sides are alike. `subjects`
    and `objects` are the labels that it joins, any without them; LITERAL stands for a value. A
    statement that gives no start is read as `missing_start` says: "unknown" (it is seen from its
    reference time on) or "said" (it began then).

    `told` is how messages and texts tell it: names of shipped phrasings (`phrases.yaml` in
    `extract/text`), patterns, or patterns with what they mean. `values` is the form of a told value
    (a regular expression).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    cardinality: Cardinality = "many"
    excludes: tuple[str, ...] = ()
    kind: FactKind = "state"
    phrase: str | None = None
    synonyms: tuple[str, ...] = ()
    inverse: str | None = None
    symmetric: bool = False
    subjects: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    missing_start: MissingStart = "unknown"
    told: tuple[str | ToldDeclaration, ...] = ()
    values: Form | None = None

    def joins(self, subject: str, target: str) -> bool:
        """Return whether the relation may join these labels; `target` is LITERAL for a value."""
        return (not self.subjects or subject in self.subjects) and (
            not self.objects or target in self.objects
        )


@dataclass(frozen=True)
class Told:
    """The relation that a name tells, and whether it does so from the object's side."""

    relation: str
    reversed: bool = False


class LabelDeclaration(BaseModel):
    """A label of entities; bare personal names join only in a shared context.

    Labels are disjoint, so that what two of them are claimed of is two entities, but for those that
    one entity may bear as well: `overlaps`, declared on either side.

    A language model is told the `description`, what counts as such an entity, and is not offered
    labels that are `excluded`.

    `from_records`: records name all entities of the label, so that a name in a text counts only
    where one entity of the group's records bears it.

    `match`: what is compared to find one entity under several spellings. An attribute is `name`,
    the name of a kind of identifiers, or that of an attribute which records give.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    personal_name: bool = False
    description: str | None = None
    excluded: bool = False
    overlaps: tuple[str, ...] = ()
    from_records: bool = False
    match: Compared | None = None


class IdentifierDeclaration(BaseModel):
    """What a shared value of one kind of identifier says about two mentions.

    `joins`: the same value makes one entity. `excludes`: an entity has one value, so two values
    separate. `weak_above`: a value shared by more distinct names than this joins nobody. `written`:
    how values look in texts (a regular expression), where they name an entity labelled `bearer`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    joins: bool = True
    excludes: bool = False
    weak_above: int = Field(default=5, ge=1)
    written: Form | None = None
    bearer: str | None = None

    @model_validator(mode="after")
    def _is_borne(self) -> IdentifierDeclaration:
        if (self.written is None) != (self.bearer is None):
            raise ValueError("expected written and bearer together, or neither")
        return self


class Ontology(BaseModel):
    """Relations, labels and identifier kinds by name.

    A relation's name may end in `*`: the entry then is of all relations that begin so and have no
    entry of their own, as those that a record names do (`declaration.ComputedRelation`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    relations: Mapping[str, RelationDeclaration] = Field(default_factory=dict)
    labels: Mapping[str, LabelDeclaration] = Field(default_factory=dict)
    identifiers: Mapping[str, IdentifierDeclaration] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_are_of_one_relation(self) -> Ontology:
        told: dict[str, str] = {name: name for name in self.relations}
        for name, declared in self.relations.items():
            if declared.symmetric and (
                declared.inverse or declared.cardinality not in ("one", "many")
            ):
                raise ValueError(
                    f"{name}: expected cardinality one or many, and no inverse, of a symmetric one"
                )
            for other in (*declared.synonyms, *filter(None, [declared.inverse])):
                if other in told:
                    raise ValueError(
                        f"{name}: {other} is already a name of {told[other]}; expected one "
                        "relation for a name"
                    )
                told[other] = name
        return self

    @cached_property
    def _names(self) -> Mapping[str, Told]:
        synonyms = {
            other: Told(name)
            for name, declared in self.relations.items()
            for other in declared.synonyms
        }
        inverses = {
            declared.inverse: Told(name, reversed=True)
            for name, declared in self.relations.items()
            if declared.inverse is not None
        }
        return {**synonyms, **inverses}

    def told_by(self, name: str) -> Told:
        """Return the relation that is meant by a name."""
        return self._names.get(name) or Told(name)

    def breaks_signature(self, relation: str, subject: str, target: str) -> bool:
        """Return whether a relation does not join these labels; LITERAL is that of a value."""
        declared = self.relations.get(relation)
        return declared is not None and not declared.joins(subject, target)

    def holds_several(self, name: str) -> bool:
        """Return whether facts of one subject with several objects stand side by side under a name.

        So they can be the legs of one fact over all of them. Not where the relation has one object
        at a time, is told from its object's side, or has sides that are alike.
        """
        told = self.told_by(name)
        declared = self.relations.get(told.relation) or RelationDeclaration()
        side_by_side = declared.cardinality in ("many", "one_subject")
        return side_by_side and not (told.reversed or declared.symmetric)

    @property
    def symmetric(self) -> tuple[str, ...]:
        """The names of the relations of which both sides are alike."""
        return tuple(sorted(name for name, one in self.relations.items() if one.symmetric))

    @field_validator("labels")
    @classmethod
    def _labels_overlap_others(
        cls, labels: Mapping[str, LabelDeclaration]
    ) -> Mapping[str, LabelDeclaration]:
        for name, declared in labels.items():
            if name in declared.overlaps:
                raise ValueError(f"{name}: overlaps: expected other labels than {name} itself")
        return labels

    @property
    def overlapping(self) -> frozenset[frozenset[str]]:
        """The pairs of labels that one entity may bear; all others are disjoint."""
        return frozenset(
            frozenset((name, other))
            for name, declared in self.labels.items()
            for other in declared.overlaps
        )

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
            named = declared.synonyms or declared.inverse or declared.symmetric
            if "*" in name and (named or declared.subjects or declared.objects):
                raise ValueError(
                    f"{name}: expected no synonyms, inverse, symmetry or labels of a beginning"
                )
        return relations

    def identifier(self, kind: str) -> IdentifierDeclaration:
        """Return the declaration of a kind, or the default one."""
        return self.identifiers.get(kind, IdentifierDeclaration())

    def is_personal(self, label: str) -> bool:
        """Return whether entities of this label bear personal names."""
        return label in self.labels and self.labels[label].personal_name

    @property
    def labels_from_records(self) -> tuple[str, ...]:
        """The labels whose names count in texts only where records know them."""
        return tuple(sorted(name for name, one in self.labels.items() if one.from_records))

    @property
    def matched(self) -> Mapping[str, Compared]:
        """What is compared, by label, in the order of the labels."""
        declared = ((name, self.labels[name].match) for name in sorted(self.labels))
        return {name: match for name, match in declared if match is not None}

    def compared_attributes(self, label: str) -> tuple[str, ...]:
        """Return the attributes by which entities of a label are matched, but name, identifiers."""
        compared = self.matched.get(label)
        names = compared.names if compared else ()
        return tuple(one for one in names if one != NAME and one not in self.identifiers)

    def phrase(self, relation: str) -> str:
        """Return the words between subject and object: "is owned by"."""
        told = self.told_by(relation)
        declared = None if told.reversed else self.relations.get(told.relation)
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
                    symmetric=declared.symmetric,
                    missing_start=declared.missing_start,
                    inverse=declared.inverse,
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
