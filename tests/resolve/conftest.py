"""A warehouse whose mentions are given by hand, night by night."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pytest

from regesta import model
from regesta.context import Batch, StepContext
from regesta.ids import digest
from regesta.names import normalise_name
from regesta.ontology import Ontology
from regesta.resolve.step import resolve
from regesta.warehouse.warehouse import Warehouse

SALT = "salt"
DAY = 86_400_000_000

ONTOLOGY = Ontology.model_validate(
    {
        "labels": {
            "Person": {"personal_name": True},
            "Topic": {"from_records": True},
            "Patient": {"match": {"attributes": {"name": "name", "born": "date", "town": "text"}}},
        },
        "identifiers": {
            "email": {"weak_above": 3},
            "vat": {"excludes": True},
            "row": {"joins": True},
            "colour": {"joins": False},
        },
    }
)


@dataclass
class Said:
    """A mention: in which episode, of what; `day` is when it became known."""

    episode: str
    name: str
    label: str = "Company"
    identifiers: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    authority: int = 50
    group: str = "g"
    day: int = 0
    reference_day: int | None = None
    extractor: str = "mapping"

    @property
    def profile_id(self) -> str:
        """The contract of mentions.profile_id."""
        joins = any(ONTOLOGY.identifier(text.partition(":")[0]).joins for text in self.identifiers)
        bare = ONTOLOGY.is_personal(self.label) and not joins
        compared = ONTOLOGY.compared_attributes(self.label)
        told = [pair for pair in sorted(self.attributes.items()) if pair[0] in compared]
        return digest(
            SALT,
            "profile",
            self.group,
            self.label,
            normalise_name(self.name),
            *sorted(self.identifiers),
            *(sorted(self.context) if bare else ()),
            *(text for pair in told for text in ("", *pair)),
        )

    @property
    def entity_id(self) -> str:
        """The id of the entity that this mention founds."""
        return digest(SALT, "entity", self.profile_id)

    def row(self, batch: int) -> dict:
        reference = self.day if self.reference_day is None else self.reference_day
        return {
            "mention_id": digest(SALT, "mention", self.episode, self.profile_id, self.name),
            "episode_id": self.episode,
            "group_id": self.group,
            "profile_id": self.profile_id,
            "name": self.name,
            "normalised_name": normalise_name(self.name),
            "label": self.label,
            "identifiers": sorted(self.identifiers),
            "context": sorted(self.context),
            "attributes": sorted(self.attributes.items()),
            "authority": self.authority,
            "reference_time": reference * DAY,
            "extractor": self.extractor,
            "known_at": self.day * DAY,
            "batch": batch,
        }


class Nights:
    """Runs a step over batches of mentions, each with known_at = the day given."""

    def __init__(self, spark, root, ontology=ONTOLOGY) -> None:
        self.warehouse = Warehouse.open(spark, str(root), salt=SALT)
        self.ontology = ontology
        self._number = 0
        self._previous: int | None = None
        self.told: list[str] = []

    def night(self, day: int, said=(), ended=(), step=None):
        """Run one batch: `ended` are pairs of an episode and the day it stopped counting."""
        self._number += 1
        self._write("mentions", [one.row(self._number) for one in said])
        self._write(
            "supersessions",
            [
                {"episode_id": episode, "superseded_at": when * DAY, "batch": self._number}
                for episode, when in ended
            ],
        )
        batch = Batch(self._number, day * DAY, self._previous)
        context = StepContext(self.warehouse, batch, self.ontology, self.told.append)
        counts = (step or resolve)(context)
        self.warehouse.pinned = self.warehouse.versions()
        self._previous = day * DAY
        return counts

    def say(self, day: int, speak):
        """Let the next batch take in what `speak` says, given its context."""
        batch = Batch(self._number + 1, day * DAY, self._previous)
        return speak(StepContext(self.warehouse, batch, self.ontology, lambda _: None))

    def _write(self, table, rows) -> None:
        schema = model.TABLES[table]
        whole = [{name: row.get(name) for name in schema.names} for row in rows]
        frame = self.warehouse.spark.createDataFrame(pa.Table.from_pylist(whole, schema))
        self.warehouse.append(table, frame, batch=self._number)

    def rows(self, table) -> list[dict]:
        """The rows of a table, times in days, None for still."""
        found = self.warehouse.current(table).toArrow().to_pylist()
        return [{name: _plain(value) for name, value in row.items()} for row in found]

    def members(self, day: int | None = None) -> dict[str, str]:
        """Entity by profile, as known on a day or at last."""
        return {
            row["profile_id"]: row["entity_id"]
            for row in self.rows("entity_members")
            if _holds(row, day)
        }

    def entity(self, entity_id: str, day: int | None = None) -> dict | None:
        """The version of an entity known on a day, or at last."""
        rows = [
            row
            for row in self.rows("entities")
            if row["entity_id"] == entity_id and _holds(row, day)
        ]
        assert len(rows) <= 1
        return rows[0] if rows else None

    def redirects(self) -> dict[str, str]:
        """The open redirects."""
        rows = self.rows("entity_redirects")
        return {r["old_entity_id"]: r["entity_id"] for r in rows if r["expired_at"] is None}


def _plain(value):
    if hasattr(value, "timestamp"):
        return round(value.timestamp() * 1_000_000) // DAY
    return value


def _holds(row, day) -> bool:
    if day is None:
        return row["expired_at"] is None
    return row["created_at"] <= day and (row["expired_at"] is None or day < row["expired_at"])


@pytest.fixture
def nights(spark, tmp_path):
    """Nights over an empty warehouse."""
    return Nights(spark, tmp_path / "warehouse")


@pytest.fixture
def new_nights(spark, tmp_path_factory):
    """Make further warehouses, each empty."""
    return lambda: Nights(spark, tmp_path_factory.mktemp("warehouse"))


@pytest.fixture
def said():
    """The class of mentions given by hand."""
    return Said
