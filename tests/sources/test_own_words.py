from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.own_words import message_spans
from regesta.spans import own_words, spans_text


def own(text):
    return own_words(text, spans_text(message_spans(text)))


def parts(text):
    return [(span.part, text[span.start : span.end].strip()) for span in message_spans(text)]


BELOW = [
    "On Tue, 5 Mar 2024 at 10:00, Ann Lee <ann@acme.example> wrote:\n> Is it paid?\n>\n> Ann\n",
    "On Tue, 5 Mar 2024 at 10:00,\nAnn Lee <ann@acme.example>\nwrote:\n\n> Is it paid?\n",
    "Am 05.03.2024 um 10:00 schrieb Ann Lee:\n> Ist es bezahlt?\n",
    "Ann Lee schrieb am 05.03.2024:\nIst es bezahlt?\n\nAnn",
    "Le mar. 5 mars 2024 à 10:00, Ann Lee <ann@acme.example> a écrit :\n> C'est payé ?\n",
    "El mar, 5 mar 2024 a las 10:00, Ann Lee (<ann@acme.example>) escribió:\n\nPagado?\n",
    "-----Original Message-----\nFrom: Ann Lee\nSent: Tuesday\nTo: Bo\n\nIs it paid?\n",
    "-----Ursprüngliche Nachricht-----\nVon: Ann Lee\n\nIst es bezahlt?\n",
    "---------- Forwarded message ---------\nFrom: Ann\nDate: Tue\n\nIs it paid?\n",
    "________________________________\nFrom: Ann Lee\nSent: 5 March 2024\nTo: Bo\n\nPaid?\n",
    "Von: Ann Lee\nGesendet: Dienstag, 5. März 2024 10:00\nAn: Bo\nBetreff: AW: x\n\nBezahlt?\n",
    "De : Ann Lee\nEnvoyé : mardi 5 mars 2024\nÀ : Bo\nObjet : RE: x\n\nPayé ?\n",
    "De: Ann Lee\nEnviado el: martes, 5 de marzo\nPara: Bo\nAsunto: RE: x\n\nPagado?\n",
    "> Is it paid?\n> Ann\n",
]


@pytest.mark.parametrize("quoted", BELOW)
def test_a_reply_above_the_message_it_answers(quoted):
    text = f"Yes, since Monday.\n\n{quoted}"
    assert parts(text) == [("own", "Yes, since Monday."), ("quoted", quoted.strip())]


def test_answers_between_quoted_lines():
    text = "> Paid?\nYes.\n\n> When?\n> Ann\n\nOn Monday.\n"
    assert parts(text) == [
        *(("quoted", "> Paid?"), ("own", "Yes."), ("quoted", "> When?\n> Ann")),
        ("own", "On Monday."),
    ]
    assert own(text) == "Yes.\nOn Monday."


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nBo Chen\nSupport, Acme\n+44 20 7946 0000",
        "--\nBo",
        "Best regards,\nBo Chen\nSupport, Acme",
        "Mit freundlichen Grüßen\n\nBo Chen",
        "Cordialement,\nBo",
        "Sent from my iPhone",
        "Thanks!\nBo\n\nGet Outlook for iOS",
    ],
)
@pytest.mark.parametrize("after", ["", "\n\nOn Mon, 4 Mar 2024, Ann wrote:\n> Paid?\n"])
def test_signatures_at_the_end_and_above_a_quote(signature, after):
    found = parts(f"It is paid.\n\n{signature}{after}")
    assert found[:2] == [("own", "It is paid."), ("signature", signature)]
    assert [part for part, _ in found[2:]] == ["quoted"] * bool(after)


@pytest.mark.parametrize(
    "text",
    [
        "On Monday I wrote to them: no answer.\nOn Tuesday they paid.",
        "From: the beginning we knew.\nTo: be honest, nobody asked.",
        "Thanks for the file. It opens now.\nThe ticket can be closed.",
        "Der Kunde schrieb:\nBitte kündigen.\nIch habe es getan.",
        "On the form they wrote:\n\nno thanks",
        "Costs:\n--\n" + "one more line\n" * 20,
        "Best offer so far is theirs, see below.\nWe take it.",
        "5 > 3, as they say\na > b",
        "Le client a payé :\n- lundi\n- mardi",
        "",
        "   \n\n",
    ],
)
def test_what_only_looks_like_a_mark_is_the_writers_own(text):
    assert {part for part, _ in parts(text)} <= {"own"}


def test_own_words_without_spans_are_all_words():
    assert own_words("> a", None) == "> a"
    assert json.loads(spans_text(message_spans("> a"))) == {
        "own": [],
        "quoted": [[0, 3]],
        "signature": [],
    }


LINES = st.lists(
    st.sampled_from(
        [*(line for text in BELOW for line in text.splitlines()), "-- ", "Best,", "Bo", "", "\r"]
    )
    | st.text(max_size=20)
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_parts_cover_a_message_once_and_alternate(lines, end):
    text = end.join(lines)
    spans = message_spans(text)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(one.end == two.start for one, two in pairwise(spans))
    assert all(one.part != two.part for one, two in pairwise(spans))
    assert message_spans(text) == spans
