"""Blocking keys, worked by hand."""

from __future__ import annotations

from regesta.match.declaration import Compared
from regesta.match.forms import forms
from regesta.match.keys import finer, keys, rules

COMPARED = Compared(
    attributes={"name": "name", "born": "date", "code": "code", "town": "text", "sex": "category"},
    together=(("town", "code"),),
)

FRANK_SMITH = ("FRNK", "FRNSS", "FRNKLN", "SM0")
"""Frank, Francis and Franklin, for whom Frank may stand, and Smith."""


def _keys(*, meaning=(), **values):
    made = rules(COMPARED)
    found: dict[str, set[str]] = {}
    for number, key in keys(made, COMPARED, forms(COMPARED, values), {"name": meaning}):
        found.setdefault(made[number].name, set()).add(key.replace("\x1f", "|"))
    return found


def test_every_rule_gives_its_keys():
    found = _keys(
        meaning=("0.a", "1.b"),
        name="Frank J. Smith",
        born="1856-06-18",
        code="BS2 0EL",
        town="Bristol",
    )
    assert found == {
        "name (whole)": {"frank j smith"},
        "born (whole)": {"18560618"},
        "code (whole)": {"bs20el"},
        "name (word)": {"frank", "smith"},
        "name (words)": {"frank smith"},
        "name (letter left out)": {
            *("smith", "mith", "sith", "smth", "smih", "smit"),  # the last word
            *("frank", "rank", "fank", "frnk", "frak", "fran"),  # the first of the longest
        },
        "name (meaning)": {"0.a", "1.b"},
        "name (sound), born (year)": {f"{sound}|1856" for sound in FRANK_SMITH},
        "name (initials), born (whole)": {"fjs|18560618"},
        "name (sound), code (half)": {f"{sound}|bs2" for sound in FRANK_SMITH},
        "name (initials), code (whole)": {"fjs|bs20el"},
        "name (sound), town (whole)": {f"{sound}|bristol" for sound in FRANK_SMITH},
        "name (initials), town (whole)": {"fjs|bristol"},
        "born (whole), code (half)": {"18560618|bs2"},
        "born (whole), town (whole)": {"18560618|bristol"},
        "code (whole), born (year)": {"bs20el|1856"},
        "town (whole), born (year)": {"bristol|1856"},
    }


def test_an_empty_part_makes_no_key():
    assert _keys(name="...", born=None, code=" ", town=None) == {}
    assert set(_keys(name="J", sex="m")) == {"name (whole)"}
    assert set(_keys(town="Bristol")) == set()


def test_what_is_written_in_another_order_or_sounds_alike_shares_keys():
    one, other = _keys(name="Smith, Frank", born="1856"), _keys(name="Frank Smyth", born="1856")
    assert one["name (sound), born (year)"] == other["name (sound), born (year)"]
    turned = _keys(name="Frank Smith")
    assert one["name (words)"] == turned["name (words)"]


def test_a_nickname_and_a_typing_error_share_keys():
    one, other = _keys(name="Bill Woodburn", born="1856"), _keys(name="William W", born="1856")
    assert one["name (sound), born (year)"] & other["name (sound), born (year)"]
    for typed in ("Woodbyrn", "Woodbrun", "Woodurn", "Woodbuurn"):
        assert one["name (letter left out)"] & _keys(name=typed)["name (letter left out)"]
    assert not one["name (letter left out)"] & _keys(name="Wadborn")["name (letter left out)"]


def test_a_block_is_cut_by_how_names_sound():
    by = [finer(COMPARED, forms(COMPARED, {"name": name})) for name in ("Jon Smith", "Smyth, John")]
    assert by == ["JN SM0", "JN SM0"]
