"""The shipped archive answers as its stories say, on both axes of time.

The expected answers are worked out by hand from the archive: conf/demo/generator tells the stories.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import regesta
from projects import run_night

ROOT = Path(__file__).resolve().parents[1]
NIGHTS = ("2024-04-01", "2024-05-01", "2024-07-01")


class AsOf(NamedTuple):
    """What is believed on `known` about `valid`; "north: Acme" is Acme of the group north."""

    subject: str
    relation: str
    valid: str
    known: str
    objects: set[str]


OWNER_CORRECTED = [
    # The extract of 4 March named Bruno; delivered again on 20 April, it names Alice: he came on
    # the 18th.
    AsOf("north: Acme", "OWNED_BY", "2023-12-31", "2024-06-30", set()),
    AsOf("north: Acme", "OWNED_BY", "2024-02-01", "2024-04-10", {"Alice Moreau"}),
    AsOf("north: Acme", "OWNED_BY", "2024-03-10", "2024-03-05", {"Alice Moreau"}),
    AsOf("north: Acme", "OWNED_BY", "2024-03-10", "2024-04-10", {"Bruno Keller"}),
    AsOf("north: Acme", "OWNED_BY", "2024-03-10", "2024-05-01", {"Alice Moreau"}),
    AsOf("north: Acme", "OWNED_BY", "2024-03-20", "2024-04-10", {"Bruno Keller"}),
    AsOf("north: Acme", "OWNED_BY", "2024-03-20", "2024-05-01", {"Bruno Keller"}),
]
SNAPSHOTS = [
    # The extract of 2 April came on 13 May: until then the plan was first seen changed on the 15th.
    AsOf("north: Tidewater Labs", "HAS_PLAN", "2024-04-05", "2024-05-10", {"basic"}),
    AsOf("north: Tidewater Labs", "HAS_PLAN", "2024-04-05", "2024-05-14", {"pro"}),
    AsOf("north: Tidewater Labs", "HAS_PLAN", "2024-04-20", "2024-05-10", {"pro"}),
    # An owner left empty was taken off; a plan "n/a" says nothing.
    AsOf("north: Ostara Media", "OWNED_BY", "2024-05-05", "2024-06-30", {"Edgar Stone"}),
    AsOf("north: Ostara Media", "OWNED_BY", "2024-05-06", "2024-06-30", set()),
    AsOf("north: Borealis Energy", "HAS_PLAN", "2024-03-25", "2024-06-30", {"enterprise"}),
    # An account that the complete extract of 15 April lacks has left.
    AsOf("north: Vela Yachts", "HAS_STATUS", "2024-03-10", "2024-06-30", {"active"}),
    AsOf("north: Vela Yachts", "HAS_STATUS", "2024-04-14", "2024-06-30", {"notice given"}),
    AsOf("north: Vela Yachts", "HAS_STATUS", "2024-04-15", "2024-06-30", set()),
    AsOf("north: Quill & Co", "BASED_IN", "2024-03-03", "2024-06-30", set()),
    AsOf("north: Quill & Co", "BASED_IN", "2024-03-04", "2024-06-30", {"Hamburg"}),
]
TICKETS = [
    # P1 since 6 March, recorded on the 20th.
    AsOf("north: T-1001", "HAS_PRIORITY", "2024-03-07", "2024-03-10", {"P3"}),
    AsOf("north: T-1001", "HAS_PRIORITY", "2024-03-07", "2024-03-25", {"P1"}),
    # 09:00 and 10:00 in Berlin are 08:00 and 09:00 UTC in winter.
    AsOf("north: T-1001", "HAS_STATUS", "2024-03-05T07:59", "2024-06-30", set()),
    AsOf("north: T-1001", "HAS_STATUS", "2024-03-05T08:59", "2024-06-30", {"open"}),
    AsOf("north: T-1001", "HAS_STATUS", "2024-03-05T09:00", "2024-06-30", {"in progress"}),
    AsOf("north: T-1001", "RAISED_BY", "2024-03-06", "2024-06-30", {"Acme"}),
    AsOf("north: T-1001", "ASSIGNED_TO", "2024-03-10", "2024-06-30", {"Jonas Weber"}),
    AsOf("north: T-1001", "ASSIGNED_TO", "2024-03-23", "2024-06-30", set()),
]
CONTACTS = [
    # Petra left Acme on 30 April for Borealis, which was saved on 20 May.
    AsOf("north: Petra Novak", "WORKS_AT", "2024-04-30", "2024-06-01", {"Acme"}),
    AsOf("north: Petra Novak", "WORKS_AT", "2024-05-10", "2024-05-15", {"Acme"}),
    AsOf("north: Petra Novak", "WORKS_AT", "2024-05-10", "2024-06-01", {"Borealis Energy"}),
    # Rosa's start was corrected from May to November on 11 March.
    AsOf("south: Rosa Vidal", "WORKS_AT", "2023-06-01", "2024-02-01", {"Acme"}),
    AsOf("south: Rosa Vidal", "WORKS_AT", "2023-06-01", "2024-04-01", set()),
    AsOf("south: Rosa Vidal", "WORKS_AT", "2023-12-01", "2024-04-01", {"Acme"}),
    # Greta rose at her hotel on 7 March, which was saved on the 16th: one post ends, she stays.
    AsOf("north: Greta Gomes", "HAS_TITLE", "2024-03-10", "2024-03-15", {"Buyer"}),
    AsOf("north: Greta Gomes", "HAS_TITLE", "2024-03-10", "2024-03-20", {"Director"}),
    AsOf("north: Greta Gomes", "WORKS_AT", "2024-03-10", "2024-03-20", {"Northgate Hotels"}),
    # A title, another one, and the first one again: three versions, none of them lost.
    AsOf("north: Nils Ahlgren", "HAS_TITLE", "2024-01-01", "2024-01-20", {"Engineer"}),
    AsOf("north: Nils Ahlgren", "HAS_TITLE", "2024-01-01", "2024-02-20", {"Controller"}),
    AsOf("north: Nils Ahlgren", "HAS_TITLE", "2024-01-01", "2024-03-20", {"Engineer"}),
]
CONTRACTS = [
    # The start of Acme's gateway contract was corrected from January to February on 10 April.
    # Its other contract names it "ACME", without a number.
    AsOf(
        *("north: Acme", "SUBSCRIBES_TO", "2024-01-15", "2024-03-01"),
        {"Gateway Plus", "Leak Guard"},
    ),
    AsOf("north: Acme", "SUBSCRIBES_TO", "2024-01-15", "2024-05-01", {"Leak Guard"}),
    # Borealis' contract was called void on 20 March: it never held.
    AsOf(
        *("north: Borealis Energy", "SUBSCRIBES_TO", "2024-02-15", "2024-03-01"),
        {"Energy Meter", "Leak Guard"},
    ),
    AsOf("north: Borealis Energy", "SUBSCRIBES_TO", "2024-02-15", "2024-04-01", {"Leak Guard"}),
    # Vela's was cut short on 19 March, to a last day of 14 April.
    AsOf("north: Vela Yachts", "SUBSCRIBES_TO", "2024-06-01", "2024-03-01", {"Leak Guard"}),
    AsOf("north: Vela Yachts", "SUBSCRIBES_TO", "2024-04-14", "2024-04-01", {"Leak Guard"}),
    AsOf("north: Vela Yachts", "SUBSCRIBES_TO", "2024-04-15", "2024-04-01", set()),
]
MESSAGES = [
    # "I report to Elsa Ito since 4 March", wrote Petra on the 8th; no record says so.
    AsOf("north: Petra Novak", "REPORTS_TO", "2024-03-03", "2024-06-30", set()),
    AsOf("north: Petra Novak", "REPORTS_TO", "2024-03-04", "2024-06-30", {"Elsa Ito"}),
]
GROUPS = [
    # Both units know an Acme and a Petra Novak; neither knows the other's.
    AsOf("south: Acme", "OWNED_BY", "2024-03-10", "2024-04-10", {"Carla Ibarra"}),
    AsOf("south: Acme", "HAS_PLAN", "2024-03-10", "2024-04-10", {"enterprise"}),
    AsOf("south: Acme", "BASED_IN", "2024-03-10", "2024-04-10", {"Sevilla"}),
    AsOf("south: Petra Novak", "WORKS_AT", "2024-05-10", "2024-06-01", {"Bodega Real"}),
]
EXPECTED = [*OWNER_CORRECTED, *SNAPSHOTS, *TICKETS, *CONTACTS, *CONTRACTS, *MESSAGES, *GROUPS]
REJECTED = {"accounts": 2, "contacts": 3, "tickets": 3}


@pytest.fixture(scope="module")
def nights(spark, tmp_path_factory):
    """The demo's warehouse after its three nights, and what each of them reported."""
    folder = tmp_path_factory.mktemp("demo")
    reports = []
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REGESTA_WAREHOUSE", str(folder / "warehouse"))
        environment.setenv("DEMO_ARCHIVE", str(folder / "archive"))
        for night in NIGHTS:
            shutil.copytree(ROOT / "conf" / "demo" / "archive" / night, folder / "archive" / night)
            reports.append(run_night(spark, ROOT / "conf" / "demo", night))
    return folder / "warehouse", reports


