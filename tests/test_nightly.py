"""Whole nights through Spark: what is believed, and that no crash and no batching changes it."""

from __future__ import annotations

import re
import shutil
import threading
from pathlib import Path

import pytest

from little_company import NIGHTS, write_configuration, write_night
from projects import run_night

pytestmark = pytest.mark.spark

VOLATILE = {"batches": {"steps"}}


def open_pipeline(spark, conf: Path):
    from regesta.config import load
    from regesta.pipeline import open_pipeline

    return open_pipeline(spark, load(conf), lambda text: None)


def tables_of(spark, warehouse: Path) -> dict[str, list]:
    """Every row of every table, but for measured seconds."""
    from regesta import model
    from regesta.warehouse.warehouse import Warehouse

    opened = Warehouse.open(spark, str(warehouse))
    found = {}
    for table in model.TABLES:
        rows = opened.current(table).drop(*VOLATILE.get(table, ()))
        if table == "batches":
            rows = rows.drop("table_versions")
        found[table] = sorted(map(repr, rows.collect()))
    return found


def blurred(tables: dict[str, list]) -> dict[str, list]:
    """Without what differs between two copies of a project: its place and the files' times."""
    return {
        name: sorted(re.sub(r"file:[^']*/archive/", "file:PROJECT/archive/", row) for row in rows)
        for name, rows in tables.items()
        if name not in ("deliveries", "batches")
    }


def beliefs(project: Path, valid: str, known: str) -> set[tuple[str, str, str]]:
    """What the snapshot says held then, as known then."""
    from regesta import query

    graph = query.open(project / "warehouse" / "snapshots").group("north")
    facts = graph.as_of(valid=valid, known=known).facts()
    return {(fact.subject, fact.relation, fact.object or fact.value) for fact in facts}


@pytest.fixture(scope="module")
def undisturbed(spark, tmp_path_factory):
    """The project after three nights, one after the other; copies of it after each night."""
    project = tmp_path_factory.mktemp("undisturbed")
    conf = write_configuration(project)
    for night in range(3):
        write_night(project, night)
        run_night(spark, conf, NIGHTS[night])
        shutil.copytree(project, project.with_name(f"after{night}"), dirs_exist_ok=True)
    return project


def test_after_the_first_night_the_present_is_believed(undisturbed):
    assert beliefs(undisturbed, "2024-01-10T12:00", "2024-01-11") == {
        ("Acme", "OWNED_BY", "alice"),
        ("Acme", "HAS_STATUS", "trial"),
        ("Bolt", "OWNED_BY", "bob"),
        ("Bolt", "HAS_STATUS", "active"),
        ("Cobalt", "HAS_STATUS", "active"),
        ("Acme", "HAS_PLAN", "Pro"),
        ("Ann Lee", "WORKS_AT", "Acme"),
        ("Ben Ito", "WORKS_AT", "Bolt"),
        ("T1", "HAS_STATE", "open"),
        ("T1", "ASSIGNED_TO", "alice"),
        ("T1", "CONCERNS", "Acme"),
        ("T2", "HAS_STATE", "new"),
        ("T2", "ASSIGNED_TO", "bob"),
        ("T2", "CONCERNS", "Bolt"),
    }


def test_after_the_last_night_the_present_is_believed(undisturbed):
    assert beliefs(undisturbed, "2024-03-10T12:00", "2024-03-10T22:00") == {
        ("Acme", "OWNED_BY", "bob"),
        ("Acme", "HAS_STATUS", "active"),
        ("Cobalt AG", "HAS_STATUS", "active"),
        ("Acme", "HAS_PLAN", "Pro"),
        ("Ann Lee", "WORKS_AT", "Acme"),
        ("Cem Ok", "WORKS_AT", "Cobalt AG"),
        ("T1", "HAS_STATE", "closed"),
        ("T1", "CONCERNS", "Acme"),
        ("T2", "HAS_STATE", "open"),
        ("T2", "ASSIGNED_TO", "carol"),
        ("T2", "CONCERNS", "Bolt"),
    }


