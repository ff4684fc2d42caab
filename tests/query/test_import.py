"""Importing and asking loads neither Spark nor pandas."""

from __future__ import annotations

import subprocess
import sys

from publish import tiny, writing

PROGRAM = """
import sys
import regesta.query
graph = regesta.query.open(sys.argv[1]).group("acme").as_of(valid="2022-06")
assert graph.search("who owned Acme?").context()
wanted = {"labels": ["person"], "relations": ["MET"], "sources": ["mail"]}
filters = regesta.query.Filters(**wanted, dates="valid_at > 2020")
assert graph.search("who met?", recipe="combined_graph_mmr", filters=filters, limit=3)
assert graph.history("Acme", "OWNED_BY", all_beliefs=True) and graph.why("f-jane")
assert graph.entities() and graph.communities() and graph.facts(object="P1")
heavy = ("pyspark", "pandas", "openai", "yaml", "pydantic", "regesta.publish")
print([name for name in heavy if name in sys.modules])
"""


def test_a_question_loads_neither_spark_nor_pandas(tmp_path):
    writing.write_snapshot(tmp_path, tiny.tables())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"
