"""Contacts: one JSON line each time a contact is saved, with its whole history in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from company import (
    ACCOUNTS,
    FIRST_NAMES,
    LAST_NAMES,
    TITLES,
    Row,
    account_no,
    after,
    by_month,
    lines,
)

CONTACTS = 80
NORTHERN = 48
OF_NORTHGATE = {6, 18, 30, 42}
TOLD = {0, 1, 2, 3, 48, 49}
"""Numbers of the contacts with a story."""


def contacts() -> dict[str, str | bytes]:
    """Return the contact book's log by month, with three lines in June that can't be taken in."""
    saved = [version for number in range(CONTACTS) for version in versions(number)]
    saved += told_contacts()
    saved.sort(key=lambda row: (row["saved_at"], row["contact_no"], row["version"]))
    months = by_month(saved, "saved_at")
    files: dict[str, str | bytes] = {f"contacts/{m}.jsonl": lines(months[m]) for m in months}
    files["contacts/2024-06.jsonl"] = lines(months["2024-06"]).encode() + broken_lines()
    return files


def broken_lines() -> bytes:
    """Return a line that is cut off, one saved in the future and one that is not UTF-8."""
    jobs = [job("north", "Acme", "Buyer", "2024-06-01")]
    future = contact((44, 9), "Ada Future", "2042-06-11T08:00:00Z", jobs)
    latin = contact((45, 9), "José Latino", "2024-06-12T08:00:00Z", jobs)
    cut_off = lines([latin])[:70] + "\n"
    return (cut_off + lines([future])).encode() + lines([latin]).encode("latin-1")


def versions(number: int) -> Iterator[Row]:
    """Yield the saved versions of a contact without a story."""
    if number in TOLD:
        return
    unit = "north" if number < NORTHERN else "south"
    employer = ACCOUNTS[unit][number % len(ACCOUNTS[unit])]
    if number in OF_NORTHGATE:
        employer = "Northgate Hotels"
    first, last = FIRST_NAMES[number % 20], LAST_NAMES[(number * 4 + number // 20 * 2) % 9]
    since = f"{2015 + number % 8}-{1 + number % 12:02}-01"
    post = job(unit, employer, TITLES[number % 5], since)
    earlier = [job(unit, "Willow Care", "Advisor", "2012-01", "2014-06")] if number == 7 else []
    emails = [{"address": email(first, last, employer), "since": since}]
    saved_at = f"2024-01-{10 + number % 15}T09:{number % 60:02}:00Z"
    if number in OF_NORTHGATE:
        saved_at = "2024-01-16T09:00:00Z"
    yield contact((number, 1), f"{first} {last}", saved_at, [*earlier, post], emails)
    if number % 6 == 0:
        risen = f"2024-{2 + number % 5:02}-{1 + number % 10:02}"
        posts = [
            {**post, "until": after(risen, days=-1)},
            job(unit, employer, "Director", risen),
        ]
        saved_at = f"{after(risen, days=3 + number % 15)}T15:00:00Z"
        yield contact((number, 2), f"{first} {last}", saved_at, [*earlier, *posts], emails)


def told_contacts() -> list[Row]:
    """Return the contacts with a story; see tests/test_demo.py."""
    return [*petra(), *maria(), *withdrawn(), *reverted(), *rosa(), other_petra()]


def petra() -> Iterator[Row]:
    """Yield a contact who changes employer in May, which is recorded three weeks later."""
    old = {"address": "petra.novak@acme.example", "since": "2021-03-01"}
    new = {"address": "petra.novak@borealisenergy.example", "since": "2024-05-01"}
    acme = job("north", "Acme", "Facility Manager", "2021-03-01")
    borealis = job("north", "Borealis Energy", "Head of Operations", "2024-05-01")
    left = {**acme, "until": "2024-04-30"}
    yield contact((0, 1), "Petra Novak", "2024-01-10T08:00:00Z", [acme], [old])
    yield contact((0, 2), "Petra Novak", "2024-05-20T08:00:00Z", [left, borealis], [old, new])


def maria() -> Iterator[Row]:
    """Yield a contact who takes another name."""
    address = {"address": "maria@tidewaterlabs.example", "since": "2022-09-01"}
    jobs = [job("north", "Tidewater Labs", "Buyer", "2022-09-01")]
    yield contact((1, 1), "Maria Santos", "2024-01-11T08:00:00Z", jobs, [address])
    yield contact((1, 2), "Maria Oliveira", "2024-04-03T08:00:00Z", jobs, [address])


def withdrawn() -> Iterator[Row]:
    """Yield a contact entered for a test and deleted again."""
    jobs = [job("north", "Acme", "Buyer", "2024-01-12")]
    yield contact((2, 1), "Test Contact", "2024-01-12T08:00:00Z", jobs)
    yield {**contact((2, 2), "Test Contact", "2024-03-01T08:00:00Z", jobs), "deleted": True}


def reverted() -> Iterator[Row]:
    """Yield three versions: a title, another one, and the first one again."""
    for version, title in enumerate(("Engineer", "Controller", "Engineer"), start=1):
        jobs = [job("north", "Vela Yachts", title, "2019")]
        yield contact((3, version), "Nils Ahlgren", f"2024-0{version}-12T10:00:00Z", jobs)


def rosa() -> Iterator[Row]:
    """Yield a contact whose start at Acme, south, is corrected to half a year later."""
    for version, since, saved_at in (
        (1, "2023-05-01", "2024-01-15T08:00:00Z"),
        (2, "2023-11-01", "2024-03-11T08:00:00Z"),
    ):
        yield contact((48, version), "Rosa Vidal", saved_at, [job("south", "Acme", "Buyer", since)])


def other_petra() -> Row:
    """Return a contact of the other business unit who happens to have Petra's name."""
    jobs = [job("south", "Bodega Real", "Controller", "2020-01-01")]
    return contact((49, 1), "Petra Novak", "2024-01-15T08:30:00Z", jobs)


def contact(
    key: tuple[int, int], name: str, saved_at: str, jobs: list[Row], emails: Sequence[Row] = ()
) -> Row:
    """Return one saved version of a contact; `key` is its number from 0 and its version from 1."""
    number, version = key
    unit = "north" if number < NORTHERN else "south"
    return {
        "contact_no": f"C-{unit[0].upper()}{number + 1:03}",
        "unit": unit,
        "version": version,
        "saved_at": saved_at,
        "name": name,
        "emails": list(emails),
        "jobs": jobs,
    }


def job(unit: str, employer: str, title: str, since: str, until: str | None = None) -> Row:
    """Return one post of a contact; `until` is its last day."""
    return {
        "account_no": account_no(unit, employer),
        "account": employer,
        "title": title,
        "since": since,
        "until": until,
    }


def email(first: str, last: str, employer: str) -> str:
    """Return a contact's address; the people of Northgate Hotels share one."""
    plain = "".join(character for character in employer.lower() if character.isascii())
    domain = f"{''.join(character for character in plain if character.isalnum())}.example"
    if employer == "Northgate Hotels":
        return f"reception@{domain}"
    return f"{first}.{last}@{domain}".lower().replace("ö", "o")
