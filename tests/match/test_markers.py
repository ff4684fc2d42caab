"""Names that are of two things however alike they are, and those that need a person."""

from __future__ import annotations

import pytest

from regesta.match.declaration import Compared
from regesta.match.forms import form
from regesta.match.levels import compare, upper_bound
from regesta.match.linkage import ACCEPTED, MOST
from regesta.match.markers import apart, markers
from regesta.match.rarity import Rarity

COMPARED = Compared(attributes={"name": "name", "town": "text"})
RARITY = Rarity(words={"name": {}, "town": {}}, values={"name": {}, "town": {}})
DIFFERENT = [
    ("Annual Report 2023", "Annual Report 2024"),
    ("Ticket 10241", "Ticket 10242"),
    ("Ticket #0017", "Ticket #0018"),
    ("Orion v2", "Orion v3"),
    ("Orion 2.1", "Orion 2.2"),
    ("Windows 10", "Windows 11"),
    ("Henry VII", "Henry VIII"),
    ("First National Bank", "Second National Bank"),
    ("1st Battalion", "2nd Battalion"),
    ("2nd Battalion", "Third Battalion"),
    ("Plant Two", "Plant Three"),
    ("John Smith Sr.", "John Smith Jr."),
    ("Harold Osborne Senior", "Harold Osborne Junior"),
    ("Q1 Review", "Q2 Review"),
    ("Galaxy S21", "Galaxy S22"),
    ("Отчёт 2023", "Отчёт 2024"),
]
SAME = [
    ("Annual Report 2023", "2023 Annual Report"),
    ("Ticket 0017", "Ticket #17"),
    ("Second Battalion", "2nd Battalion"),
    ("World War II", "World War 2"),
    ("Henry VIII", "Henry 8"),
    ("John Smith Jr.", "John Smith, Junior"),
    ("Acme Ltd", "ACME Limited"),
]
ONE_SIDED = [
    ("John Smith", "John Smith Jr."),
    ("Windows", "Windows 10"),
    ("Windows 10", "Windows 10 22H2"),
    ("Henry", "Henry VIII"),
    ("Annual Report", "Annual Report 2024"),
    ("Louise Burn II", "Louise Brn"),
    ("Jon Smith", "Smith, John Jr."),
]


def bound(left, right, town="York"):
    one, other = ((form("name", name), form("text", town)) for name in (left, right))
    return upper_bound(one, other, compare(one, other, COMPARED, RARITY), COMPARED)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_names_with_other_numbers_are_never_one(left, right):
    assert bound(left, right) == bound(right, left) == -MOST


@pytest.mark.parametrize(("left", "right"), SAME)
def test_one_number_in_two_spellings_bounds_nothing(left, right):
    assert bound(left, right) is None


@pytest.mark.parametrize(("left", "right"), ONE_SIDED)
def test_a_number_on_one_side_is_for_a_person_to_decide(left, right):
    assert bound(left, right) == bound(right, left) == ACCEPTED


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Sir Henry Bowles, 1st Baronet", "Henry Bowles"),
        ("Geoffrey Rufus", "Geoffrey R8fus"),
        ("Walton Corbould", "Walt0n Corbould"),
    ],
)
def test_titles_and_typing_errors_are_no_markers(left, right):
    assert bound(left, right) is None


def test_names_alone_are_for_a_person_to_decide():
    assert bound("Acme Ltd", "ACME Limited", town=None) == ACCEPTED


def test_a_missing_name_has_no_markers():
    assert not apart(markers(""), markers("report 2024"))
    assert bound("", "Annual Report 2024") is None
