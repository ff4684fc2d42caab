"""Relations and which triples can't hold together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Literal

from regesta.model import Cardinality, FactKind, MissingStart

Scope = Literal["subject", "linked"]
ENTITY = "entity:"
VALUE = "value:"
"""What an object begins with: an entity, whose id is the rest, or a literal."""

Slot = tuple[str, str, str]
"""A place that one token fills at a time: (what it limits, whose, of what)."""

TripleName = tuple[str, str, str]
Rivals = tuple[TripleName, TripleName]
Filled = tuple[tuple[Slot, str], ...]
"""The slots that a triple fills, each with the token that it puts there."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What is declared of a relation; `excludes` names relations that can't hold beside it.

    A symmetric one with one object has one for either side: who is married to whom. `inverse` is
    the name under which an end that names no subject is told of an object. A statement
    without a start is of an unknown one or, where `missing_start` is "said", of its reference time.
    """

    name: str
    cardinality: Cardinality = "many"
    excludes: frozenset[str] = frozenset()
    kind: FactKind = "state"
    phrase: str | None = None
    symmetric: bool = False
    missing_start: MissingStart = "unknown"
    inverse: str | None = None

    @property
    def limits_objects(self) -> bool:
        """Whether an object, too, has one at a time."""
        return self.cardinality in ("one_subject", "one_to_one") or (
            self.symmetric and self.cardinality == "one"
        )


@dataclass(frozen=True)
class Ontology:
    """The declared relations; undeclared ones are states of which many stand side by side.

    `judged` holds the slots of triples that verdicts make rivals: see `with_rivals`.

    A name that ends in `*` declares all relations that begin so and are declared by no longer name;
    they exclude nothing. Exclusion is made mutual here: it is enough to declare it on one side.
    """

    relations: Mapping[str, Relation] = field(default_factory=dict)
    judged: Mapping[TripleName, Filled] = field(default_factory=dict)
    _families: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _inverses: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _beginnings: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "relations", _mutual(self.relations))
        inverses = {one.inverse: one.name for one in self.relations.values() if one.inverse}
        object.__setattr__(self, "_inverses", inverses)
        families = _families(self.relations)
        told = {inverse: families[name] for inverse, name in inverses.items()}
        object.__setattr__(self, "_families", {**families, **told})
        beginnings = [name[:-1] for name in self.relations if name.endswith("*")]
        longest_first = sorted(beginnings, key=lambda beginning: (-len(beginning), beginning))
        object.__setattr__(self, "_beginnings", tuple(longest_first))

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Ontology:
        """An ontology of these relations, by their names."""
        return cls({relation.name: relation for relation in relations})

    def with_rivals(self, pairs: Iterable[Rivals]) -> Ontology:
        """The same relations where these pairs of triples, too, are rivals of each other."""
        judged: dict[TripleName, Filled] = {}
        for pair in pairs:
            first, second = map("\x1f".join, pair)
            slot = ("judged", first, second)
            for number, triple in enumerate(pair):
                judged[triple] = (*judged.get(triple, ()), (slot, str(number)))
        made = copy(self)
        object.__setattr__(made, "judged", judged)
        return made

    def relation(self, name: str) -> Relation:
        """The relation as declared, else a state of many objects."""
        return self._declared(name) or Relation(name)

    def _declared(self, name: str) -> Relation | None:
        if name in self.relations:
            return self.relations[name]
        found = next((one for one in self._beginnings if name.startswith(one)), None)
        return None if found is None else self.relations[f"{found}*"]

    @property
    def families(self) -> Mapping[str, str]:
        """The family of every declared relation, and of the inverses, by name."""
        return self._families

    def told_of_object(self, relation: str, subject: str) -> tuple[str, str] | None:
        """Relation and object of the triples that an end without an object is told of, whoever
        their subjects are; None where it is told of a subject's alone."""
        name = self._inverses.get(relation, relation)
        if name == relation and not self.relation(relation).symmetric:
            return None
        return (name, f"{ENTITY}{subject}")

    def ends_of(self, subject: str, relation: str, target: str) -> list[tuple[str, str]]:
        """Subject and relation of the ends without an object that a triple may be ended by."""
        found = [(subject, relation)]
        declared = self._declared(relation)
        if declared is not None and target.startswith(ENTITY):
            names = [declared.inverse, relation if declared.symmetric else None]
            found += [(target[len(ENTITY) :], name) for name in names if name is not None]
        return found

    def family(self, relation: str) -> str:
        """The smallest name among the relations linked to this one by exclusion."""
        return self._families.get(relation, relation)

    def scope(self, family: str) -> Scope:
        """Whether all conflicts of a family stay with one subject or travel over shared objects."""
        members = [name for name in self.relations if self.family(name) == family]
        per_object = any(self.relations[name].limits_objects for name in members)
        return "linked" if per_object else "subject"

    def slots(self, subject: str, relation: str, target: str) -> Filled:
        """The slots a triple fills, each with the token it puts there.

        Two triples are rivals if and only if they put different tokens into one slot. Events fill
        none: nothing rivals them.
        """
        declared = self._declared(relation)
        if declared is not None and declared.kind == "event":
            return ()
        filled = () if declared is None else self._filled(declared, subject, relation, target)
        return (
            (*filled, *self.judged.get((subject, relation, target), ())) if self.judged else filled
        )

    @staticmethod
    def _filled(declared: Relation, subject: str, relation: str, target: str) -> Filled:
        filled: list[tuple[Slot, str]] = []
        if declared.symmetric and declared.cardinality == "one":
            own = f"{ENTITY}{subject}"
            filled = [((f"{relation} of", own, ""), target), ((f"{relation} of", target, ""), own)]
        elif declared.cardinality in ("one", "one_to_one"):
            filled.append(((f"{relation} of", subject, ""), target))
        if declared.cardinality in ("one_subject", "one_to_one"):
            filled.append(((f"{relation} by", "", target), subject))
        for other in sorted(declared.excludes):
            pair = f"{min(relation, other)} or {max(relation, other)}"
            filled.append(((pair, subject, target), relation))
        return tuple(filled)


def _mutual(relations: Mapping[str, Relation]) -> dict[str, Relation]:
    excludes: dict[str, set[str]] = {name: set() for name in relations}
    for name, relation in relations.items():
        for other in relation.excludes - {name}:
            excludes[name].add(other)
            excludes.setdefault(other, set()).add(name)
    return {
        name: replace(relations.get(name) or Relation(name), excludes=frozenset(others))
        for name, others in sorted(excludes.items())
    }


def _families(relations: Mapping[str, Relation]) -> dict[str, str]:
    families: dict[str, str] = {}
    for name in sorted(relations):
        reached = [] if name in families else [name]
        while reached:
            member = reached.pop()
            families[member] = name
            reached.extend(relations[member].excludes - families.keys())
    return families


def target_key(entity: str | None, value: str | None) -> str:
    """Return what the timeline knows an object by: an entity's id, or else a literal."""
    return f"{VALUE}{value}" if entity is None else f"{ENTITY}{entity}"
