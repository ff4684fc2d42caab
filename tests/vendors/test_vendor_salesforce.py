"""Salesforce: object extracts and field history, as CSV exports of the API hold them."""

from __future__ import annotations

from vendor_archive import entities, episode, said

ACME, BOLT = "001Hs00001AAAAAIA4", "001Hs00001BBBBBIA4"
ANN, BEN = "003Hs00001CCCCCIA4", "003Hs00001DDDDDIA4"
JANE, JOHN = "005Hs00001EEEEEIA4", "005Hs00001FFFFFIA4"
QUEUE = "00GHs00001GGGGGIA4"
DEAL, CASE = "006Hs00001HHHHHIA4", "500Hs00001IIIIIIA4"


def test_accounts_of_two_extracts(archive):
    row = {
        "Id": ACME, "IsDeleted": "false", "Name": "Acme", "AccountNumber": "A-17",
        "Website": "https://www.acme.example", "Industry": "Energy", "ParentId": "",
        "BillingCity": "Oslo", "BillingCountry": "", "OwnerId": JANE, "Owner.Name": "Jane Doe",
        "Owner.Email": "jane@us.example", "SystemModstamp": "2024-03-01T10:00:00.000+0000",
    }  # fmt: skip
    later = row | {"Industry": "", "ParentId": BOLT, "SystemModstamp": "2024-04-01T10:00:00.000Z"}
    gone = later | {"IsDeleted": "true", "SystemModstamp": "2024-05-01T10:00:00.000Z"}
    archive.write("salesforce/Account/1.csv", [row])
    archive.write("salesforce/Account/2.csv", [later, gone])
    first, second, third = archive.rows("salesforce_accounts")
    assert episode(first) == (ACME, None, "2024-03-01 10:00:00", "2024-03-01 10:00:00", None)
    assert entities(first) == {
        ("Account", "Acme", ("account_number:a-17", "domain:acme.example",
                             f"salesforce_id:{ACME.lower()}")),
        ("Person", "Jane Doe", ("email:jane@us.example", f"salesforce_id:{JANE.lower()}")),
    }  # fmt: skip
    assert said(first) == {
        ("Acme", "OWNED_BY", "Jane Doe"),
        ("Acme", "HAS_INDUSTRY", "Energy"),
        ("Acme", "HAS_WEBSITE", "https://www.acme.example"),
        ("Acme", "LOCATED_IN", "Oslo"),
        ("ends", "Acme", "PART_OF"),
        # Columns that the extract lacks say nothing of what holds.
        *(("unknown", "Acme", f"HAS_{what}") for what in ("TYPE", "RATING", "REVENUE", "PHONE")),
    }
    assert {("ends", "Acme", "HAS_INDUSTRY"), ("Acme", "PART_OF", BOLT)} <= said(second)
    assert episode(third) == (ACME, None, "2024-05-01 10:00:00", "2024-05-01 10:00:00", "ended")
    assert (third.entities, third.statements) == ((), ())


def test_contacts(archive):
    archive.write(
        "salesforce/Contact/1.csv",
        [
            {"Id": ANN, "IsDeleted": "false", "FirstName": "Ann", "LastName": "Lee", "Name": "",
             "Email": "Ann@Acme.example", "Title": "CTO", "Phone": "", "AccountId": ACME,
             "ReportsToId": BEN, "OwnerId": JANE, "Department": "",
             "SystemModstamp": "2024-03-01T10:00:00Z"},
        ],
    )  # fmt: skip
    (row,) = archive.rows("salesforce_contacts")
    assert ("Person", "Ann Lee", ("email:ann@acme.example", f"salesforce_id:{ANN.lower()}")) in (
        entities(row)
    )
    assert said(row) == {
        ("Ann Lee", "WORKS_AT", ACME),
        ("Ann Lee", "REPORTS_TO", BEN),
        ("Ann Lee", "OWNED_BY", JANE),
        ("Ann Lee", "HAS_TITLE", "CTO"),
        ("Ann Lee", "HAS_EMAIL", "Ann@Acme.example"),
        ("ends", "Ann Lee", "HAS_PHONE"),
        ("ends", "Ann Lee", "HAS_DEPARTMENT"),
    }


