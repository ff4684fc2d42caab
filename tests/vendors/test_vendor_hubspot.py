"""HubSpot: CRM objects with the history of their properties, as pages of its API hold them."""

from __future__ import annotations

from vendor_archive import entities, episode, said


def version(value, at, source="CRM_UI", user=42):
    return {
        "value": value, "timestamp": at, "sourceType": source, "sourceId": f"userId:{user}",
        "updatedByUserId": user,
    }  # fmt: skip


DEAL = {
    "id": "1234", "archived": False,
    "createdAt": "2024-03-01T10:00:00.000Z", "updatedAt": "2024-03-05T10:00:00.000Z",
    "properties": {
        "dealname": "Renewal", "dealstage": "closedwon", "amount": None,
        "closedate": "2024-03-05T10:00:00Z", "hubspot_owner_id": "77",
    },
    "propertiesWithHistory": {
        # The newest first.
        "dealstage": [
            version("closedwon", "2024-03-05T10:00:00.000Z"),
            version("appointmentscheduled", "2024-03-01T10:00:00.000Z", source="API"),
        ],
        "amount": [
            version("", "2024-03-04T10:00:00.000Z"),
            version("1000", "2024-03-01T10:00:00.000Z"),
        ],
        "hubspot_owner_id": [version("77", "2024-03-01T10:00:00.000Z")],
        "hs_forecast_category": [version("commit", "2024-03-02T10:00:00.000Z")],
    },
    "associations": {"companies": {"results": [
        {"id": "555", "type": "deal_to_company"},
        {"id": "555", "type": "deal_to_company_unlabeled"},
    ]}},
}  # fmt: skip


def test_each_version_of_a_property_is_an_episode(archive):
    archive.write("hubspot/deals/page1.json", {"results": [DEAL], "paging": {"next": {}}})
    for kind in ("companies", "contacts", "tickets"):
        archive.write(f"hubspot/{kind}/empty.json", {"results": []})
    rows = archive.rows("hubspot_history")
    assert [(row.episode.source_id, said(row)) for row in rows] == [
        ("deals/1234/amount/2024-03-04T10:00:00.000Z", {("ends", "1234", "HAS_AMOUNT")}),
        ("deals/1234/amount/2024-03-01T10:00:00.000Z", {("1234", "HAS_AMOUNT", "1000")}),
        (
            "deals/1234/dealstage/2024-03-05T10:00:00.000Z",
            {("1234", "HAS_STAGE", "closedwon")},
        ),
        (
            "deals/1234/dealstage/2024-03-01T10:00:00.000Z",
            {("1234", "HAS_STAGE", "appointmentscheduled")},
        ),
        (
            "deals/1234/hs_forecast_category/2024-03-02T10:00:00.000Z",
            {("1234", "HAS_FIELD_HS_FORECAST_CATEGORY", "commit")},
        ),
        ("deals/1234/hubspot_owner_id/2024-03-01T10:00:00.000Z", {("1234", "OWNED_BY", "77")}),
    ]
    assert episode(rows[0])[2:4] == ("2024-03-04 10:00:00", "2024-03-04 10:00:00")
    assert entities(rows[-1]) == {
        ("Opportunity", "1234", ("hubspot_deal:1234",)),
        ("Person", "77", ("hubspot_owner:77",)),
    }


def test_the_kind_of_object_is_told_by_the_folder(archive):
    def page(**history):
        return {"results": [{"id": "9", "propertiesWithHistory": history}]}

    at = "2024-03-01T10:00:00Z"
    archive.write("hubspot/companies/1.json", page(name=[version("Acme", at)]))
    archive.write("hubspot/contacts/1.json", page(jobtitle=[version("CTO", at)]))
    archive.write("hubspot/deals/1.json", page(dealstage=[version("won", at)]))
    archive.write("hubspot/tickets/1.json", page(hubspot_owner_id=[version("77", at)]))
    rows = archive.rows("hubspot_history")
    assert [said(row) for row in rows] == [
        {("9", "HAS_NAME", "Acme")},
        {("9", "HAS_TITLE", "CTO")},
        {("9", "HAS_STAGE", "won")},
        {("9", "ASSIGNED_TO", "77")},
    ]
    labels = [{label for label, name, _ in entities(row) if name == "9"} for row in rows]
    assert labels == [{"Account"}, {"Person"}, {"Opportunity"}, {"Ticket"}]


