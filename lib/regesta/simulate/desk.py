"""One cell of the support desk while it is made up: who is there, what was told, what is true.

A story (an account's extracts, a contract, a ticket) is written into a draft, which is kept only
if its rows still fit into what was asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from regesta.names import normalise_identifier
from regesta.simulate import names
from regesta.simulate.beliefs import Rectangle, Target
from regesta.simulate.plan import DAY, HOUR, START, CellPlan, Plan, iso

PRODUCTS: Final = (
    ("PR-1", "Gateway Plus"),
    ("PR-2", "Leak Guard"),
    ("PR-3", "Energy Meter"),
    ("PR-4", "Air Monitor"),
    ("PR-5", "Door Sense"),
    ("PR-6", "Sensor Hub"),
    ("PR-7", "Roof Watch"),
)
_AGENTS: Final = (4, 60)
"""How many of its own people the smallest and the largest desks have."""

_NAMES_PER_CELL: Final = 5_000
_PAST_DAYS: Final = 900
Row = dict[str, Any]


@dataclass(slots=True, eq=False)
class Entity:
    """A real thing: its names in order, the identifiers of its records, why it is of interest."""

    key: str
    label: str
    names: list[str]
    records: list[str]
    kind: str = "plain"


@dataclass(slots=True, eq=False)
class WorldFact:
    """What really was so; `told_in` grows with the messages that tell it."""

    subject: str
    relation: str
    target: Target
    start: int
    end: int | None
    kind: str
    told_in: list[str] = field(default_factory=list)


class Series(NamedTuple):
    """All that the rows which tell a relation of a subject make one believe."""

    subject: str
    relation: str
    source: str
    kind: str
    rectangles: list[Rectangle]


class Happening(NamedTuple):
    """What a message can tell: which words it takes, when it happened, whether it is true."""

    event: str
    at: int
    words: dict[str, str]
    fact: WorldFact
    true: bool = True


class Telling(NamedTuple):
    """A stretch of a message and what it tells."""

    source_id: str
    thread: str
    kind: str
    start: int
    stop: int
    happening: Happening
    phrasing: str
    split: str


@dataclass(slots=True)
class Draft:
    """What one story adds; `recorded` and `told` add to what is there already."""

    rows: list[tuple[str, int, Row]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    world: list[WorldFact] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    recorded: list[tuple[Entity, str, str]] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    tellings: list[Telling] = field(default_factory=list)
    told: list[tuple[WorldFact, str]] = field(default_factory=list)

    def row(self, source: str, known: int, row: Row) -> None:
        """Add a row of the archive, delivered at a known time."""
        row["delivered_at"] = iso(known)
        self.rows.append((source, known, row))

    def fact(
        self,
        subject: str,
        relation: str,
        target: Target,
        start: int,
        end: int | None = None,
        *,
        kind: str,
    ) -> WorldFact:
        """Add what really was so."""
        fact = WorldFact(subject, relation, target, start, end, kind)
        self.world.append(fact)
        return fact


@dataclass(slots=True, eq=False)
class Agent:
    """One of the desk's own people: account manager or support agent."""

    no: str
    name: str

    @property
    def target(self) -> Target:
        """Return the agent as the object of a fact."""
        return (record("agent_no", self.no), None)


@dataclass(slots=True, eq=False)
class Contact:
    """A customer's person; `nos` and `spellings` are those of its records in the CRM."""

    entity: Entity
    nos: list[str]
    spellings: list[str]
    emails: list[str]
    user_no: str | None = None

    @property
    def identifier(self) -> str:
        """Return the identifier of its first record."""
        return record("contact_no", self.nos[0])

    @property
    def name(self) -> str:
        """Return the name by which people call it."""
        return self.entity.names[0]


@dataclass(slots=True, eq=False)
class Account:
    """A customer; `nos` and `spellings` are those of its records in the CRM."""

    entity: Entity
    nos: list[str]
    spellings: list[str]
    domain: str
    owner: Agent
    last: int
    contacts: list[Contact] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)

    @property
    def no(self) -> str:
        """Return the number of its first record."""
        return self.nos[0]

    @property
    def name(self) -> str:
        """Return its first name."""
        return self.spellings[0]

    @property
    def identifier(self) -> str:
        """Return the identifier of its first record."""
        return record("account_no", self.no)

    @property
    def target(self) -> Target:
        """Return the account as the object of a fact."""
        return (self.identifier, None)


def record(kind: str, number: str) -> str:
    """Return a record's identifier as the warehouse holds it."""
    return normalise_identifier(kind, number)


