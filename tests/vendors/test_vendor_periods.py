"""What is believed at the end of a vendor's change log: the periods of its fields, by hand."""

from __future__ import annotations

from regesta.config import load_ontology
from regesta.query.times import show
from regesta.timeline.rules import believed
from regesta.timeline.statement import Statement
from vendor_archive import CONF


def periods(rows, relation):
    """Periods of one relation as (object or value, start, end)."""
    statements = [
        Statement(
            id=f"{number}/{place}",
            subject=one.subject,
            relation=one.relation,
            object=one.object or one.value,
            polarity=one.polarity,
            retracts="asserts",
            reference_time=row.episode.reference_time,
            position=place,
            authority=10,
            valid_at=one.valid_at,
            invalid_at=one.invalid_at,
            temporary=False,
            known_from=row.episode.known_at,
            known_until=None,
        )
        for number, row in enumerate(rows)
        for place, one in enumerate(row.statements)
        if one.relation == relation
    ]
    found = believed(statements, load_ontology(CONF).for_timeline())
    return [(one.object, show(one.start), one.end and show(one.end)) for one in found]


def audit(number, day, *events):
    at = f"2024-03-0{day}T08:00:00Z"
    return {"id": number, "ticket_id": 47, "created_at": at, "author_id": 1, "events": events}


def changed(field, value):
    return {"type": "Change", "field_name": field, "value": value, "previous_value": None}


def test_tags_that_a_list_no_longer_holds_end(archive):
    archive.write(
        "zendesk/audits/47.json",
        {
            "audits": [
                audit(1, 1, changed("tags", ["vip", "eu"])),
                audit(2, 2, changed("tags", ["vip", "late"])),
                audit(3, 3, changed("tags", [])),
                audit(4, 4, changed("tags", ["vip"])),
            ]
        },
    )
    assert periods(archive.rows("zendesk_audits"), "HAS_TAG") == [
        ("eu", "2024-03-01 08:00:00", "2024-03-02 08:00:00"),
        ("late", "2024-03-02 08:00:00", "2024-03-03 08:00:00"),
        ("vip", "2024-03-01 08:00:00", "2024-03-03 08:00:00"),
        ("vip", "2024-03-04 08:00:00", None),
    ]


def test_a_field_that_no_ontology_names_holds_one_value_at_a_time(archive):
    archive.write(
        "zendesk/audits/47.json",
        {
            "audits": [
                audit(1, 1, changed("3601", "red")),
                audit(2, 2, changed("3601", "green")),
                audit(3, 3, changed("3601", None)),
            ]
        },
    )
    assert periods(archive.rows("zendesk_audits"), "HAS_FIELD_3601") == [
        ("green", "2024-03-02 08:00:00", "2024-03-03 08:00:00"),
        ("red", "2024-03-01 08:00:00", "2024-03-02 08:00:00"),
    ]


def test_versions_of_a_property_follow_each_other_in_whatever_order_they_are_listed(archive):
    def version(value, day):
        return {"value": value, "timestamp": f"2024-03-0{day}T08:00:00Z", "sourceType": "CRM_UI"}

    stages = [version("won", 5), version("talks", 2), version("new", 1)]
    for kind in ("companies", "contacts", "tickets"):
        archive.write(f"hubspot/{kind}/none.json", {"results": []})
    deal = {"id": "7", "propertiesWithHistory": {"dealstage": stages}}
    archive.write("hubspot/deals/1.json", {"results": [deal]})
    assert periods(archive.rows("hubspot_history"), "HAS_STAGE") == [
        ("new", "2024-03-01 08:00:00", "2024-03-02 08:00:00"),
        ("talks", "2024-03-02 08:00:00", "2024-03-05 08:00:00"),
        ("won", "2024-03-05 08:00:00", None),
    ]