@pytest.mark.parametrize(
    ("what", "valid", "known", "holds", "not_so"),
    [
        ("a late snapshot is believed once it is known", "2024-01-28", "2024-03-10T22:00",
         ("Acme", "OWNED_BY", "carol"), ("Acme", "OWNED_BY", "alice")),
        ("and not before", "2024-01-28", "2024-02-11",
         ("Acme", "OWNED_BY", "alice"), ("Acme", "OWNED_BY", "carol")),
        ("a corrected start moves it", "2023-05-15", "2024-01-11",
         ("Acme", "HAS_PLAN", "Pro"), ("Acme", "HAS_PLAN", "Team")),
        ("a withdrawn contract was believed before", "2024-02-10", "2024-02-11",
         ("Bolt", "HAS_PLAN", "Team"), ("Bolt", "HAS_PLAN", "Basic")),
        ("late rows of a log find their place", "2024-01-25", "2024-03-10T22:00",
         ("T1", "HAS_STATE", "waiting"), ("T1", "HAS_STATE", "open")),
        ("the last row of an instant counts", "2024-01-03T09:00", "2024-01-11",
         ("T1", "HAS_STATE", "open"), ("T1", "HAS_STATE", "new")),
        ("a record that vanished from a complete extract ended", "2024-03-10", "2024-03-10T22:00",
         ("Acme", "OWNED_BY", "bob"), ("Bolt", "OWNED_BY", "bob")),
        ("who left the source still worked there before", "2024-02-27", "2024-03-10T22:00",
         ("Ben Ito", "WORKS_AT", "Bolt"), ("Ben Ito", "WORKS_AT", "Acme")),
        ("and no longer after it", "2024-02-28", "2024-03-10T22:00",
         ("Cem Ok", "WORKS_AT", "Cobalt AG"), ("Ben Ito", "WORKS_AT", "Bolt")),
        ("an emptied owner has ended", "2024-03-10", "2024-03-10T22:00",
         ("Cobalt AG", "HAS_STATUS", "active"), ("Cobalt AG", "OWNED_BY", "carol")),
        ("a year starts with its first instant", "2021-01-01", "2024-01-11",
         ("Ben Ito", "WORKS_AT", "Bolt"), ("Ann Lee", "WORKS_AT", "Acme")),
    ],
)  # fmt: skip
def test_both_axes(undisturbed, what, valid, known, holds, not_so):
    believed = beliefs(undisturbed, valid, known)
    assert holds in believed, what
    assert not_so not in believed, what


def test_the_corrected_start_no_longer_holds_earlier(undisturbed):
    assert ("Acme", "HAS_PLAN", "Pro") not in beliefs(undisturbed, "2023-05-15", "2024-02-11")


def test_a_wrong_address_merges_two_people_until_it_is_corrected(undisturbed):
    from regesta import query

    graph = query.open(undisturbed / "warehouse" / "snapshots").group("north")
    ann, cem = graph.as_of().entity("Ann Lee"), graph.as_of().entity("Cem Ok")
    assert ann.entity_id != cem.entity_id
    merged = graph.as_of(known="2024-02-11")
    assert merged.entity("Ann Lee").entity_id == merged.entity("Cem Ok").entity_id == ann.entity_id


def lives(project: Path, entity: str, relation: str, known: str) -> list[tuple[str | None, ...]]:
    """Of all beliefs (object, reason it was given up, source item of that, why it had ended)."""
    from regesta import query

    graph = query.open(project / "warehouse" / "snapshots").group("north").as_of(known=known)
    told = map(graph.life, graph.history(entity, relation, all_beliefs=True))
    return [
        (
            life.fact.object or life.fact.value,
            life.expired and f"{life.expired.kind} {life.expired.episode.source_id}",
            life.ended and f"{life.ended.kind} {life.ended.episode.source_id}",
        )
        for life in told
    ]


@pytest.mark.parametrize(
    ("entity", "relation", "expected"),
    [
        ("Acme", "HAS_PLAN", [("Pro", "corrected k1", None), ("Pro", None, "stated k1")]),
        ("Bolt", "HAS_PLAN", [("Basic", None, "stated k2"), ("Team", "withdrawn k3", None)]),
        ("Ben Ito", "WORKS_AT", [("Bolt", "ended c2", None), ("Bolt", None, "ended c2")]),
        ("T1", "HAS_STATE", [
            ("open", "superseded T1/4", None), ("open", "superseded T1/3", "superseded T1/4"),
            ("open", None, "superseded T1/3"), ("waiting", None, "superseded T1/4"),
            ("closed", None, None),
        ]),
        ("Acme", "OWNED_BY", [
            ("alice", "ended a1", None), ("alice", "ended a1", "ended a1"),
            ("alice", None, "ended a1"), ("carol", None, "ended a1"), ("bob", None, None),
        ]),
        ("Ann Lee", "WORKS_AT", [("Acme", None, None), ("Cobalt AG", "revised c3", None)]),
        ("Cem Ok", "WORKS_AT", [("Cobalt AG", None, None)]),
    ],
)  # fmt: skip
def test_why_each_belief_ended(undisturbed, entity, relation, expected):
    assert lives(undisturbed, entity, relation, NIGHTS[2]) == expected