@pytest.fixture(scope="module")
def snapshot(nights):
    return regesta.open(nights[0] / "snapshots")


@pytest.mark.spark
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda case: " ".join(case[:4]))
def test_as_of(snapshot, expected):
    group, subject = expected.subject.split(": ")
    graph = snapshot.group(group).as_of(valid=expected.valid, known=expected.known)
    found = graph.facts(subject=subject, relation=expected.relation)
    assert {fact.object or fact.value for fact in found} == expected.objects


@pytest.mark.spark
def test_groups_know_nothing_of_each_other(snapshot):
    assert snapshot.groups() == ["north", "south"]
    names = {
        group: {entity.name for entity in snapshot.group(group).entities()}
        for group in snapshot.groups()
    }
    assert "Alice Moreau" in names["north"] - names["south"]
    assert "Carla Ibarra" in names["south"] - names["north"]


@pytest.mark.spark
def test_another_name_is_the_same_person(snapshot):
    north = snapshot.group("north")
    before = north.as_of(known="2024-04-01").entity("Maria Santos")
    after = north.as_of(known="2024-05-01").entity("Maria Oliveira")
    assert before.entity_id == after.entity_id
    assert before.name == "Maria Santos"
    assert after.name == "Maria Oliveira"


@pytest.mark.spark
def test_a_withdrawn_contact_is_no_longer_believed(snapshot):
    north = snapshot.group("north")
    before = north.as_of(known="2024-02-01").facts(relation="WORKS_AT", object="Acme")
    after = north.as_of(known="2024-04-01").facts(relation="WORKS_AT", object="Acme")
    assert "Test Contact" in {fact.subject for fact in before}
    assert "Test Contact" not in {fact.subject for fact in after}


