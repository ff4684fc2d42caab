"""The table functions of Spark over a warehouse give what DuckDB gives over its snapshot."""

from __future__ import annotations

import pytest

from little_company import NIGHTS, write_configuration, write_night
from projects import run_night

pytestmark = pytest.mark.spark

VALID = ("2023-06-01", "2024-01-05", "2024-02-01", "2024-03-05")
CALLS = (
    *(f"facts_as_of('{valid}', '{known}')" for valid in VALID for known in NIGHTS),
    *(f"entities_as_of('{known}')" for known in NIGHTS),
    *(f"facts_between('{VALID[1]}', '{VALID[2]}', '{known}')" for known in NIGHTS),
    f"communities_as_of('{NIGHTS[1]}')",
    f"members_as_of('{NIGHTS[1]}')",
    "fact_history('Acme')",
    *("facts", "entities", "communities", "members", "all_facts", "all_evidence"),
)


@pytest.fixture(scope="module")
def project(spark, tmp_path_factory):
    import regesta

    folder = tmp_path_factory.mktemp("sql")
    write_configuration(folder)
    for night in (0, 1):
        write_night(folder, night)
        run_night(spark, folder / "conf", NIGHTS[night])
    regesta.register(spark, str(folder / "warehouse"))
    return folder


def test_both_dialects_give_the_same_rows(spark, project):
    from regesta.sql.duck import connect

    database = connect(project / "warehouse" / "snapshots")
    empty = []
    for call in CALLS:
        query = f"SELECT group_id, count(*), min(row_id), max(row_id) FROM {call} GROUP BY group_id"
        if call.startswith("members"):
            query = query.replace("row_id", "entity_id")
        in_spark = sorted(map(tuple, spark.sql(query).collect()))
        assert in_spark == sorted(database.execute(query).fetchall()), call
        empty += [] if in_spark else [call]
    assert all(VALID[0] in call for call in empty)  # the others compare something


def test_a_warehouse_without_a_batch_is_told(spark, tmp_path):
    import regesta
    from regesta.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match="holds no batch yet"):
        regesta.register(spark, str(tmp_path / "nothing"))
