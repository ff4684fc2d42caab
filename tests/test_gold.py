"""Real archives, loaded as a user would load them, against the gold that belongs to them.

The data are lent: without them the tests are skipped.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from regesta import query

CONF = Path(__file__).parents[1] / "conf"
SERVICENOW = {
    "incident_state": "HAS_STATE",
    "assignment_group": "ASSIGNED_TO_GROUP",
    "assigned_to": "ASSIGNED_TO",
    "subcategory": "HAS_SUBCATEGORY",
    "category": "HAS_CATEGORY",
    "priority": "HAS_PRIORITY",
    "impact": "HAS_IMPACT",
    "urgency": "HAS_URGENCY",
    "location": "HAS_LOCATION",
}

pytestmark = pytest.mark.spark


def load(spark, monkeypatch, folder: Path, source: str, variable: str, archive: Path):
    """Run the nightly job over one of the shipped sources; return its graph and warehouse."""
    from regesta.config import load as load_configuration
    from regesta.pipeline import Run, open_pipeline
    from regesta.query.times import to_micros

    monkeypatch.setenv(variable, str(archive))
    monkeypatch.setenv("REGESTA_WAREHOUSE", str(folder / source))
    configuration = load_configuration(CONF, sources=[source])
    pipeline = open_pipeline(spark, configuration, lambda text: None)
    (report,) = pipeline.run(Run(), to_micros("2026-11-30"))
    assert report.complete
    return report, query.open(folder / source / "snapshots").group(source)


@pytest.fixture(scope="module")
def patched():
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield monkeypatch


@pytest.fixture(scope="module")
def servicenow(spark, lent, patched, tmp_path_factory):
    archive = lent("data", "servicenow", "incident_event_log.csv")
    folder = tmp_path_factory.mktemp("gold")
    return load(spark, patched, folder, "servicenow", "SERVICENOW_AUDIT", archive)


@pytest.fixture(scope="module")
def congress(spark, lent, patched, tmp_path_factory):
    archive = lent("data", "congress", "episodes.jsonl.gz")
    folder = tmp_path_factory.mktemp("gold")
    return load(spark, patched, folder, "congress", "CONGRESS_EPISODES", archive)


def gold(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_servicenow_every_lookup_is_right(servicenow, lent):
    _, graph = servicenow
    wrong = Counter()
    asked = gold(lent("data", "servicenow", "asof_gold.jsonl"))
    for lookup in asked:
        then = graph.as_of(valid=lookup["t"])
        facts = then.facts(subject=lookup["incident"], relation=SERVICENOW[lookup["field"]])
        found = [fact.object or fact.value for fact in facts]
        if found != ([] if lookup["value"] is None else [lookup["value"]]):
            wrong[lookup["kind"]] += 1
    assert len(asked) == 3000
    assert not wrong


def test_servicenow_loses_no_row(servicenow):
    report, _ = servicenow
    counts = report.steps["ingest"]
    assert (counts["read"], counts["new"], counts["rejected"]) == (5998, 5998, 0)


def test_servicenow_has_one_open_value_per_field_and_no_overlap(servicenow):
    _, graph = servicenow
    spans: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for incident in (e for e in graph.as_of().entities() if e.label == "Incident"):
        for fact in graph.as_of().history(incident.entity_id):
            if fact.relation in SERVICENOW.values():
                end = float("inf") if fact.invalid_at is None else fact.invalid_at
                spans.setdefault((incident.name, fact.relation), []).append((fact.valid_at, end))
    assert sum(len(found) for found in spans.values()) == 11_626
    for found in spans.values():
        found.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(found))
        assert sum(end == float("inf") for _, end in found) <= 1


def test_servicenow_does_not_know_how_a_case_ends_before_it_does(servicenow, lent):
    """resolved_at and closed_at stand in every row of an incident, from the first on."""
    import csv
    from datetime import UTC, datetime

    def micros(text: str) -> int:
        moment = datetime.strptime(text, "%d-%m-%Y %H:%M").replace(tzinfo=UTC)
        return int(moment.timestamp()) * 1_000_000

    _, graph = servicenow
    with lent("data", "servicenow", "incident_event_log.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["resolved_at"] != "?"]
    seen = {}
    for row in rows:
        seen.setdefault(row["number"], row)
    told = 0
    for number, row in list(seen.items())[:200]:
        resolved = micros(row["resolved_at"])
        if micros(row["sys_updated_at"]) >= resolved:
            continue
        before = graph.as_of(known=resolved - 60_000_000, valid=resolved)
        assert [f for f in before.history(number) if f.relation == "RESOLVED_BY"] == []
        told += 1
    assert told > 100


def test_congress_every_seat_is_right_on_both_axes(congress, lent):
    _, graph = congress
    wrong = Counter()
    asked = gold(lent("data", "congress", "asof_gold.jsonl"))
    for lookup in asked:
        then = graph.as_of(valid=lookup["valid_on"], known=lookup["known_at"])
        place = lookup.get("district", lookup.get("class"))
        seat = f"congress_seat:{lookup['type']}-{lookup['state']}-{place}".lower()
        if members_of(then, seat) != lookup["bioguide"]:
            wrong[lookup["kind"]] += 1
    assert len(asked) == 3000
    assert not wrong


def members_of(graph, seat: str) -> list[str]:
    try:
        facts = graph.facts(relation="HOLDS_SEAT", object=seat)
    except query.QueryError:  # nobody had told of the seat yet
        return []
    found = []
    for fact in facts:
        identifiers = graph.entity(fact.subject_id).identifiers
        found.append(next(i for i in identifiers if i.startswith("bioguide:")))
    return sorted(one.removeprefix("bioguide:").upper() for one in found)


def test_congress_keeps_terms_that_end_before_they_start_without_believing_them(congress):
    report, graph = congress
    assert report.steps["ingest"]["rejected"] == 0
    assert report.steps["extract"]["failed"] == 0
    for fact in graph.as_of().facts(relation="HOLDS_SEAT"):
        assert fact.invalid_at is None or fact.invalid_at > fact.valid_at