def test_objects_as_they_are(archive):
    archive.write("hubspot/deals/1.json", {"results": [DEAL]})
    archive.write(
        "hubspot/companies/1.json",
        {"results": [
            {"id": "555", "archived": False, "updatedAt": "2024-03-01T10:00:00Z",
             "properties": {"name": "Acme GmbH", "domain": "acme.example", "industry": None,
                            "lifecyclestage": "customer", "city": "Oslo", "phone": None,
                            "hubspot_owner_id": "77"}},
            {"id": "556", "archived": True, "updatedAt": "2024-03-01T10:00:00Z",
             "archivedAt": "2024-03-01T10:00:00Z", "properties": {"name": "Gone"}},
        ]},
    )  # fmt: skip
    archive.write(
        "hubspot/contacts/1.json",
        {"results": [
            {"id": "12", "archived": False, "updatedAt": "2024-03-01T10:00:00Z",
             "properties": {"firstname": "Ann", "lastname": None, "email": "ann@acme.example",
                            "jobtitle": "CTO", "phone": None, "associatedcompanyid": "555",
                            "hubspot_owner_id": None}},
        ]},
    )  # fmt: skip
    archive.write(
        "hubspot/tickets/1.json",
        {"results": [
            {"id": "31", "archived": False, "updatedAt": "2024-03-01T10:00:00Z",
             "properties": {"subject": "No power", "hs_pipeline_stage": "1",
                            "hs_ticket_priority": "HIGH", "hubspot_owner_id": "77"},
             "associations": {"contacts": {"results": [{"id": "12", "type": "x"}]}}},
        ]},
    )  # fmt: skip
    archive.write(
        "hubspot/owners/1.json",
        {"results": [{"id": "77", "email": "jane@us.example", "firstName": "Jane",
                      "lastName": "Doe", "userId": 42, "archived": False,
                      "updatedAt": "2024-01-01T00:00:00Z"}]},
    )  # fmt: skip
    (deal,) = archive.rows("hubspot_deals")
    assert said(deal) == {
        ("Renewal", "FOR_ACCOUNT", "555"),
        ("Renewal", "OWNED_BY", "77"),
        ("Renewal", "HAS_STAGE", "closedwon"),
        ("ends", "Renewal", "HAS_AMOUNT"),
        ("Renewal", "HAS_CLOSE_DATE", "2024-03-05T10:00:00Z"),
    }
    company, gone = archive.rows("hubspot_companies")
    assert ("Account", "Acme GmbH", ("domain:acme.example", "hubspot_company:555")) in (
        entities(company)
    )
    assert ("Acme GmbH", "LOCATED_IN", "Oslo") in said(company)
    assert ("ends", "Acme GmbH", "HAS_INDUSTRY") in said(company)
    assert episode(gone)[4] == "ended"
    (contact,) = archive.rows("hubspot_contacts")
    assert ("Person", "Ann", ("email:ann@acme.example", "hubspot_contact:12")) in entities(contact)
    assert {("Ann", "WORKS_AT", "555"), ("ends", "Ann", "OWNED_BY")} <= said(contact)
    (ticket,) = archive.rows("hubspot_tickets")
    assert said(ticket) == {
        ("Ticket 31", "HAS_SUBJECT", "No power"),
        ("Ticket 31", "HAS_STATUS", "1"),
        ("Ticket 31", "HAS_PRIORITY", "HIGH"),
        ("unknown", "Ticket 31", "FOR_ACCOUNT"),
        ("Ticket 31", "REPORTED_BY", "12"),
        ("Ticket 31", "ASSIGNED_TO", "77"),
    }
    (owner,) = archive.rows("hubspot_owners")
    assert entities(owner) == {
        ("Person", "Jane Doe", ("email:jane@us.example", "hubspot_owner:77"))
    }
