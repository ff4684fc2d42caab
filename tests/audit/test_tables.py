"""A night whose tables were tampered with is found out, and nothing is published."""

from __future__ import annotations

import pytest

from little_company import NIGHTS, write_configuration, write_night
from regesta.audit import findings
from test_nightly import open_pipeline

pytestmark = pytest.mark.spark


@pytest.mark.long
def test_what_was_tampered_with_is_found_and_blocks_publishing(spark, tmp_path):
    from delta.tables import DeltaTable

    from regesta.model import STEPS
    from regesta.pipeline import Run
    from regesta.query.times import to_micros

    conf = write_configuration(tmp_path)
    write_night(tmp_path, 0)
    pipeline = open_pipeline(spark, conf)
    pipeline.run(Run(steps=STEPS[:-1]), to_micros(NIGHTS[0]))

    def table(name):
        return DeltaTable.forPath(spark, str(tmp_path / "warehouse" / "tables" / name))

    def first(name, column, where="true"):
        return table(name).toDF().where(where).selectExpr(f"min({column})").first()[0]

    bolt = first("entities", "entity_id", "name = 'Bolt'")
    member = first("entity_members", "row_id", f"entity_id <> '{bolt}'")
    cited = first("fact_evidence", "row_id")
    table("entities").delete(f"entity_id = '{bolt}'")
    table("entity_members").update(f"row_id = '{member}'", {"profile_id": "'nobody'"})
    table("fact_evidence").update(f"row_id = '{cited}'", {"statement_id": "'unsaid'"})
    table("statements").delete("relation = 'HAS_PLAN'")
    table("episodes").update("source = 'contacts'", {"known_at": "timestamp'2025-01-01'"})
    table("mentions").update("name = 'Cobalt'", {"batch": "9"})
    with pytest.raises(findings.AuditError) as error:
        pipeline.continue_with("publish")
    found = {(one.audit, one.table, one.key): one for one in error.value.findings}
    members = {key for key in found if key[:2] == (findings.STANDS, "entity_members")}
    assert members
    assert all(f"entity {bolt} has no open version" in found[key].told for key in members)
    assert found.keys() - members == {
        (findings.RESOLVES, "entity_members", f"row '{member}'"),
        (findings.RESOLVES, "fact_evidence", f"row '{cited}'"),
        (findings.COUNTS, "statements", "batch 1"),
        (findings.COUNTS, "mentions", "batch 1"),
        (findings.COUNTS, "mentions", "batch 9"),
        (findings.KNOWN_TIME, "episodes", "batch 1"),
    }
    assert not (tmp_path / "warehouse" / "snapshots" / "CURRENT").exists()
    assert error.value.exit_code == 6