def test_rows_that_are_wrong_are_kept_with_their_reason(spark, undisturbed):
    from regesta.warehouse.warehouse import Warehouse

    rejected = Warehouse.open(spark, str(undisturbed / "warehouse")).current("rejected_rows")
    found = {(Path(r["path"]).name, r["row_number"]): r["reason"] for r in rejected.collect()}
    assert found.keys() == {("night0.jsonl", 3), ("night2.jsonl", 2)}
    assert "2024-02-30" in found["night2.jsonl", 2]


def test_what_was_known_at_a_past_time_never_changes(undisturbed):
    for valid in ("2023-05-15", "2024-01-09", "2024-02-10"):
        for night, known in enumerate(NIGHTS[:2]):
            then = undisturbed.with_name(f"after{night}")
            assert beliefs(then, valid, known) == beliefs(undisturbed, valid, known)


VALID = ("2021-06-01", "2023-05-15", "2024-01-03T09:00", "2024-01-28", "2024-02-20", "2024-03-10")


def test_one_night_many_nights_and_shuffled_rows_believe_the_same(spark, undisturbed, tmp_path):
    project = tmp_path / "one"
    conf = write_configuration(project)
    for night in (2, 0, 1):
        write_night(project, night)
    for archive in (project / "archive").glob("*/night*"):
        head, *rows = archive.read_text().splitlines(keepends=True)
        header, rows = ([head], rows) if archive.suffix == ".csv" else ([], [head, *rows])
        archive.write_text("".join([*header, *reversed(rows)]))
    run_night(spark, conf, NIGHTS[2])
    for valid in VALID:
        assert beliefs(project, valid, NIGHTS[2]) == beliefs(undisturbed, valid, NIGHTS[2])