@pytest.mark.spark
def test_a_shared_reception_address_joins_nobody(snapshot):
    north = snapshot.group("north").as_of(valid="2024-01-20", known="2024-01-31")
    staff = north.facts(relation="WORKS_AT", object="Northgate Hotels")
    names = {"Greta Gomes", "Tilda Arendt", "Karin Fuchs", "Chiara Björk"}
    assert {fact.subject for fact in staff} == names
    assert len({fact.subject_id for fact in staff}) == 4


@pytest.mark.spark
def test_search_finds_the_ticket_and_why_quotes_the_log(snapshot):
    north = snapshot.group("north")
    hit = north.search("gateway offline after firmware update")[0].fact
    assert hit.subject == "T-1001"
    [explanation] = north.why(hit)
    [evidence] = explanation.evidence
    assert evidence.source == "tickets"
    assert "Gateway Plus is offline after the firmware update" in evidence.quote


@pytest.mark.spark
def test_a_ticket_is_found_by_other_words_than_its_own(snapshot):
    best = snapshot.group("north").search("router dead after upgrade")[0]
    assert best.fact.text == "T-1001 is about Gateway Plus is offline after the firmware update"
    assert best.ranks == {"cosine": 1}


@pytest.mark.spark
def test_every_text_was_embedded_once(nights):
    published = [report.steps["publish"] for report in nights[1]]
    assert all(counts["embedded"] > 0 for counts in published)
    assert sum(counts["embedded"] for counts in published) < sum(
        counts["rows"] for counts in published
    )


@pytest.mark.spark
def test_a_message_is_found_until_it_was_removed_and_a_note_as_it_read(snapshot):
    north = snapshot.group("north")
    [message] = north.as_of(known="2024-04-21").search("mobile", recipe="episode_bm25")
    assert (message.episode.source_id, message.episode.author) == ("T-1001/5", "Petra Novak")
    assert len(north.search("mobile", recipe="episode_bm25")) == 0
    nearest = north.search("mobile", recipe="episode_cosine", limit=1000)
    assert message.episode.episode_id not in {hit.episode.episode_id for hit in nearest}
    [edited] = north.search("dead offline firmware", scope="episodes", limit=1)
    assert edited.episode.content == "The gateway is offline since the update."
    [first] = north.as_of(known="2024-04-01").search("decides about sensors", recipe="episode_bm25")
    assert first.episode.source_id == "acme.md#Acme/Who is who#1"
    assert len(north.search("decides about sensors", recipe="episode_bm25")) == 0


@pytest.mark.spark
def test_what_the_second_night_changed_about_acme(snapshot):
    """The extract of 20 April moved the change of owner, a contract's start was corrected."""
    changes = snapshot.group("north").as_of().diff(known=NIGHTS[:2], about="Acme")
    corrected = {(c.after.object, c.before.dates, c.after.dates) for c in changes if c.before}
    assert ("Alice Moreau", "2024-01-08 to 2024-03-04", "2024-01-08 to 2024-03-18") in corrected


@pytest.mark.spark
def test_half_a_year_is_three_batches_and_broken_rows_are_counted(nights):
    assert all(report.complete for report in nights[1])
    sources = [report.steps["ingest"]["sources"] for report in nights[1]]
    rejected = Counter()
    for night in sources:
        rejected.update({name: counts["rejected"] for name, counts in night.items()})
    assert {name: count for name, count in rejected.items() if count} == REJECTED
    # The log repeats three lines at the start of four files.
    assert sum(night["tickets"]["unchanged"] for night in sources) == 12
