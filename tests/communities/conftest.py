"""A warehouse whose facts and entities are given by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from regesta import model
from regesta.communities.step import Refresh, Way, communities
from regesta.context import Batch, StepContext
from regesta.ontology import Ontology
from regesta.warehouse.warehouse import Warehouse

DAY = 86_400_000_000
WITHOUT_MODEL = Way(event_days=365)
SALT = "salt"


class Graphs:
    """Facts between entities named by themselves; a batch has known_at = its day."""

    def __init__(self, spark, root) -> None:
        self.warehouse = Warehouse.open(spark, str(root), salt=SALT)
        self._number, self._previous, self._known = 0, None, set()

    def context(self, day=1) -> StepContext:
        batch = Batch(self._number, day * DAY, self._previous)
        return StepContext(self.warehouse, batch, Ontology(), lambda _: None)

    def batch(
        self,
        day,
        pairs=(),
        *,
        facts=(),
        ended=(),
        alone=(),
        refresh=False,
        asked=False,
        past=None,
        way=WITHOUT_MODEL,
    ):
        """Run the step over more facts: `pairs` hold since the day, `facts` are rows.

        `ended` are row ids of facts that are believed no longer; `past` is a day whose communities
        are found beside.
        """
        self._number += 1
        rows = [*(fact(one, other, day) for one, other in pairs), *facts]
        ends = {row[end] for row in rows for end in ("subject_id", "object_id")} | set(alone)
        new = sorted(ends - self._known - {None})
        self._known |= ends
        self._write("facts", rows)
        self._write(
            "entities",
            [
                {"row_id": n, "entity_id": n, "group_id": "g", "name": n, "created_at": day * DAY}
                for n in new
            ],
        )
        self._end(ended, day)
        told = Refresh(refresh, asked, past if past is None else past * DAY)
        counts = communities(self.context(day), told, way)
        self.warehouse.pinned = self.warehouse.versions()
        self._previous = day * DAY
        return counts

    def _write(self, table, rows) -> None:
        schema = model.TABLES[table]
        whole = [{name: row.get(name) for name in schema.names} for row in rows]
        frame = self.warehouse.spark.createDataFrame(pa.Table.from_pylist(whole, schema))
        self.warehouse.append(table, frame, batch=self._number)

    def _end(self, row_ids, day) -> None:
        rows = pa.table({"row_id": pa.array(row_ids, pa.string())})
        ending = self.warehouse.spark.createDataFrame(rows).selectExpr(
            "row_id", f"timestamp_micros({day * DAY}) AS expired_at"
        )
        self.warehouse.close("facts", ending, batch=self._number)

    def partition(self, past=None) -> dict[str, str]:
        """Community by entity, as it stands; of the present or of a past day."""
        rows = self.rows("community_members", past)
        return {row["entity_id"]: row["community_id"] for row in rows}

    def rows(self, table, past=None) -> list[dict]:
        """The open rows of a table, of the present or of a past day."""
        of_day = (
            "valid_on IS NULL" if past is None else f"valid_on = timestamp_micros({past * DAY})"
        )
        rows = self.warehouse.current(table).where(f"expired_at IS NULL AND {of_day}")
        return rows.toArrow().to_pylist()


def fact(one, other, day, *, relation="KNOWS", **more):
    row_id = f"{one}/{relation}/{other}/{more.get('value')}/{day}"
    return {
        "row_id": row_id,
        "fact_id": row_id,
        "group_id": "g",
        "subject_id": one,
        "relation": relation,
        "object_id": other,
        "text": f"{one} {relation} {other}",
        "kind": "state",
        "valid_at": day * DAY,
        "created_at": day * DAY,
        "flags": [],
    } | more


@pytest.fixture
def graphs(spark, tmp_path):
    """An empty warehouse."""
    return Graphs(spark, tmp_path / "warehouse")


@pytest.fixture
def make_fact():
    """The function that makes a row of facts."""
    return fact
