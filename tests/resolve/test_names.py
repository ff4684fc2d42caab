"""Normal forms of names and identifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.names import normalise_identifier, normalise_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Müller & Söhne, GmbH.", "muller sohne gmbh"),
        ("  Zoë  O’Brien ", "zoe o brien"),
        ("Straße", "strasse"),
        ("ﬁrst\tBank", "first bank"),
        ("東京", "東京"),
        ("İstanbul", "istanbul"),
        ("...", ""),
        ("", ""),
    ],
)
def test_names(text, expected):
    assert normalise_name(text) == expected


@given(st.text())
def test_a_normal_form_is_its_own(text):
    once = normalise_name(text)
    assert normalise_name(once) == once


def test_identifiers():
    assert normalise_identifier("email", " Ann@Acme.COM ") == "email:ann@acme.com"
    assert normalise_identifier("email", "  ") == ""
