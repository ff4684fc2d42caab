"""Copied words are found where they stand; what stands nowhere is not found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.extract.llm.places import place_of

TEXT = "Ann Lee told Annual Reports:\n“the ticket 10241 isn't\n  for Müller–Meier GmbH” since May."


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Ann Lee", "Ann Lee"),
        ("ann lee", "Ann Lee"),
        ("Reports", "Reports"),
        ("ticket 10241 isn't for", "ticket 10241 isn't\n  for"),
        ('"the ticket', "“the ticket"),
        ("Müller-Meier GmbH", "Müller–Meier GmbH"),
        ("Mueller-Meier GmbH", None),  # two letters for one: not alike enough to be sure
        ("Annual Report", "Annual Reports"),  # one letter short
        ("the tickets 10241 isn't for", "the ticket 10241 isn't\n  for"),
        ("the ticket 10242 isn't for", None),  # a digit is no slip
        ("Ann", "Ann"),
        ("Lee told Annual Reposts", "Lee told Annual Reports"),
        ("Bob", None),
        ("nual", None),  # within a word
        ("", None),
        ("  ", None),
    ],
)
def test_words_are_found_whole(words, found):
    place = place_of(words, TEXT)
    assert (place and TEXT[slice(*place)]) == found


@given(st.lists(st.text("abcdeßİÅ\u0301 ", min_size=1, max_size=12), min_size=1, max_size=12))
def test_places_lie_in_the_text(parts):
    text = " ".join(parts)
    for part in parts:
        place = place_of(part, text)
        if place is not None:
            assert 0 <= place[0] < place[1] <= len(text)


@given(st.text(min_size=1, max_size=40), st.text(max_size=60))
def test_any_text_can_be_looked_for_in_any_other(words, text):
    place = place_of(words, text)
    assert place is None or 0 <= place[0] < place[1] <= len(text)
