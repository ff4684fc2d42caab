"""Text to terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.query.analysis import fold, stem, terms


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The owners of the accounts", ["owner", "account"]),
        ("INC0001234 is a P1", ["inc0001234", "inc", "0001234", "p1"]),
        ("Jane.Doe@acme.com", ["jane.doe@acme.com", "jane", "doe", "acm", "com"]),
        ("OWNED_BY", ["owned_by", "own"]),
        ("Café MÜLLER, Øre", ["cafe", "muller", "or"]),
        ("ﬁle", ["file"]),  # a ligature
        ("Jane's dogs' bones", ["jane", "dog", "bone"]),
        ("東京都 で", ["東", "京", "都", "東京", "京都", "で"]),
        (
            "東京タワー2号",
            ["東京タワー2号", *"東京タワー", "東京", "京タ", "タワ", "ワー", "2", "号"],
        ),
        ("ｶﾞｲﾄﾞ １２", ["ガ", "イ", "ド", "ガイ", "イド", "12"]),  # half and full width
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),  # vowels are marks
        ("สวัสดี", ["สวั", "วัส", "ัสด", "สดี"]),
        ("العَرَبِيَّة שָׁלוֹם", ["العربية", "שלום"]),  # vowel points
        ("Ёлка Αθήνα İzmir Straße", ["елка", "αθηνα", "izmir", "strass"]),
        (
            "Łódź naïve P1-INC0001234",
            ["lodz", "naiv", "p1-inc0001234", "p1", "inc0001234", "inc", "0001234"],
        ),
        ("2024-03-01", ["2024-03-01", "2024", "03", "01"]),
        ("follow-up calls", ["follow", "call"]),
        ("", []),
        ("who is it?", []),
    ],
)
def test_terms(text, wanted):
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("cities", "citi"),
        ("city", "citi"),
        ("connections", "connect"),
        ("relational", "relat"),
        ("hopping", "hop"),
        ("status", "statu"),
        ("muller", "muller"),
        ("елка", "елка"),
    ],
)
def test_stems(word, wanted):
    """Values of Porter's own paper and of his list of words."""
    assert stem(word) == wanted


@given(st.text())
def test_case_and_normal_form_do_not_matter(text):
    assert fold(fold(text)) == fold(text)
    assert all(term and not term.isspace() for term in terms(text))


@given(st.text(alphabet="aeéöABC 0-_.@'x京", max_size=30))
def test_asking_with_a_text_finds_its_words(text):
    assert set(terms(text.upper())) == set(terms(text.lower()))
