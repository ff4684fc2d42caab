"""The cases that the documentation draws: the timeline function gives what the pictures show."""

from __future__ import annotations

from datetime import date
from xml.etree import ElementTree as ET

import pytest
import yaml
from cases import case_periods, read_cases
from draw import HERE, draw_all, drawn, file_name
from timeline_writing import Table, statement, triple, visible

from regesta.timeline.ontology import Ontology, Relation

FILE = HERE / "cases.yaml"
DATA = yaml.safe_load(FILE.read_text("utf-8"))
ONTOLOGY = Ontology.of(
    Relation(name, declared.get("cardinality", "many"), kind=declared.get("kind", "state"))
    for name, declared in DATA["ontology"].items()
)
TIMES = ("reference_time", "valid_at", "invalid_at")


def statements_of(case):
    """The statements, known as long as their version is the highest known one of its item."""
    found = []
    for version in case["versions"]:
        since, number = version["known_at"], version.get("version", 1)
        higher = [
            other["known_at"]
            for other in case["versions"]
            if other["item"] == version["item"] and other.get("version", 1) > number
        ]
        until = min(higher, default=None)
        if until is None or until > since:
            place = f"{version['item']}{number}"
            told = enumerate(version.get("statements", ()))
            found += [read({**case, **each}, f"{place}-{n}", since, until) for n, each in told]
    return found


def read(told, id_, since, until):
    said = told.get("reference_time") or told.get("valid_at") or since
    times = {**{name: told.get(name) for name in TIMES}, "reference_time": said}
    times |= {"known_from": since, "known_until": until}
    given = {name: told[name] for name in ("polarity", "authority", "temporary") if name in told}
    days = {name: None if day is None else day.toordinal() for name, day in times.items()}
    return statement(id_, told["subject"], told["relation"], told["object"], **given, **days)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["name"])
def test_the_timeline_believes_what_a_case_says(case):
    table = Table(ONTOLOGY)
    table.night(statements_of(case), max(case["believed"]).toordinal())
    assert {v["known_at"] for v in case["versions"]} == set(case["believed"])
    for known in case["believed"]:
        for state in ("believed", "disputed"):
            found = {
                (*triple(row.period), row.period.start, row.period.end)
                for row in table.facts.values()
                if visible(row, known.toordinal()) and row.period.disputed == (state == "disputed")
            }
            assert found == {ordinals(period) for period in case_periods(case, state, known)}


def ordinals(period):
    return tuple(each.toordinal() if isinstance(each, date) else each for each in period)


def test_each_rule_and_each_sequenced_delete_has_a_case():
    about = {case["about"].split(",")[0] for case in DATA["cases"]}
    assert about == {"sequenced delete", *(f"rule {number}" for number in range(1, 10))}
    deletes = [case["name"] for case in DATA["cases"] if case["about"] == "sequenced delete"]
    assert deletes == ["covers", "inside", "cuts head", "cuts tail"]


def test_the_pictures_are_those_of_the_cases_and_all_are_shown():
    pictures = {path.name: path.read_text("utf-8") for path in HERE.glob("*.svg")}
    assert pictures == {file_name(case): drawn(case) for case in read_cases(FILE)}
    page = HERE.with_suffix(".md").read_text("utf-8")
    assert [name for name in pictures if f"timeline/{name}" not in page] == []


def test_every_named_lent_case_can_be_drawn(lent, tmp_path):
    given = lent("timeline", "cases.json")
    cases, written = read_cases(given), draw_all(given, tmp_path)
    assert len(cases) == len(set(written)) > 50
    for case, path in zip(cases, written, strict=True):
        texts = [text.text for text in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        known = [text for text in texts if text.startswith("known on ")]
        assert len(known) == len(case.panels)
        assert ("believed" in texts) == any(panel.beliefs for panel in case.panels)
