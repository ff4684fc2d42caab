from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path

import pytest
from nights import Nights

from regesta.errors import InputError
from regesta.ids import digest
from regesta.sources.loading import load_sources

pytestmark = pytest.mark.spark

CONF = Path(__file__).parents[2] / "conf" / "sources"


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def counts(ingested, source, *, without=("backdated", "restamped")):
    found = ingested.counts[source]
    return {key: count for key, count in found.items() if count and key not in without}


def day(number):
    return datetime.datetime(2020, 1, number)


def test_versions_night_by_night(spark, tmp_path):
    """By arrival: the same input again, A to B and back to A, another name for the same file."""
    nights = Nights(
        spark,
        tmp_path,
        {"source": "crm", "format": "jsonl", "mode": "interval", "source_id": "id", "content": "c"},
    )
    nights.write(a__jsonl=lines({"id": 1, "c": "A"}, {"id": 2, "c": "X"}))
    assert counts(nights.run(), "crm") == {"read": 2, "new": 2}
    assert nights.run().counts == {}

    nights.write(b__jsonl=lines({"id": 1, "c": "B"}, {"id": 1, "c": "B"}, {"id": 2, "c": "X"}))
    assert counts(nights.run(), "crm") == {"read": 3, "new": 1, "unchanged": 2}
    nights.write(c__jsonl=lines({"id": 1, "c": "A"}, {"id": 3, "c": "X"}))
    assert counts(nights.run(), "crm") == {"read": 2, "new": 2}
    nights.write(d__jsonl=lines({"id": 1, "c": "A"}, {"id": 3, "c": "X"}))
    assert counts(nights.run(), "crm") == {"read": 2, "unchanged": 2}

    found = nights.rows("episodes", "source_id", "place", "content", "batch", "episode_id")
    assert [(row[0], row[2], row[3]) for row in found] == [
        *(("1", "A", 1), ("1", "B", 3), ("1", "A", 4), ("2", "X", 1), ("3", "X", 4)),
    ]
    first, second, third = (row[4] for row in found[:3])
    superseded = nights.rows("supersessions", "episode_id", "superseded_by", "batch")
    assert sorted(superseded) == sorted([(first, second, 3), (second, third, 4)])
    assert len(nights.rows("deliveries", "path")) == 4
    series = digest("salt", "series", "crm", "1")
    item = digest("salt", "item", "crm", "1")
    assert (item, series) in nights.rows("episodes", "item_id", "series_id")


def test_late_versions_are_stamped_and_the_same_input_again_adds_nothing(spark, tmp_path):
    nights = Nights(
        spark,
        tmp_path,
        {
            "source": "log",
            "format": "jsonl",
            "mode": "event",
            "group": "group",
            "source_id": "id",
            "reference_time": "at",
            "known_at": "known",
        },
    )

    def event(id, known, group="g"):  # noqa: A002
        return {"id": id, "group": group, "at": "2020-01-01", "known": known}

    old = lines(event(1, "2020-01-02"), event(2, "2020-01-03"), event(1, "2020-01-04"))
    nights.write(a__jsonl=old)
    first = nights.run(1_578_700_000)  # 2020-01-10T23:46:40Z
    assert counts(first, "log", without=()) == {"read": 3, "new": 3, "backdated": 3}
    late = lines(event(3, "2020-01-05"), event(4, "2020-01-11"), event(5, "2020-01-05", "h"))
    nights.write(b__jsonl=late)
    second = counts(nights.run(1_579_000_000), "log", without=())
    assert second == {"read": 3, "new": 3, "backdated": 1, "restamped": 1}
    run = datetime.datetime(2020, 1, 14, 11, 6, 40)
    found = nights.table("episodes").select("source_id", "known_at", "attributes").collect()
    known = {row[0]: (row[1], row[2].get("source_known_at")) for row in found if row[0] > "1"}
    assert known == {
        "2": (day(3), None),
        "3": (run, "2020-01-05T00:00:00.000000Z"),  # the group was published
        "4": (day(11), None),
        "5": (day(5), None),  # a first load of its group
    }
    nights.write(c__jsonl=old, d__jsonl=late)
    assert counts(nights.run(1_580_000_000), "log") == {"read": 6, "unchanged": 6}
    assert len(set(nights.rows("episodes", "episode_id"))) == 6
    assert [row[0] for row in nights.rows("supersessions", "superseded_at")] == [day(4)]


SNAPSHOT = {
    "source": "crm",
    "format": "jsonl",
    "mode": "snapshot",
    "source_id": "id",
    "reference_time": "night",
    "content": "c",
    "complete": True,
    "max_rejected_share": 1,
}


def night(number, **contents):
    return lines(
        *({"id": id, "night": f"2020-01-{number:02}", "c": c} for id, c in contents.items())  # noqa: A001
    )