def test_a_case_passes_from_a_queue_to_a_person(archive):
    case = {
        "Id": CASE, "CaseNumber": "00001026", "AccountId": ACME, "ContactId": ANN,
        "Contact.Email": "ann@acme.example", "ParentId": "", "Subject": "No power",
        "Status": "New", "Priority": "High", "Type": "", "Reason": "", "OwnerId": QUEUE,
        "Owner.Name": "Tier 1", "IsDeleted": "false", "SystemModstamp": "2024-03-01T10:00:00Z",
    }  # fmt: skip
    taken = {"OwnerId": JANE, "Owner.Name": "Jane Doe", "SystemModstamp": "2024-03-02T10:00:00Z"}
    archive.write("salesforce/Case/1.csv", [case, case | taken])
    new, assigned = archive.rows("salesforce_cases")
    assert new.episode.thread == "00001026"
    assert said(new) == {
        ("Case 00001026", "FOR_ACCOUNT", ACME),
        ("Case 00001026", "REPORTED_BY", ANN),
        ("ends", "Case 00001026", "ASSIGNED_TO"),
        ("Case 00001026", "ASSIGNED_TO_GROUP", "Tier 1"),
        ("ends", "Case 00001026", "PART_OF"),
        ("Case 00001026", "HAS_SUBJECT", "No power"),
        ("Case 00001026", "HAS_STATUS", "New"),
        ("Case 00001026", "HAS_PRIORITY", "High"),
        ("ends", "Case 00001026", "HAS_TYPE"),
        ("ends", "Case 00001026", "HAS_CATEGORY"),
    }
    assert said(assigned) - said(new) == {
        ("Case 00001026", "ASSIGNED_TO", "Jane Doe"),
        ("ends", "Case 00001026", "ASSIGNED_TO_GROUP"),
    }
    assert ("Person", ANN, ("email:ann@acme.example", f"salesforce_id:{ANN.lower()}")) in (
        entities(new)
    )


def history(number, parent, field, old, new, **more):
    return {
        "Id": f"017Hs0000{number}", "IsDeleted": "false", **parent, "CreatedById": JANE,
        "CreatedDate": f"2024-03-0{number}T08:30:00.000+0000", "Field": field,
        "OldValue": old, "NewValue": new, **more,
    }  # fmt: skip


def test_field_history_of_accounts(archive):
    acme = {"AccountId": ACME}
    archive.write(
        "salesforce/AccountHistory/AccountHistory.csv",
        [
            history(1, acme, "created", "", ""),
            history(2, acme, "Industry", "Energy", "Media"),
            history(3, acme, "Region__c", "EMEA", ""),
            # An owner changes by two rows: names, and ids.
            history(4, acme, "Owner", "Jane Doe", "John Roe"),
            history(5, acme, "Owner", JANE, JOHN),
            history(6, acme, "Parent", ACME, ""),
            history(7, acme, "Description", "", ""),  # a long text: values are not kept
            history(8, acme, "Name", "Acme", "Acme Corp", IsDeleted="true"),
        ],
    )
    rows = archive.rows("salesforce_history")
    assert [said(row) for row in rows] == [
        set(),
        {(ACME, "HAS_INDUSTRY", "Media")},
        {("ends", ACME, "HAS_FIELD_REGION_C")},
        set(),
        {(ACME, "OWNED_BY", JOHN)},
        {("ends", ACME, "PART_OF", ACME)},
        set(),
        set(),
    ]
    assert [episode(row)[4] for row in rows] == [None] * 7 + ["no_information"]
    assert episode(rows[1])[2:4] == ("2024-03-02 08:30:00", "2024-03-02 08:30:00")
    assert rows[1].episode.author == JANE
    assert entities(rows[4]) == {
        ("Account", ACME, (f"salesforce_id:{ACME.lower()}",)),
        ("Person", JOHN, (f"salesforce_id:{JOHN.lower()}",)),
    }


