"""Random nights through Spark: what is believed at every point, against the oracle."""

from __future__ import annotations

import pytest
from many_nights import GROUPS, Archive, known_time, valid_time
from timeline_oracle import Oracle
from timeline_writing import HORIZON, ONTOLOGY

from projects import run_night

pytestmark = pytest.mark.spark

VALID = range(1, HORIZON + 1)
SCENARIOS = 60


def told(archive: Archive, scenarios: int) -> dict[tuple[int, int], set]:
    """By known and valid time what the oracle believes and, marked, what it holds disputed."""
    every_known = range(1, archive.nights[-1] + 1)
    found: dict[tuple[int, int], set] = {(known, v): set() for known in every_known for v in VALID}
    for number in range(scenarios):
        statements = archive.statements(number)
        for known in every_known:
            oracle = Oracle(statements, ONTOLOGY, known)
            for valid in VALID:
                found[known, valid] |= at(oracle, valid)
    return found


def at(oracle: Oracle, valid: int) -> set:
    believed = oracle.support(valid).keys() | {name for name, _ in oracle.happened(valid)}
    return {(*name, "believed") for name in believed} | {
        (*name, "disputed") for name in oracle.disputed(valid)
    }


def answers(snapshots, last: int) -> dict[tuple[int, int], set]:
    """By known and valid time what the snapshot answers."""
    from regesta import query

    found: dict[tuple[int, int], set] = {}
    opened = query.open(snapshots)
    for known in range(1, last + 1):
        for valid in VALID:
            found[known, valid] = set()
            for group in GROUPS:
                graph = opened.group(group).as_of(valid_time(valid), known_time(known))
                for fact in graph.facts(disputed=True):
                    state = "disputed" if fact.disputed else "believed"
                    name = (f"{group}/{fact.subject}", fact.relation, f"{group}/{fact.object}")
                    found[known, valid].add((*name, state))
    return found


def assert_nights_agree(spark, folder, archive: Archive, scenarios: int) -> None:
    conf = archive.write_conf(folder)
    before: dict[tuple[int, int], set] = {}
    for night, last in enumerate(archive.nights):
        archive.deliver(folder, night)
        run_night(spark, conf, known_time(last))
        found = answers(folder / "warehouse" / "snapshots", last)
        assert {point: found[point] for point in before} == before
        before = found
    assert before == told(archive, scenarios)
    assert {state for facts in before.values() for *_, state in facts} == {"believed", "disputed"}


@pytest.mark.long
def test_nights_believe_what_the_oracle_does_and_the_past_stays(spark, tmp_path):
    archive = Archive(5, scenarios=SCENARIOS, nights=(3, 5, 7))
    assert_nights_agree(spark, tmp_path, archive, SCENARIOS)


@pytest.mark.long
def test_more_nights_with_more_items(spark, tmp_path):
    archive = Archive(0, scenarios=4 * SCENARIOS, nights=(3, 5, 7, 9, 11, 13))
    assert_nights_agree(spark, tmp_path, archive, 4 * SCENARIOS)