def test_complete_snapshots_with_late_deliveries(spark, tmp_path):
    nights = Nights(spark, tmp_path, SNAPSHOT)
    nights.write(n1__jsonl=night(1, a="A", b="B", c="C"), n3__jsonl=night(3, a="A", b="B2", c="C"))
    assert counts(nights.run(), "crm") == {"read": 6, "new": 4, "heartbeats": 2}
    rejected = '{"id": "b", "night": "2020-01-05"}\n'  # without content, but listed
    nights.write(n5__jsonl=night(5, a="A") + rejected)
    third = nights.run()
    assert counts(third, "crm") == {"read": 2, "heartbeats": 1, "rejected": 1, "ended": 1}
    late = night(4, a="A", c="C", x="X")
    nights.write(n4__jsonl=late)
    assert counts(nights.run(), "crm") == {"read": 3, "new": 1, "heartbeats": 2, "ended": 2}
    nights.write(n4_again__jsonl=late)
    assert counts(nights.run(), "crm") == {"read": 3, "unchanged": 3}

    found = nights.rows("episodes", "source_id", "reference_time", "removed", "content", "batch")
    assert found == [
        ("a", day(1), None, "A", 1),
        ("b", day(1), None, "B", 1),
        ("b", day(3), None, "B2", 1),
        ("b", day(4), "ended", "{}", 3),
        ("c", day(1), None, "C", 1),
        ("c", day(5), "ended", "{}", 2),
        ("x", day(4), None, "X", 3),
        ("x", day(5), "ended", "{}", 3),
    ]
    beats = nights.table("heartbeats").join(
        nights.table("episodes").select("episode_id", "source_id", "content"), on="episode_id"
    )
    assert sorted(map(tuple, beats.select("source_id", "content", "reference_time").collect())) == [
        *(("a", "A", day(3)), ("a", "A", day(4)), ("a", "A", day(5))),
        *(("c", "C", day(3)), ("c", "C", day(4))),
    ]
    ids = nights.rows("episodes", "source_id", "item_id")
    micros = (day(5) - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    assert ("x", digest("salt", "item", "crm", "x", micros)) in ids


def test_a_delivery_that_drops_too_much_is_refused(spark, tmp_path):
    nights = Nights(spark, tmp_path, SNAPSHOT | {"largest_drop": 0.5})
    nights.write(n1__jsonl=night(1, a="A", b="B", c="C"))
    nights.run()
    nights.write(n2__jsonl=night(2, a="A"))
    with pytest.raises(InputError) as caught:
        nights.run()
    assert str(caught.value) == (
        "source 'crm': the delivery of 2020-01-02T00:00:00Z lacks 2 of the 3 records of the one "
        "before (2020-01-01T00:00:00Z), more than largest_drop 0.5 allows.\n"
        "Deliver it again in full, or raise largest_drop if those records did end. "
        "Nothing was written."
    )
    nights.write(n2__jsonl=night(2, a="A", b="B"))
    assert counts(nights.run(), "crm") == {"read": 2, "heartbeats": 2, "ended": 1}


def test_the_lent_archives(spark, tmp_path, lent):
    paths = {
        "SERVICENOW_AUDIT": str(lent("data", "servicenow", "incident_event_log.csv")),
        "CONGRESS_EPISODES": str(lent("data", "congress", "episodes.jsonl.gz")),
    }
    nights = Nights(spark, tmp_path)
    nights.sources = load_sources(CONF, names=["servicenow", "congress"], environment=paths)
    ingested = nights.run(1_800_000_000)
    assert {name: counts(ingested, name) for name in ingested.counts} == {
        "servicenow": {"read": 5998, "new": 5998},
        "congress": {"read": 6134, "new": 6134},
    }
    with gzip.open(paths["CONGRESS_EPISODES"], "rt") as file:
        told = [json.loads(text) for text in file]
    seen, expected = {}, set()
    for one in reversed(told):  # a record is superseded by the next one that is no removal
        if one["source_id"] in seen:
            expected.add((one["source_id"], one["known_at"], seen[one["source_id"]]))
        if not one.get("removed"):
            seen[one["source_id"]] = one["known_at"]
    episodes = nights.table("episodes")
    found = nights.table("supersessions").join(episodes.drop("batch"), on="episode_id")
    rows = found.selectExpr(
        "source_id",
        "date_format(known_at, \"yyyy-MM-dd'T'HH:mm:ssX\")",
        "date_format(superseded_at, \"yyyy-MM-dd'T'HH:mm:ssX\")",
    )
    assert set(map(tuple, rows.collect())) == expected
    assert episodes.where("removed = 'no_information'").count() == 618