def test_field_history_of_contacts_opportunities_and_cases(archive):
    archive.write("salesforce/AccountHistory/none.csv", "Id,AccountId,Field\n")
    archive.write(
        "salesforce/ContactHistory/1.csv",
        [
            history(1, {"ContactId": ANN}, "Account", ACME, BOLT),
            history(2, {"ContactId": ANN}, "Email", "ann@acme.example", "ann@bolt.example"),
        ],
    )
    archive.write(
        "salesforce/OpportunityFieldHistory/1.csv",
        [
            history(3, {"OpportunityId": DEAL}, "StageName", "Prospecting", "Closed Won"),
            history(4, {"OpportunityId": DEAL}, "Amount", "1000.0", ""),
        ],
    )
    archive.write(
        "salesforce/CaseHistory/1.csv",
        [
            history(5, {"CaseId": CASE}, "ownerAccepted", QUEUE, JANE),
            history(6, {"CaseId": CASE}, "Owner", JANE, QUEUE),
            history(7, {"CaseId": CASE}, "Contact", ANN, BEN),
            history(8, {"CaseId": CASE}, "Status", "New", "Closed"),
        ],
    )
    assert [said(row) for row in archive.rows("salesforce_history")] == [
        {(ANN, "WORKS_AT", BOLT), ("ends", ANN, "WORKS_AT", ACME)},
        {
            (ANN, "HAS_EMAIL", "ann@bolt.example"),
            ("ends", ANN, "HAS_EMAIL", "ann@acme.example"),
        },
        {(DEAL, "HAS_STAGE", "Closed Won")},
        {("ends", DEAL, "HAS_AMOUNT")},
        {(CASE, "ASSIGNED_TO", JANE), ("ends", CASE, "ASSIGNED_TO_GROUP")},
        {("ends", CASE, "ASSIGNED_TO"), (CASE, "ASSIGNED_TO_GROUP", QUEUE)},
        {(CASE, "REPORTED_BY", BEN), ("ends", CASE, "REPORTED_BY", ANN)},
        {(CASE, "HAS_STATUS", "Closed")},
    ]


def test_opportunities_their_stages_and_users(archive):
    archive.write(
        "salesforce/Opportunity/1.csv",
        [{"Id": DEAL, "IsDeleted": "false", "Name": "Renewal", "AccountId": ACME,
          "StageName": "Prospecting", "Amount": "1000.0", "CloseDate": "2024-06-30",
          "OwnerId": JANE, "Probability": "10", "Type": "",
          "SystemModstamp": "2024-03-01T10:00:00Z"}],
    )  # fmt: skip
    archive.write(
        "salesforce/OpportunityHistory/1.csv",
        [{"Id": "008A", "OpportunityId": DEAL, "StageName": "Closed Won", "Amount": "",
          "CloseDate": "2024-05-02", "Probability": "100", "CreatedById": JANE,
          "CreatedDate": "2024-05-02T07:00:00Z", "IsDeleted": "false"}],
    )  # fmt: skip
    archive.write(
        "salesforce/User/1.csv",
        [{"Id": JANE, "Name": "Jane Doe", "Email": "jane@us.example", "Title": "AE",
          "Department": "", "ManagerId": JOHN, "SystemModstamp": "2024-01-01T00:00:00Z"}],
    )  # fmt: skip
    (deal,) = archive.rows("salesforce_opportunities")
    assert said(deal) == {
        ("Renewal", "FOR_ACCOUNT", ACME),
        ("Renewal", "OWNED_BY", JANE),
        ("Renewal", "HAS_STAGE", "Prospecting"),
        ("Renewal", "HAS_AMOUNT", "1000.0"),
        ("Renewal", "HAS_CLOSE_DATE", "2024-06-30"),
        ("Renewal", "HAS_PROBABILITY", "10"),
        ("ends", "Renewal", "HAS_TYPE"),
    }
    (stage,) = archive.rows("salesforce_opportunity_stages")
    assert said(stage) == {
        (DEAL, "HAS_STAGE", "Closed Won"),
        ("ends", DEAL, "HAS_AMOUNT"),
        (DEAL, "HAS_CLOSE_DATE", "2024-05-02"),
        (DEAL, "HAS_PROBABILITY", "100"),
    }
    (user,) = archive.rows("salesforce_users")
    assert said(user) == {
        ("Jane Doe", "REPORTS_TO", JOHN),
        ("Jane Doe", "HAS_TITLE", "AE"),
        ("Jane Doe", "HAS_EMAIL", "jane@us.example"),
        ("ends", "Jane Doe", "HAS_DEPARTMENT"),
    }
