"""The README's Python lines, taken out of it, with nothing but a base install's packages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from publish import tiny, writing

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
TOLD, DAY = "2024-03-05T09:00", "2024-03-05"
KNOWN_AT = datetime(2024, 6, 1, tzinfo=UTC)
BASE = {"numpy", "pyarrow", "Stemmer"}
"""What the README says that asking imports."""

RUNNER = """
import ast, json, sys
before, values = set(sys.modules), []
sys.displayhook = values.append
lines = ast.parse(sys.stdin.read(), "README.md")
exec(compile(ast.Interactive(lines.body), "README.md", "single"), {"__name__": "__main__"})
values = [each for each in values if each is not None]
found = [bool(part) for each in values for part in (each if type(each) is tuple else (each,))]
packages = {
    name.partition(".")[0]
    for name, module in sys.modules.items()
    if name not in before and "site-packages" in (getattr(module, "__file__", None) or "")
}
print(json.dumps({"found": found, "packages": sorted(packages)}))
"""


def blocks():
    """Return the README's Python blocks that ask a snapshot, in their order."""
    found = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return [each for each in found if "spark" not in each]


def of_the_readme(pattern):
    """Return the only text of the README that fits a pattern."""
    (found,) = re.findall(pattern, README, re.MULTILINE)
    return found


@pytest.fixture
def folder(tmp_path):
    """A folder with the snapshots of a company's three groups."""
    writing.write_snapshot(tmp_path / "warehouse" / "snapshots", tables(), known_at=KNOWN_AT)
    return tmp_path


def tables():
    rows = {name: [] for name in tiny.tables()}
    for group, each in (("support", support()), ("emea", region("emea")), ("apac", region("apac"))):
        for name, added in each.items():
            rows[name] += [{**row, "group_id": group} for row in added]
    return rows


def support():
    """T-17 as the README's line tells it, and an account with its owner."""
    record = of_the_readme(r'^    (\{"ticket": .*\})$')
    told = json.loads(record)
    named = {"t17": told["ticket"], "ann": told["assignee"], "acme": "Acme", "bruno": "Bruno"}
    state = told["state"]
    return {
        "entities": [tiny.entity(key, name, created=TOLD) for key, name in named.items()],
        "facts": [
            said("open", "t17", "HAS_STATE", None, f"T-17 HAS_STATE {state}", value=state),
            said("assigned", "t17", "ASSIGNED_TO", "ann", f"T-17 ASSIGNED_TO {named['ann']}"),
            said("owned", "acme", "OWNED_BY", "bruno", "Acme OWNED_BY Bruno"),
        ],
        "fact_evidence": [
            tiny.evidence(each, TOLD, f"s-{each}", episode, created=TOLD)
            for each, episode in (("open", "row"), ("assigned", "row"), ("owned", "letter"))
        ],
        "episodes": [
            tiny.episode("row", record, at=TOLD)
            | {"kind": "json", "source": "my_tickets", "source_id": "T-17/2"},
            tiny.episode("letter", "Since the outages Bruno owns Acme.", at=TOLD),
        ],
    }


def region(name):
    return {
        "entities": [tiny.entity(f"{name}-1", "Gateway", created=TOLD)],
        "facts": [said(name, f"{name}-1", "HAS", None, "Gateway has P1 outages", value="P1")],
        "fact_evidence": [tiny.evidence(name, TOLD, f"s-{name}", f"{name}-mail", created=TOLD)],
        "episodes": [tiny.episode(f"{name}-mail", "P1: the gateway is down", at=TOLD)],
    }


def said(*told, **more):
    return tiny.fact(*told, created=TOLD, valid_at=TOLD, valid_precision="minute", **more)


def run(lines, folder):
    return subprocess.run(
        [sys.executable, "-c", RUNNER],
        cwd=folder,
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )


def test_from_the_first_lines_to_a_cited_answer(folder):
    first = blocks()[0]
    assert len(first.splitlines()) <= 10
    done = run(first, folder)
    assert done.stderr == ""
    printed = done.stdout.splitlines()
    assert printed[0] == "T-17 HAS_STATE open since 2024-03-05 09:00"
    assert "- T-17 ASSIGNED_TO ann@acme.example (since 2024-03-05 09:00) [1]" in printed
    assert "[1] my_tickets T-17/2, 2024-03-05 09:00:00" in printed
    assert set(json.loads(printed[-1])["packages"]) - {"regesta"} <= BASE


def test_every_question_of_the_readme_finds_something(folder):
    done = run("\n".join(blocks()), folder)
    assert done.stderr == ""
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["found"] == [True] * 6
    assert set(told["packages"]) - {"regesta"} <= BASE