def test_the_same_input_again_adds_nothing(spark, undisturbed, tmp_path):
    project = tmp_path / "again"
    shutil.copytree(undisturbed, project)
    before = tables_of(spark, project / "warehouse")
    for copied in (project / "archive").glob("*/night*"):
        copied.with_stem(f"{copied.stem}-again").write_bytes(copied.read_bytes())
    from regesta.pipeline import Run
    from regesta.query.times import to_micros

    open_pipeline(spark, project / "conf").run(Run(), to_micros("2024-04-01"))
    after = tables_of(spark, project / "warehouse")
    same = set(before) - {"batches", "deliveries", "rejected_rows", "heartbeats"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_a_rebuild_gives_every_row_of_the_nightly_batches(spark, undisturbed, tmp_path):
    from regesta import query
    from regesta.config import load
    from regesta.rebuild.rebuild import rebuild
    from regesta.warehouse.warehouse import Warehouse

    project = tmp_path / "rebuilt"
    shutil.copytree(undisturbed, project)
    before = tables_of(spark, project / "warehouse")
    reader = query.open(project / "warehouse" / "snapshots").group("north")
    told = []
    warehouse = Warehouse.open(spark, str(project / "warehouse"))
    found = rebuild(warehouse, load(project / "conf"), told.append, new_generation=False)
    assert found.is_swapped_in
    assert {each.table: each.counts for each in found.tables if each.counts} == {}
    assert {each.table: (each.rows_before, each.rows_after) for each in found.tables} == {
        each.table: (len(before[each.table]),) * 2 for each in found.tables
    }
    assert warehouse.newest().generation == 2
    assert tables_of(spark, project / "warehouse") == before
    assert "batch 2, 1 of 3 replayed, about " in " ".join(told)
    assert ("Acme", "OWNED_BY", "bob") in {
        (fact.subject, fact.relation, fact.object) for fact in reader.as_of().facts()
    }
    for valid in VALID:
        assert beliefs(project, valid, NIGHTS[1]) == beliefs(undisturbed, valid, NIGHTS[1])


class CrashError(Exception):
    """Stands for a process that dies at a write."""


class Crashes:
    """Lets writes fail, each once before it is done and once after: one crash a run.

    A run that crashed writes no more, whatever other threads of it were about to do. `at` names the
    writes that fail; without it all do.
    """

    def __init__(self, monkeypatch, at=()):
        from regesta.warehouse.files import Files
        from regesta.warehouse.warehouse import Warehouse

        self.at = set(at)
        self.crashed: set[tuple] = set()
        self.is_down = False
        self.lock = threading.Lock()
        for owner, name in ((Warehouse, "append_some"), (Warehouse, "close"), (Files, "write")):
            monkeypatch.setattr(owner, name, self._crashing(getattr(owner, name), name))

    def _crashing(self, write, name):
        def crashing(self_, what, *args, **kwargs):
            label = (name, what, kwargs.get("purpose", ""))
            self._crash(("before", *label))
            done = write(self_, what, *args, **kwargs)
            self._crash(("after", *label))
            return done

        return crashing

    def _crash(self, point):
        with self.lock:
            wanted = point[1:3] in self.at if self.at else "fence" not in point[2]
            if self.is_down:
                raise CrashError("down")
            if wanted and point not in self.crashed:
                self.crashed.add(point)
                self.is_down = True
                raise CrashError(point)


def run_until_done(spark, project: Path, night: int, crashing: Crashes) -> int:
    """Start the night again after every crash; return how often it crashed."""
    for crashes in range(200):
        crashing.is_down = False
        try:
            run_night(spark, project / "conf", NIGHTS[night])
        except CrashError:
            continue
        return crashes
    raise AssertionError("the night never ends")


def crash_and_compare(spark, undisturbed, project, monkeypatch, at=()) -> int:
    shutil.copytree(undisturbed.with_name("after1"), project)
    for read_before in (project / "archive").glob("*/night*"):
        read_before.unlink()  # in another place these would be other files
    write_night(project, 2)
    crashes = Crashes(monkeypatch, at)
    times = run_until_done(spark, project, 2, crashes)
    assert times == len(crashes.crashed)
    expected, found = (tables_of(spark, p / "warehouse") for p in (undisturbed, project))
    assert blurred(found) == blurred(expected)
    return times


def test_a_failure_in_every_step_leaves_no_trace(spark, undisturbed, tmp_path, monkeypatch):
    tables = ("supersessions", "statements", "facts", "batches")
    writes = [("append_some", table) for table in tables]
    project = tmp_path / "crashing"
    assert crash_and_compare(spark, undisturbed, project, monkeypatch, at=writes) == 8


@pytest.mark.long
def test_a_failure_at_each_write_in_turn_leaves_no_trace(spark, undisturbed, tmp_path, monkeypatch):
    assert crash_and_compare(spark, undisturbed, tmp_path / "crashing", monkeypatch) > 50


SQL_VALID = ("2023-06-01", "2024-01-05", "2024-02-01", "2024-03-05")
SQL_CALLS = (
    *(f"facts_as_of('{valid}', '{known}')" for valid in SQL_VALID for known in NIGHTS[:2]),
    *(f"entities_as_of('{known}')" for known in NIGHTS[:2]),
    *(f"facts_between('{SQL_VALID[1]}', '{SQL_VALID[2]}', '{known}')" for known in NIGHTS[:2]),
    f"communities_as_of('{NIGHTS[1]}')",
    f"members_as_of('{NIGHTS[1]}')",
    "fact_history('Acme')",
    *("facts", "entities", "communities", "members", "all_facts", "all_evidence"),
)


def test_table_functions_of_spark_and_duckdb_give_the_same_rows(spark, undisturbed):
    import regesta
    from regesta.sql.duck import connect

    warehouse = undisturbed.with_name("after1") / "warehouse"
    regesta.register(spark, str(warehouse))
    database = connect(warehouse / "snapshots")
    empty = []
    for call in SQL_CALLS:
        query = f"SELECT group_id, count(*), min(row_id), max(row_id) FROM {call} GROUP BY group_id"
        if call.startswith("members"):
            query = query.replace("row_id", "entity_id")
        in_spark = sorted(map(tuple, spark.sql(query).collect()))
        assert in_spark == sorted(database.execute(query).fetchall()), call
        empty += [] if in_spark else [call]
    assert all(SQL_VALID[0] in call for call in empty)  # the others compare something


def test_table_functions_of_a_warehouse_without_a_batch_are_refused(spark, tmp_path):
    import regesta
    from regesta.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match="holds no batch yet"):
        regesta.register(spark, str(tmp_path / "nothing"))
