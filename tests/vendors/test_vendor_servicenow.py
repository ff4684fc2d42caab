"""ServiceNow: records and audit rows as the Table API gives them, in its three display forms."""

from __future__ import annotations

import pytest

from vendor_archive import entities, episode, said

ID, CALLER, AGENT = "46b66a40a9fe198101f243dfbc79033d", "62826bf03710200044e0bfc8bcbe5df1", "46d4"
GROUP, COMPANY = "8a4dde73c6112278017a6a4baf547aa7", "31bea3d53790200044e0bfc8bcbe5dec"


def both(value, shown=None, **more):
    return {"display_value": value if shown is None else shown, "value": value, **more}


def reference(value, shown, table):
    link = {"link": f"https://us.example/api/now/table/{table}/{value}"} if value else {}
    return both(value, shown, **link)


INCIDENT = {
    "sys_id": both(ID), "number": both("INC0000017"),
    "short_description": both("No power"), "state": both("2", "In Progress"),
    "priority": both("1", "1 - Critical"), "impact": both("1", "1 - High"),
    "urgency": both("1", "1 - High"), "category": both("hardware", "Hardware"),
    "subcategory": both("", ""), "close_code": both("", ""),
    "caller_id": reference(CALLER, "Ann Lee", "sys_user"),
    "assigned_to": reference(AGENT, "Beth Ang", "sys_user"),
    "assignment_group": reference(GROUP, "Hardware", "sys_user_group"),
    "company": reference(COMPANY, "Acme", "core_company"),
    "parent_incident": both("", ""),
    "sys_updated_on": both("2024-03-01 09:00:00", "2024-03-01 02:00:00"),
    "sys_mod_count": both("4"),
}  # fmt: skip
IN_WORDS = {
    ("INC0000017", "HAS_SUBJECT", "No power"),
    ("INC0000017", "HAS_STATE", "In Progress"),
    ("INC0000017", "HAS_PRIORITY", "1 - Critical"),
    ("INC0000017", "HAS_IMPACT", "1 - High"),
    ("INC0000017", "HAS_URGENCY", "1 - High"),
    ("INC0000017", "HAS_CATEGORY", "hardware"),
    ("ends", "INC0000017", "HAS_SUBCATEGORY"),
    ("ends", "INC0000017", "HAS_RESOLUTION"),
    ("ends", "INC0000017", "PART_OF"),
}


def in_form(form):
    """The record as sysparm_display_value=true or false gives it."""
    key = "display_value" if form == "true" else "value"
    return {
        name: {"link": field["link"], key: field[key]} if "link" in field else field[key]
        for name, field in INCIDENT.items()
    }


def test_an_incident_with_values_and_display_values(archive):
    archive.write("servicenow/incident/1.json", {"result": [INCIDENT]})
    (row,) = archive.rows("servicenow_records")
    assert episode(row) == (ID, "4", "2024-03-01 09:00:00", "2024-03-01 09:00:00", None)
    assert said(row) == IN_WORDS | {
        ("INC0000017", "REPORTED_BY", "Ann Lee"),
        ("INC0000017", "ASSIGNED_TO", "Beth Ang"),
        ("INC0000017", "ASSIGNED_TO_GROUP", "Hardware"),
        ("INC0000017", "FOR_ACCOUNT", "Acme"),
    }
    assert entities(row) == {
        ("Ticket", "INC0000017", (f"servicenow_id:{ID}", "servicenow_number:inc0000017")),
        ("Person", "Ann Lee", (f"servicenow_id:{CALLER}",)),
        ("Person", "Beth Ang", (f"servicenow_id:{AGENT}",)),
        ("Group", "Hardware", (f"servicenow_id:{GROUP}",)),
        ("Account", "Acme", (f"servicenow_id:{COMPANY}",)),
    }


