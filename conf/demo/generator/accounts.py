"""Accounts: the CRM's nightly extract, one CSV file with everything in it, days first."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from company import CITIES, OWNERS, PLANS, Row, account_no, after, customers, staff_email

NIGHTS = (
    *("2024-01-08", "2024-01-22", "2024-02-05", "2024-02-19", "2024-03-04", "2024-03-18"),
    *("2024-04-02", "2024-04-15", "2024-05-06", "2024-06-03"),
)
LATE_NIGHT = ("2024-04-02", "2024-05-13T02:00:00Z")
CORRECTED_NIGHT = ("2024-03-04", "2024-04-20T02:00:00Z")
LATE_FILES = {"accounts/2024-04-02.csv": "2024-05", "accounts/2024-03-04-again.csv": "2024-04"}
FIRST_NIGHT = {("north", "Quill & Co"): "2024-03-04"}
LAST_NIGHT = {("north", "Vela Yachts"): "2024-04-02"}
CHANGES: dict[tuple[str, str, str], Sequence[tuple[str, str]]] = {
    ("north", "Acme", "owner"): (("2024-01-08", "Alice Moreau"), ("2024-03-18", "Bruno Keller")),
    ("north", "Acme", "plan"): (("2024-01-08", "basic"), ("2024-02-19", "pro")),
    ("north", "Acme", "city"): (("2024-01-08", "Hamburg"),),
    ("north", "Tidewater Labs", "plan"): (("2024-01-08", "basic"), ("2024-04-02", "pro")),
    ("north", "Vela Yachts", "status"): (("2024-01-08", "active"), ("2024-03-18", "notice given")),
    ("north", "Ostara Media", "owner"): (("2024-01-08", "Edgar Stone"), ("2024-05-06", "")),
    ("north", "Borealis Energy", "owner"): (("2024-01-08", "Alice Moreau"),),
    ("north", "Borealis Energy", "plan"): (
        *(("2024-01-08", "enterprise"), ("2024-03-18", "n/a"), ("2024-04-02", "enterprise")),
    ),
    ("south", "Acme", "owner"): (("2024-01-08", "Carla Ibarra"),),
    ("south", "Acme", "plan"): (("2024-01-08", "enterprise"),),
    ("south", "Acme", "city"): (("2024-01-08", "Sevilla"),),
}
ACCOUNT_COLUMNS = (
    *("account_no", "name", "unit", "owner", "owner_email", "plan", "status", "city"),
    *("extracted_on", "loaded_at"),
)


def accounts() -> dict[str, str]:
    """Return the nightly extracts, one of them delivered late and one delivered again."""
    nights = dict.fromkeys(NIGHTS, "")
    for night in nights:
        nights[night] = f"{after(night, days=1)}T02:00:00Z"
    nights.update([LATE_NIGHT])
    files = {f"accounts/{night}.csv": extract(night, loaded) for night, loaded in nights.items()}
    first, again = CORRECTED_NIGHT
    files[f"accounts/{first}.csv"] = extract(first, nights[first], mistaken=True)
    files[f"accounts/{first}-again.csv"] = extract(first, again)
    return files


def extract(night: str, loaded_at: str, *, mistaken: bool = False) -> str:
    """Return one night's file. The mistaken one hands Acme over to Bruno a fortnight too early."""
    rows = [account(unit, name, number, night) for unit, name, number in customers()]
    listed = [row for row in rows if row]
    if mistaken:
        listed[0].update(owner="Bruno Keller", owner_email=staff_email("Bruno Keller"))
    day_first = "-".join(reversed(night.split("-")))
    out = io.StringIO()
    writer = csv.DictWriter(out, ACCOUNT_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in listed:
        writer.writerow({**row, "extracted_on": day_first, "loaded_at": loaded_at})
    if night >= "2024-05-06":  # since then the export ends with a total, which is no account
        writer.writerow({"name": f"{len(listed)} accounts", "extracted_on": day_first})
    return out.getvalue()


def account(unit: str, name: str, number: int, night: str) -> Row:
    """Return one account as the CRM shows it on a night; nothing before it came or once it left."""
    key = (unit, name)
    if night < FIRST_NIGHT.get(key, night) or night > LAST_NIGHT.get(key, night):
        return {}
    owner = as_told(key, "owner", night) or usual_owner(unit, number, night)
    owner = "" if owner == "nobody" else owner
    plan = PLANS[number % 3] if night < "2024-04-15" or number % 8 else PLANS[(number + 1) % 3]
    status = "on hold" if number % 9 == 4 and "2024-02-19" <= night < "2024-04-15" else "active"
    return {
        "account_no": account_no(unit, name),
        "name": name,
        "unit": unit,
        "owner": owner,
        "owner_email": staff_email(owner),
        "plan": as_told(key, "plan", night) or plan,
        "status": as_told(key, "status", night) or status,
        "city": as_told(key, "city", night) or CITIES[unit][number % len(CITIES[unit])],
    }


def as_told(key: tuple[str, str], field: str, night: str) -> str:
    """Return the value that a story of CHANGES gives; "nobody" for an owner left empty."""
    told = [value or "nobody" for since, value in CHANGES.get((*key, field), ()) if since <= night]
    return told[-1] if told else ""


def usual_owner(unit: str, number: int, night: str) -> str:
    """Return the owner of an account without a story: some change hands in February or May."""
    handovers = (
        sum(night >= since for since in ("2024-02-05", "2024-05-06")) if not number % 5 else 0
    )
    return OWNERS[unit][(number + handovers) % len(OWNERS[unit])]
