"""What rivals merge wrongly, a hundred of each kind, and true variants: by learned weights.

Everything but the names is equal where that is possible, which is harder than real records are.
"""

from __future__ import annotations

from itertools import combinations, islice, product

import pytest

from match.population import (
    BRANDS,
    GIVEN,
    LAST,
    TOWNS,
    TRADES,
    company_matcher,
    person_matcher,
)

HUNDRED = 100


@pytest.fixture(scope="module")
def companies():
    return company_matcher()


@pytest.fixture(scope="module")
def persons():
    return person_matcher()


def things(*patterns):
    """A hundred pairs of names by two of the patterns, with everything else equal."""
    pairs = list(combinations(patterns, 2))
    names = [f"{brand} {trade}" for trade, brand in product(TRADES, BRANDS)]
    for number, name in enumerate(names[:HUNDRED]):
        same = {
            "domain": f"d{number}.example",
            "phone": f"0{number:08}",
            "town": TOWNS[number % 10],
        }
        one, other = (pattern.format(name) for pattern in pairs[number % len(pairs)])
        yield {"name": one, **same}, {"name": other, **same}


KINDS = {
    "years": ("{} Report 2022", "{} Report 2023", "{} Report 2024", "{} Report FY2025"),
    "versions": ("{} v1", "{} v2", "{} 2.1", "{} 2.2", "{} 3.0.1", "{} 3.0.2"),
    "ordinals": ("First {} Bank", "Second {} Bank", "3rd {} Bank", "{} Bank IV"),
    "tickets": ("{} ticket 10241", "{} ticket 10242", "{} ticket #10420", "{} ticket 0017"),
    "product lines": ("{} Pro", "{} Lite", "{} Max", "{} Ultra", "{} Enterprise", "{}"),
    "subsidiaries": ("{}", "{} Holding", "{} Deutschland GmbH", "{} France SA", "{} Services Ltd"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_things_of_one_name_are_not_joined(companies, kind):
    pairs = list(things(*KINDS[kind]))
    assert len(pairs) == HUNDRED
    wrong = [pair for pair in pairs if companies.verdict(*pair) == "join"]
    assert wrong == []


def test_the_quarterly_report_of_two_years_and_two_tickets(companies):
    same = {"domain": "acme.example", "phone": "0123456789", "town": "York"}
    for one, other in (
        ("Quarterly Revenue Report 2023", "Quarterly Revenue Report 2024"),
        ("Ticket 10241", "Ticket 10242"),
    ):
        assert companies.verdict({"name": one, **same}, {"name": other, **same}) == "apart"


def names():
    return islice((f"{given} {last}" for last, given in product(LAST, GIVEN)), HUNDRED)


def test_father_and_son_of_one_name_and_address_are_not_joined(persons):
    wrong = []
    for number, name in enumerate(names()):
        home = {"phone": f"0{number + 10**8}", "town": TOWNS[number % 10]}
        father = {"name": name, "born": f"19{40 + number % 30}-03-{1 + number % 28:02}", **home}
        son = {"name": name, "born": f"19{70 + number % 29}-11-{1 + number % 27:02}", **home}
        for one, other in (
            (father, son),
            ({**father, "name": f"{name} Sr."}, {**son, "name": f"{name} Jr."}),
            ({"name": name, **home}, {"name": f"{name} Jr.", **home}),
        ):
            if persons.verdict(one, other) == "join":
                wrong.append((one, other))
    assert wrong == []


def test_two_people_of_one_name_at_two_companies_are_not_joined(persons):
    wrong = []
    for number, name in enumerate(names()):
        local = name.lower().replace(" ", ".")
        one, other = (BRANDS[(number + step) % len(BRANDS)] for step in (0, 7))
        here = {"name": name, "email": f"{local}@{one}.example", "phone": f"0{number + 10**8}"}
        there = {
            "name": name,
            "email": f"{local}@{other}.example",
            "phone": f"07{54321 + number}9",
        }
        if persons.verdict(here, there) == "join":
            wrong.append((here, there))
    assert wrong == []


def test_people_of_one_mailbox_are_not_joined(persons):
    wrong = []
    for number, name in enumerate(names()):
        other = f"{GIVEN[(number + 7) % len(GIVEN)]} {LAST[(number + 11) % len(LAST)]}"
        box = {"email": f"support@{BRANDS[number % 30]}.example", "town": TOWNS[number % 10]}
        pair = ({"name": name, **box}, {"name": other, **box})
        if persons.verdict(*pair) == "join":
            wrong.append(pair)
    assert wrong == []


VARIANTS = (
    lambda given, last: f"{last}, {given}",
    lambda given, last: f"{given.upper()} {last.upper()}",
    lambda given, last: f"{given[0]}. {last}",
    lambda given, last: f"{given} {last[:-2]}{last[-1]}",
    lambda given, last: f"{given} {last[0]}{last[2]}{last[1]}{last[3:]}",
    lambda given, last: f"Dr. {given} {last}",
    lambda given, last: f"{given} M. {last}",
    lambda given, last: f"{given}-Maria {last}",
)


def test_true_variants_are_joined_or_asked_about(persons):
    lost = []
    for number, name in enumerate(names()):
        given, last = name.split()
        born = f"19{50 + number % 40}-0{1 + number % 9}-{10 + number % 18}"
        whole = {"name": name, "born": born, "town": TOWNS[number % 10]}
        variant = {**whole, "name": VARIANTS[number % len(VARIANTS)](given, last)}
        if number % 3 == 0:
            variant["town"] = None
        if persons.verdict(whole, variant) == "apart":
            lost.append((whole, variant))
    assert lost == []