class Desk:
    """The state of one cell; everything random comes from its seed, group and block."""

    def __init__(self, plan: Plan, cell: CellPlan) -> None:
        self.plan = plan
        self.cell = cell
        self.group = f"desk-{cell.group:05d}"
        self.random = Random(f"{plan.seed}/{cell.group}/{cell.block}")
        self.left = cell.episodes
        self.done = Draft()
        self.kinds: Counter[str] = Counter()
        self._tag = f"{cell.group}-{cell.block}"
        self._numbers: Counter[str] = Counter()
        self._shift = Random(f"{plan.seed}/{cell.group}").randrange(1 << 30)
        few, many = _AGENTS
        count = min(many, few + plan.group_episodes(cell.group) // 500)
        self.agents = [
            Agent(f"AG-{cell.group}-{number}", names.person(number, self._shift))
            for number in range(count)
        ]

    def entities(self) -> list[Entity]:
        """Return the real things of a finished cell.

        Those that cells of a group share are all told by its first one; where that is the only one,
        those that a record names.
        """
        if self.cell.block:
            return self.done.entities
        shared = self._shared_entities()
        if self.plan.blocks(self.cell.group) == 1:
            named = {r.target[0] for one in self.done.series for r in one.rectangles}
            named |= {fact.target[0] for fact in self.done.world}
            shared = [one for one in shared if one.records[0] in named]
        return [*shared, *self.done.entities]

    def _shared_entities(self) -> list[Entity]:
        key = f"{self.group}/"
        agents = [
            Entity(key + agent.no, "Agent", [agent.name], [record("agent_no", agent.no)])
            for agent in self.agents
        ]
        products = [
            Entity(key + no, "Product", [name], [record("product_no", no)]) for no, name in PRODUCTS
        ]
        return agents + products

    def number(self, prefix: str) -> str:
        """Return the next number of a kind of record; no other group or cell has it."""
        return f"{prefix}{self._tag}-{self._next(prefix)}"

    def person_name(self) -> str:
        """Return a name that nobody in the group bears."""
        first = _AGENTS[1] + self.cell.block * _NAMES_PER_CELL
        return names.person(first + self._next("person name"), self._shift)

    def firm_name(self) -> str:
        """Return a name that no company in the group bears."""
        first = self.cell.block * _NAMES_PER_CELL
        return names.firm(first + self._next("firm name"), self._shift)

    def _next(self, what: str) -> int:
        self._numbers[what] += 1
        return self._numbers[what]

    def moments(self, count: int, first: float = 0.0, last: float = 1.0) -> list[int]:
        """Return ascending instants in working hours, from shares of the whole time."""
        shares = sorted(first + (last - first) * self.random.random() for _ in range(count))
        found: list[int] = []
        for share in shares:
            night, rest = divmod(share * self.plan.nights, 1)
            moment = START + int(night) * DAY + 6 * HOUR + int(rest * 14 * HOUR)
            found.append(max(moment, found[-1] + 61) if found else moment)
        return found

    @property
    def last_moment(self) -> int:
        """Return the end of the last day's working hours."""
        return self.plan.end - 4 * HOUR

    def delivered(self, moment: int, late: int = 0, *, after: int = 0) -> int:
        """Return when a row of a moment is delivered: within the hour, or on a later day.

        `after`: not before this instant, nor in it. Always within a night that is simulated.
        """
        night = (moment - START) // DAY
        last = self.plan.nights - 1
        day = min(max(night + late, 0), last)
        if day > night:
            usual = START + day * DAY + self.random.randrange(6 * HOUR, 20 * HOUR)
        else:
            usual = moment + self.random.randrange(60, HOUR)
        return usual if usual > after else after + self.random.randrange(60, 120)

    def day(self, moment: int) -> int:
        """Return the midnight that begins the day of a moment."""
        return moment - moment % DAY

    def past_day(self) -> int:
        """Return a day before the first night."""
        return START - self.random.randrange(30, _PAST_DAYS) * DAY

    def agent(self, *others: Agent) -> Agent:
        """Return one of the desk's people who is none of the others."""
        return self.random.choice([agent for agent in self.agents if agent not in others])

    def keep(self, draft: Draft, account: Account | None = None) -> bool:
        """Take a draft over if its rows fit; tell whether it was."""
        if len(draft.rows) > self.left:
            return False
        self.left -= len(draft.rows)
        done = self.done
        done.rows += draft.rows
        done.series += draft.series
        done.world += draft.world
        done.entities += draft.entities
        done.tellings += draft.tellings
        self.kinds.update({one.kind for one in draft.series})
        self.kinds.update("contradicted" for one in draft.tellings if not one.happening.true)
        for entity, identifier, name in draft.recorded:
            entity.records.append(identifier)
            if name not in entity.names:
                entity.names.append(name)
        for fact, source_id in draft.told:
            fact.told_in.append(source_id)
        if account is not None:
            last = self.last_moment
            account.happenings += [one for one in draft.happenings if one.at <= last]
        return True