@pytest.mark.parametrize(
    ("form", "people"),
    [
        ("true", ("Ann Lee", "Beth Ang", "Hardware", "Acme")),
        ("false", (CALLER, AGENT, GROUP, COMPANY)),
    ],
)
def test_the_other_forms_say_the_same(archive, form, people):
    record = in_form(form) | {"sys_updated_on": "2024-03-01 09:00:00"}
    category = {("INC0000017", "HAS_CATEGORY", "Hardware" if form == "true" else "hardware")}
    archive.write("servicenow/incident/1.json", {"result": [record]})
    (row,) = archive.rows("servicenow_records")
    relations = ("REPORTED_BY", "ASSIGNED_TO", "ASSIGNED_TO_GROUP", "FOR_ACCOUNT")
    expected = {("INC0000017", *pair) for pair in zip(relations, people, strict=True)}
    words = {one for one in IN_WORDS if "HAS_CATEGORY" not in one}
    assert said(row) == words | category | expected


def test_an_unassigned_incident(archive):
    later = {
        "assigned_to": both("", ""), "state": both("1", "New"), "sys_mod_count": both("5"),
        "sys_updated_on": both("2024-03-02 09:00:00"),
    }  # fmt: skip
    archive.write("servicenow/incident/1.json", {"result": [INCIDENT, INCIDENT | later]})
    before, after = archive.rows("servicenow_records")
    assert said(after) - said(before) == {
        ("INC0000017", "HAS_STATE", "New"),
        ("ends", "INC0000017", "ASSIGNED_TO"),
    }


def audit(number, field, old, new, table="incident"):
    return {
        "sys_id": f"a{number}", "tablename": table, "fieldname": field, "documentkey": ID,
        "oldvalue": old, "newvalue": new, "user": "beth.ang", "reason": "",
        "record_checkpoint": str(number), "sys_created_on": f"2024-03-0{number} 09:00:00",
    }  # fmt: skip


def test_audit_rows(archive):
    rows = [
        audit(1, "state", "1", "2"),
        audit(2, "assigned_to", "", AGENT),
        audit(3, "assigned_to", AGENT, ""),
        audit(4, "caller_id", "", CALLER),
        audit(5, "priority", "2", "1"),
        audit(6, "category", "inquiry", "hardware"),
        audit(7, "u_shop_floor", "", "B 12"),
        audit(8, "work_notes", "", "Called her back"),
        audit(9, "state", "2", "17"),
        audit(9, "state", "2", "3", table="problem"),
    ]
    shown = [{name: both(value) for name, value in row.items()} for row in rows[:1]]
    archive.write("servicenow/sys_audit/1.json", {"result": shown + rows[1:]})
    found = archive.rows("servicenow_audit")
    assert [said(row) for row in found] == [
        {(ID, "HAS_STATE", "In Progress")},
        {(ID, "ASSIGNED_TO", AGENT)},
        {("ends", ID, "ASSIGNED_TO")},
        {(ID, "REPORTED_BY", CALLER)},
        {(ID, "HAS_PRIORITY", "1 - Critical")},
        {(ID, "HAS_CATEGORY", "hardware")},
        {(ID, "HAS_FIELD_U_SHOP_FLOOR", "B 12")},
        set(),
        {(ID, "HAS_STATE", "17")},
    ]
    assert episode(found[0]) == ("a1", None, "2024-03-01 09:00:00", "2024-03-01 09:00:00", None)
    assert (found[1].episode.position, found[1].episode.author) == (2, "beth.ang")
    assert entities(found[1]) == {
        ("Ticket", ID, (f"servicenow_id:{ID}",)),
        ("Person", AGENT, (f"servicenow_id:{AGENT}",)),
    }


def test_users(archive):
    user = {
        "sys_id": both(CALLER), "name": both("Ann Lee"), "user_name": both("ann.lee"),
        "email": both("ann@acme.example"), "title": both(""), "manager": both(""),
        "company": reference(COMPANY, "Acme", "core_company"),
        "sys_updated_on": both("2024-01-01 00:00:00"), "sys_mod_count": both("0"),
    }  # fmt: skip
    archive.write("servicenow/sys_user/1.json", {"result": [user]})
    (row,) = archive.rows("servicenow_users")
    assert said(row) == {
        ("Ann Lee", "WORKS_AT", "Acme"),
        ("Ann Lee", "HAS_EMAIL", "ann@acme.example"),
        ("ends", "Ann Lee", "REPORTS_TO"),
        ("ends", "Ann Lee", "HAS_TITLE"),
    }
    assert (
        "Person", "Ann Lee",
        ("email:ann@acme.example", f"servicenow_id:{CALLER}", "servicenow_user_name:ann.lee"),
    ) in entities(row)  # fmt: skip
