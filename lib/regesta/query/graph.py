"""One group's graph, as known at one time about another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regesta.query.analysis import fold
from regesta.query.answers import Community, Entity, Explanation, Fact, Life, Verdict
from regesta.query.asking import Searchable
from regesta.query.candidates import Candidates, candidates
from regesta.query.changes import Change, changed_beliefs, changed_world, named_in
from regesta.query.communities import (
    CommunityChange,
    find,
    growth,
    life,
    lowest_of,
    member_nodes,
    standing,
)
from regesta.query.errors import QueryError, unknown
from regesta.query.export import to_networkx
from regesta.query.group import Group, Mask, View
from regesta.query.layout import FOREVER
from regesta.query.names import (
    current_id,
    find_entity,
    former_ids,
    matching_entities,
    moved_entities,
)
from regesta.query.paths import first_row, neighbor_rows, shortest_path
from regesta.query.read import (
    evidence_rows,
    read_entity,
    read_evidence,
    read_fact,
    read_verdict,
)
from regesta.query.reasons import life_of
from regesta.query.times import Instant, show, to_micros

if TYPE_CHECKING:
    import numpy.typing as npt
    from networkx import MultiDiGraph

Span = tuple[Instant, Instant]


class Graph(Searchable):
    """A group's graph as of two instants; `as_of` moves them. Nothing is read before asked for."""

    def __init__(self, group: Group, *, valid: int, known: int, published: int) -> None:
        self._view = View(group, valid=valid, known=known)
        self._published = published

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, valid={show(self.valid)!r}, known={show(self.known)!r})"

    @property
    def views(self) -> list[View]:
        """Return what of the group the as-of lets through."""
        return [self._view]

    @property
    def name(self) -> str:
        """Return the group's name."""
        return self._view.group.name

    @property
    def valid(self) -> int:
        """Return the instant asked about, in microseconds."""
        return self._view.valid

    @property
    def known(self) -> int:
        """Return the instant of the knowledge, in microseconds."""
        return self._view.known

    def as_of(self, valid: Instant | None = None, known: Instant | None = None) -> Graph:
        """Return the graph as known at `known` about `valid`.

        `known` is by default the snapshot's known_at, `valid` the same instant as `known`. Dates
        of reduced precision are their first instant. Raises QueryError for a known time after the
        snapshot's: what it will be told is not in it.
        """
        knowledge = self._published if known is None else to_micros(known)
        if knowledge > self._published:
            raise QueryError(
                f"The snapshot knows nothing after {show(self._published)}, asked was "
                f"known={show(knowledge)}; leave `known` out for the latest."
            )
        about = knowledge if valid is None else to_micros(valid)
        return Graph(self._view.group, valid=about, known=knowledge, published=self._published)

    def facts(
        self,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,  # noqa: A002
        *,
        disputed: bool = False,
    ) -> list[Fact]:
        """Return the facts of the as-of, by id; `disputed` adds what is told but not believed.

        `subject` is a name or an id, `object` one too, or a literal value.
        """
        if subject is None:
            mask = self._view.holding if disputed else self._view.facts
        else:
            about = self._about(0, {self.entity(subject).entity_id})
            mask = self._view.among(about, disputed=disputed)
        if object is not None:
            mask = mask & self._with_object(object, mask)
        rows = self._rows(mask)
        return self._read(rows if relation is None else self._related(rows, relation))

    def history(
        self, entity: str, relation: str | None = None, *, all_beliefs: bool = False
    ) -> list[Fact]:
        """Return all periods of an entity's relation as believed at the known time, by start.

        `all_beliefs` adds what was believed before and given up since, each with its expiry.
        """
        found = self.entity(entity).entity_id
        ids = former_ids(self._view, found) if all_beliefs else {found}
        believed = self._view.told if all_beliefs else self._view.known_facts
        rows = self._rows(believed & ~self._view.disputed & self._about(0, ids))
        rows = rows if relation is None else self._related(rows, relation)
        times = self._view.group.segment.array("facts", "times")
        return self._read(rows[np.lexsort((rows, times[2, rows], times[0, rows]))])

    def diff(
        self, *, known: Span | None = None, valid: Span | None = None, about: str | None = None
    ) -> list[Change]:
        """Return what changed between two times on one axis, the earlier one given first.

        known: what is believed otherwise, about any valid time. valid: what holds at the one time
        and not at the other, as known by this graph. `about`: only what concerns this entity.

        Raises QueryError where not just one span is given, or its end is not after its start.
        """
        if (known is None) == (valid is None):
            raise QueryError("Give a span of known time or one of valid time, and not both.")
        first, last = map(to_micros, known or valid or ())
        if first >= last:
            raise QueryError(f"{show(first)} is not before {show(last)}: give the earlier first.")
        if known is not None:
            return self.as_of(known=last)._believed_since(first, about)
        return self.as_of(valid=last, known=self.known)._held_since(first, about)

    def _believed_since(self, known: int, about: str | None) -> list[Change]:
        ids = self._ids_of(about)
        earlier = View(self._view.group, valid=self.valid, known=known)
        was, told = self._apart(earlier.known_facts, self._view.known_facts, ids)
        current = {each: current_id(self._view, each) for each in named_in(was, told)}
        moved = moved_entities(earlier, self._view, ids)
        return [*moved, *changed_beliefs(was, told, current)]

    def _held_since(self, valid: int, about: str | None) -> list[Change]:
        earlier = View(self._view.group, valid=valid, known=self.known)
        return changed_world(*self._apart(earlier.facts, self._view.facts, self._ids_of(about)))

    def _ids_of(self, entity: str | None) -> set[str] | None:
        """Return the ids that an entity has or had; None for any entity."""
        return None if entity is None else former_ids(self._view, self.entity(entity).entity_id)

    def _apart(
        self, before: Mask, after: Mask, ids: set[str] | None
    ) -> tuple[list[Fact], list[Fact]]:
        """Return the facts that stand in one of two masks only, if need be about some entities."""
        apart = before ^ after
        if ids is not None:
            apart &= self._about(0, ids) | self._about(1, ids)
        was, now = (self._read(self._rows(mask & apart)) for mask in (before, after))
        return was, now

    def why(self, fact: str | Fact) -> list[Explanation]:
        """Return each believed period of a fact with its evidence, quoted, and why it ended.

        `fact` is a fact, a fact id, or a row id (also of a belief given up since).
        """
        rows = self._periods(fact)
        if not rows:
            raise QueryError(
                f"Nothing is known of fact {fact!r} in {self.name!r} on {show(self.known)}."
            )
        return [self._explained(row) for row in rows]

    def life(self, fact: Fact) -> Life:
        """Return why a period of a fact ended and why it is no longer believed, if it isn't."""
        return life_of(self._view, fact)

    def _explained(self, row: int) -> Explanation:
        life = self.life(read_fact(self._view, row))
        cited = (read_evidence(self._view, e, quoted=True) for e in evidence_rows(self._view, row))
        return Explanation(life.fact, life.ended, life.expired, tuple(cited))

    def candidates(self, *, limit: int) -> Candidates:
        """Return pairs of facts that may contradict each other, for a person or a model to judge.

        Facts of any valid time that share an entity and overlap; see `candidates.candidates`.
        """
        return candidates(self._view, limit)

    def verdicts(self, *, set_aside: bool = False) -> list[Verdict]:
        """Return the verdicts that stood then, by left fact; `set_aside`: those not counted."""
        found = map(read_verdict, self._view.standing("verdicts"))
        return [each for each in found if each.set_aside or not set_aside]

    def entities(self) -> list[Entity]:
        """Return the entities known then, by id."""
        start = self._view.group.slice("entities").start
        rows = start + np.flatnonzero(self._view.entities)
        return [read_entity(self._view, int(row)) for row in rows]

    def entity(self, name: str) -> Entity:
        """Return the entity with a name, alias, identifier, id or old id.

        Raises QueryError with the nearest names where there is none, with the candidates' ids
        where there are several.
        """
        return read_entity(self._view, find_entity(self._view, name))

    def matching(self, name: str) -> list[Entity]:
        """Return all entities known then that a name, an identifier or an id means."""
        return [read_entity(self._view, row) for row in matching_entities(self._view, name)]

    def neighbors(self, entity: str, *, hops: int = 1) -> list[Entity]:
        """Return the entities at most `hops` facts of the as-of away, the nearest first, by id."""
        if hops < 1:
            raise QueryError(f"hops is {hops}; ask for one or more.")
        rows = neighbor_rows(self._view, self._first(entity), hops)
        return [read_entity(self._view, row) for row in rows]

    def path(self, start: str, end: str) -> list[Fact]:
        """Return the fewest facts of the as-of that lead from one entity to another, in order.

        It is empty for an entity and itself. Raises QueryError where there is no way.
        """
        rows = shortest_path(self._view, self._first(start), self._first(end))
        if rows is None:
            raise QueryError(f"No facts of the as-of lead from {start!r} to {end!r}.")
        return self._read(np.array(rows, np.intp))

    def _first(self, entity: str) -> int:
        """Return the first row of an entity's versions."""
        return first_row(self._view, self.entity(entity).entity_id)

    @property
    def community_day(self) -> int | None:
        """The valid time of which communities are told, in microseconds; None: the present.

        It is the graph's valid time where `regesta communities refresh --valid` found those of it.
        """
        day = self._view.community_day
        return None if day == FOREVER else day

    def communities(self) -> list[Community]:
        """Return the communities known then, of `community_day`, by id."""
        return list(standing(self._view))

    def community(self, community_id: str) -> Community:
        """Return a community known then. Raises QueryError where there is none of that id."""
        return find(self._view, community_id)

    def parts(self, community_id: str) -> list[Community]:
        """Return the communities just below one, by id; one of the lowest level has none."""
        whole = find(self._view, community_id).community_id
        return [each for each in standing(self._view) if each.parent == whole]

    def members(self, community_id: str) -> list[Entity]:
        """Return the entities of a community, of any level, by id."""
        start = self._view.group.slice("entities").start
        nodes = member_nodes(self._view, find(self._view, community_id).community_id)
        return [read_entity(self._view, self._view.version(start + int(node))) for node in nodes]

    def community_sizes(self) -> dict[str, list[int]]:
        """Return the sizes that each community had up to the known time; see `growth`."""
        return growth(self._view)

    def community_history(self, community_id: str) -> list[CommunityChange]:
        """Return how a community's members changed, by known time up to the graph's."""
        return list(life(self._view, community_id))

    def community_of(self, entity: str) -> Community | None:
        """Return the lowest community of an entity known then; an isolated entity has none."""
        return lowest_of(self._view, self.entity(entity).entity_id)

    def to_networkx(self) -> MultiDiGraph:
        """Return the as-of as a graph of networkx; see `export.to_networkx`."""
        return to_networkx(self)

    def _rows(self, mask: Mask) -> npt.NDArray[np.intp]:
        return np.asarray(self._view.group.slice("facts").start + np.flatnonzero(mask))

    def _read(self, rows: npt.NDArray[np.intp]) -> list[Fact]:
        return [read_fact(self._view, int(row)) for row in rows]

    def _about(self, end: int, ids: set[str]) -> Mask:
        group = self._view.group
        firsts = [next(group.run("entities", "entity_id", each), None) for each in ids]
        wanted = [first for first in firsts if first is not None]
        return np.asarray(np.isin(group.array("facts", "entities")[end], wanted))

    def _with_object(self, wanted: str, mask: Mask) -> Mask:
        cell, start = self._view.group.segment.cell, self._view.group.slice("facts").start
        if matching_entities(self._view, wanted):
            return self._about(1, {self.entity(wanted).entity_id})
        literal, found = fold(wanted), np.zeros_like(mask)
        for row in np.flatnonzero(mask):
            found[row] = fold(cell("facts", "value", start + int(row)) or "") == literal
        return found

    def _related(self, rows: npt.NDArray[np.intp], relation: str) -> npt.NDArray[np.intp]:
        cell, wanted = self._view.group.segment.cell, fold(relation)
        keep = [fold(cell("facts", "relation", int(row))) == wanted for row in rows]
        if not any(keep):
            self._check_relation(relation)
        return np.asarray(rows[np.array(keep, bool)])

    def _check_relation(self, relation: str) -> None:
        names = np.array(self._view.group.column("facts", "relation"), object)
        told = sorted(set(names[self._view.told]))
        if fold(relation) not in {fold(each) for each in told}:
            raise unknown("relation", relation, told)

    def _periods(self, fact: str | Fact) -> list[int]:
        view, group, start = self._view, self._view.group, self._view.group.slice("facts").start
        rows = list(group.run("facts", "fact_id", fact if isinstance(fact, str) else fact.fact_id))
        if isinstance(fact, Fact):
            cell = group.segment.cell
            rows = [row for row in rows if cell("facts", "row_id", row) == fact.row_id]
        elif rows:
            return [row for row in rows if view.known_facts[row - start]]
        else:
            every = enumerate(group.column("facts", "row_id"), start)
            rows = [row for row, row_id in every if row_id == fact]
        return [row for row in rows if view.told[row - start]]
