"""Slices of a segment's tables, which are read by row groups."""

from __future__ import annotations

import pytest

import regesta.publish.segment
import regesta.query
import regesta.query.segment
from publish import tiny, writing

COLUMNS = {"facts": "fact_id", "entities": "entity_id", "episodes": "episode_id"}


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_a_groups_columns_are_its_own_wherever_row_groups_end(rows, tmp_path, monkeypatch):
    for module in (regesta.publish.segment, regesta.query.segment):
        monkeypatch.setattr(module, "ROW_GROUP_ROWS", rows)
    tables = tiny.tables()
    writing.write_snapshot(tmp_path, tables)
    for name in ("acme", "globex"):
        group = regesta.query.open(tmp_path).group(name)._view.group
        for table, column in COLUMNS.items():
            wanted = sorted(row[column] for row in tables[table] if row["group_id"] == name)
            assert group.column(table, column) == wanted
            assert [row[column] for row in group.rows(table)] == wanted
            assert [row[column] for row in group.rows(table, wanted[-1])] == [
                each for each in wanted if each == wanted[-1]
            ]
