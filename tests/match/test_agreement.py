"""Forms and levels of agreement, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.match import levels, names
from regesta.match.declaration import Compared
from regesta.match.forms import form, forms
from regesta.match.levels import compare, level, meaning
from regesta.match.rarity import Rarity, bits

COMMON = {"frank": 6.0, "edward": 6.0, "tom": 7.0, "duke": 4.0, "of": 3.0}
RARITY = Rarity(words={"name": COMMON}, values={"name": {}, "it": {"london": 4.5, "male": 0.4}})
KINDS = ("name", "date", "code", "text", "category")


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("name", "  Frank  BRIGHTMAN, 2nd ", "frank brightman 2"),
        ("name", "Müller & Söhne", "muller sohne"),
        ("name", "Hauptstraße", "hauptstrasse"),
        ("name", "Ιωάννης", "ioannis"),
        ("name", "Борис", "boris"),
        ("date", "1861-01-31", "18610131"),
        ("code", "NW1 7JX", "nw17jx"),
        ("code", "+44 20 7946-0000", "442079460000"),
        ("name", "...", ""),
        ("text", None, ""),
    ],
)
def test_forms_are_plain_latin_letters_and_digits(kind, value, expected):
    assert form(kind, value) == expected


@pytest.mark.parametrize("name", ["王小明", "سعيد", "นภา", "Ðorđe", "אברהם", "さくら"])
def test_names_of_every_script_have_a_form(name):
    assert form("name", name).isascii()
    assert form("name", name)


@pytest.mark.parametrize(
    ("kind", "left", "right", "expected"),
    [
        ("date", "18510101", "18510107", "one edit in the same year"),
        ("date", "18510112", "18510121", "one edit in the same year"),  # two digits change places
        ("date", "18510101", "18310101", "one edit, another year"),
        ("date", "18510101", "18510923", "same year"),
        ("date", "18510101", "18330101", "two edits"),
        ("date", "18510101", "19290723", "differ"),
        ("date", "1851", "18510101", "one less exact"),
        ("code", "nw17jx", "nw17jy", "one edit"),
        ("code", "nw17jx", "nw19ab", "first half equal"),
        ("code", "nw17jx", "nw59ab", "beginning equal"),
        ("code", "nw17jx", "bs20el", "differ"),
        ("text", "bristol", "bristol city of", "words of one in the other"),
        ("text", "wolverhampton", "wolverhamton", "similar"),
        ("text", "high street leeds", "church street york", "a word in common"),
        ("text", "leeds", "camden", "differ"),
        ("category", "male", "female", "differ"),
        ("text", "london", "london", "equal, rarity 1 of 8"),
        ("text", "frodesley", "frodesley", "equal, rarity 8 of 8"),
    ],
)
def test_what_is_near_has_a_level_of_its_own(kind, left, right, expected):
    found = level("it", kind, left, right, RARITY)
    assert meaning(kind, found) == expected
    assert level("it", kind, right, left, RARITY) == found


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        # 6 + 13 bits; Edward stands in one name only
        ("frank brightman", "frank edward brightman", "17 bits or more shared, nothing"),
        # 6 + .8 * 13 = 16.4
        ("frank brightman", "frank brightmen", "14 bits or more shared, nothing"),
        # an initial gives .3 * 6: 13 + 1.8
        ("f brightman", "brightman frank", "14 bits or more shared, nothing"),
        # 13 bits; Tom (7) against Frank (6): the lesser counts
        ("tom brightman", "frank brightman", "11 bits or more shared, something"),
        # duke of: 7 bits; 13 against 13
        ("duke of leeds", "duke of devonshire", "5 bits or more shared, more"),
        ("12 brightman", "123 brightman", "11 bits or more shared, more"),  # numbers are not alike
        ("tom", "zacharias", "0 bits or more shared, something"),
    ],
)
def test_names_are_compared_in_bits_shared_and_contradicting(left, right, expected):
    found = level("name", "name", left, right, RARITY)
    assert meaning("name", found).startswith(expected)


def test_a_missing_value_is_level_0_and_nothing_else_is():
    compared = Compared(attributes={"name": "name", "it": "code"})
    left = forms(compared, {"name": "Frank", "it": None})
    right = forms(compared, {"name": "Tom", "it": "X 1"})
    found = compare(left, right, compared, RARITY)
    assert found[0] > 0
    assert found[1] == levels.MISSING


WORDS = st.lists(st.text("abc1", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join)


@given(st.sampled_from(KINDS), WORDS, WORDS)
def test_comparisons_are_symmetric_and_within_their_levels(kind, left, right):
    attribute = "name" if kind == "name" else "it"
    one, other = form(kind, left) or "1", form(kind, right) or "1"
    found = level(attribute, kind, one, other, RARITY)
    assert found == level(attribute, kind, other, one, RARITY)
    assert 1 <= found <= levels.count(kind)
    assert meaning(kind, found)


@given(WORDS)
def test_a_name_is_as_like_itself_as_can_be(name):
    found = names.meaning(names.level(form("name", name), form("name", name), {}))
    assert found.endswith("nothing contradicts")


def test_bits_of_what_half_bear_and_of_what_nobody_else_bears():
    assert bits(512, 1024) == 1.0
    assert bits(1, 1024) == 10.0
    assert bits(1, 1 << 20) == 13.0


@pytest.mark.parametrize(
    "together", [(("name", "place"),), (("name", "it"), ("it",)), (("it", "it"),)]
)
def test_what_is_declared_together_is_compared_and_stands_once(together):
    with pytest.raises(ValueError, match="together: "):
        Compared(attributes={"name": "name", "it": "code"}, together=together)
