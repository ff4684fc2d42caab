"""Sentences of our own to statements, worked by hand; said on Wednesday, 13 March 2024, at noon."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("duckling", reason="needs the extra `text`")

from regesta.extract.rows import Episode
from regesta.extract.text.extractor import TextExtractor
from regesta.extract.text.phrasebook import phrasebook
from regesta.ontology import Ontology
from regesta.sources.declaration import Source

ONTOLOGY = Ontology.model_validate(
    {
        "relations": {
            "WORKS_AT": {
                "subjects": ["Person"],
                "objects": ["Company"],
                "told": ["employment"],
            },
            "OWNED_BY": {"subjects": ["Company"], "objects": ["Person"], "told": ["ownership"]},
            "MANAGED_BY": {"subjects": ["Company"], "objects": ["Person"], "told": ["management"]},
            "HAS_TITLE": {"subjects": ["Person"], "told": ["job_title"]},
            "HAS_PLAN": {"subjects": ["Company"], "told": ["plan"], "values": "basic|pro"},
            "HAS_STATUS": {"subjects": ["Ticket"], "told": ["ticket_status"]},
            "HAS_PRIORITY": {"subjects": ["Ticket"], "told": ["priority"], "values": "p[1-5]"},
            "ASSIGNED_TO": {
                "subjects": ["Ticket"],
                "objects": ["Person"],
                "told": ["assignment"],
            },
            "REPORTS_TO": {"subjects": ["Person"], "objects": ["Person"], "told": ["reporting"]},
            "HAS_ABSENCE": {"subjects": ["Person"], "told": ["absence"]},
            "MENTOR_OF": {
                "subjects": ["Person"],
                "objects": ["Person"],
                "told": [
                    "{subject} ~mentor {object}",
                    {"says": ["{subject} stopped mentoring {object}"], "ends": True},
                ],
            },
        },
        "labels": {"Person": {"personal_name": True}},
        "identifiers": {"ticket": {"written": r"T-\d+", "bearer": "Ticket"}},
    }
)
SOURCE = Source.model_validate(
    {
        "source": "chat",
        "path": "x",
        "format": "jsonl",
        "mode": "event",
        "kind": "message",
        "extractor": "local",
        "group": "'g'",
        "source_id": "id",
        "content": "text",
        "reference_time": "at",
    }
)
READER = TextExtractor(SOURCE, ONTOLOGY, phrasebook(ONTOLOGY), "salt")
SAID = int(datetime(2024, 3, 13, 12, tzinfo=UTC).timestamp()) * 1_000_000


def read(text, author=None, spans=None):
    episode = Episode("e", "g", "s", "chat", None, None, text, 5, SAID, SAID)
    return READER.extract(episode, author, spans)


def day(micros):
    return None if micros is None else datetime.fromtimestamp(micros / 1e6, UTC).date().isoformat()


def told(text, **said):
    """What is stated, as (subject, relation, object or value, polarity, from, to)."""
    mentions, statements = read(text, **said)
    names = {one.profile_id: one.name for one in mentions}
    return [
        (
            names[one.subject],
            one.relation,
            names[one.object] if one.object else one.value,
            one.polarity,
            day(one.valid_at),
            day(one.invalid_at),
        )
        for one in statements
    ]


WORKS = ("Anna Berg", "WORKS_AT", "Acme Systems")
STATED = {
    "Anna Berg joined Acme Systems on 4 March 2024.": [(*WORKS, "asserts", "2024-03-04", None)],
    "Anna Berg has been hired by Acme Systems.": [(*WORKS, "asserts", None, None)],
    "Anna Berg left Acme Systems last Friday.": [(*WORKS, "ends", None, "2024-03-09")],
    "Anna Berg no longer works at Acme Systems since Monday.": [
        (*WORKS, "ends", None, "2024-03-11")
    ],
    "Anna Berg doesn't work at Acme Systems any more.": [(*WORKS, "ends", None, None)],
    "Actually Anna Berg never worked at Acme Systems.": [(*WORKS, "retracts", None, None)],
    "Anna Berg was promoted to Head of Sales yesterday.": [
        ("Anna Berg", "HAS_TITLE", "Head of Sales", "asserts", "2024-03-12", None)
    ],
    "Acme Systems switched from basic to pro last month.": [
        ("Acme Systems", "HAS_PLAN", "pro", "asserts", "2024-02-01", None)
    ],
    "T-17 was fixed this morning.": [
        ("T-17", "HAS_STATUS", "solved", "asserts", "2024-03-13", None)
    ],
    "Yesterday we set T-17 to P1.": [("T-17", "HAS_PRIORITY", "P1", "asserts", "2024-03-12", None)],
    "Anna Berg will join Acme Systems on 2 April 2024.": [(*WORKS, "asserts", "2024-04-02", None)],
    "Ben Roth says Anna Berg joined Acme Systems.": [(*WORKS, "asserts", None, None)],
    "Anna Berg is away until 22 March 2024.": [
        ("Anna Berg", "HAS_ABSENCE", "away", "asserts", None, "2024-03-23")
    ],
    "The new plant manager is Anna Berg.": [
        ("Anna Berg", "HAS_TITLE", "plant manager", "asserts", None, None)
    ],
    "T-17 was clsoed today.": [("T-17", "HAS_STATUS", "closed", "asserts", "2024-03-13", None)],
    "Ben Roth mentors Anna Berg.": [("Ben Roth", "MENTOR_OF", "Anna Berg", "asserts", None, None)],
    "Ben Roth stopped mentoring Anna Berg in 2023.": [
        ("Ben Roth", "MENTOR_OF", "Anna Berg", "ends", None, "2024-01-01")
    ],
}
NOT_STATED = [
    "Does Anna Berg work at Acme Systems?",
    "Anna Berg might join Acme Systems.",
    "If Anna Berg joins Acme Systems, tell me.",
    "Anna Berg isn't working at Acme Systems.",
    "It is not true that Anna Berg joined Acme Systems.",
    "Maybe T-17 was fixed.",
    "Anna Berg would like to join Acme Systems.",
    "Let me know when Anna Berg joined Acme Systems.",
    "Thanks for the quick answer.",
    "Good morning, Anna!",
    # Asked for, promised, pending, on its way.
    "Please close T-17.",
    "Set T-17 to P1!",
    "Give T-17 to Anna Berg.",
    "Is T-17 closed",
    "T-17 needs to be fixed.",
    "T-17 will be fixed.",
    "T-17 is being fixed.",
    "I am fixing T-17 right now.",
    "T-17 is almost fixed.",
    "T-17 can be closed if you agree.",
    "Once T-17 is fixed I'll call you.",
    "Until T-17 is solved, nothing works.",
    "Anna Berg will join Acme Systems.",
    "Acme Systems refused to switch to pro.",
    "Acme Systems asked to be moved to pro.",
    "Can't wait for the day Anna Berg joins Acme Systems.",
    # Of something else.
    "The fix for T-17 did not help.",
    "T-17 is a duplicate of T-18.",
    "T-17: Anna Berg called again.",
    "Anna Berg called about T-17.",
    "Anna Berg handles Acme Systems' complaint.",
    "Anna Berg manages the Acme Systems project.",
    "Anna Berg has Acme Systems on the line.",
    "Anna Berg visited Acme Systems yesterday.",
    "Anna Berg is at Acme Systems today.",
    "Anna Berg left a message for Acme Systems.",
    "Anna Berg left the meeting at Acme Systems early.",
    "Anna Berg called Acme Systems.",
    "Anna Berg works with Acme Systems.",
    "Anna Berg applied for a job at Acme Systems.",
    "Anna Berg reported to Ben Roth that the lamp is red.",
    "Ben Roth gave Anna Berg instructions.",
    "Cleo Dahl met Anna Berg, then joined Acme Systems.",
    "Cleo Dahl, who knows Anna Berg, joined Acme Systems.",
    "Anna Berg was assistant referee.",
    "Anna Berg is a former director.",
    "T-17 was p1 before.",
    "Anna Berg is not away.",
    "Anna Berg was out walking.",
    "Anna Berg took a break.",
    "Oh, Anna Berg, Ben Roth!",
    "Anna Berg, Berlin",
    "Anna Berg: Acme Systems",
]


@pytest.mark.parametrize(("text", "expected"), STATED.items())
def test_a_sentence_states(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize("text", NOT_STATED)
def test_questions_hedges_and_denials_state_nothing(text):
    assert told(text) == []


def test_an_announced_stand_in_is_temporary():
    _, [one] = read("Ben Roth stands in for Anna Berg at Acme Systems until 22 March 2024.")
    assert (one.relation, one.temporary, day(one.invalid_at)) == ("MANAGED_BY", True, "2024-03-23")


def test_the_speaker_is_meant_by_i_and_the_only_name_by_she():
    assert told("I joined Acme Systems yesterday.", author="Ben Roth") == [
        ("Ben Roth", "WORKS_AT", "Acme Systems", "asserts", "2024-03-12", None)
    ]
    [one] = read("I joined Acme Systems yesterday.", author="Ben Roth")[1]
    assert one.text == "Ben Roth: I joined Acme Systems yesterday."
    [one] = read("Anna Berg reports to me.", author="Ben Roth")[1]
    assert one.text == "Ben Roth: Anna Berg reports to me."
    assert told("I joined Acme Systems yesterday.") == []
    text = "Say hello to Anna Berg. She joined Acme Systems today."
    assert told(text) == [(*WORKS, "asserts", "2024-03-13", None)]
    assert read(text)[1][0].text == "Anna Berg joined Acme Systems today."
    assert told("Anna Berg met Cleo Dahl. She joined Acme Systems today.") == []


def test_only_the_writers_own_words_count():
    text = "Thanks!\n> Anna Berg joined Acme Systems.\n"
    assert told(text, spans='{"own":[[0,8]],"quoted":[[8,42]],"signature":[]}') == []
    assert len(told(text)) == 1


def test_the_quote_stands_where_it_says():
    text = "Hi 🎈 there!\nAnna Berg joined Acme Systems.  Bye."
    mentions, [one] = read(text)
    assert text[one.quote_start : one.quote_end] == "Anna Berg joined Acme Systems."
    assert {text[m.quote_start : m.quote_end] for m in mentions} == {"Anna Berg", "Acme Systems"}


LOG = "\n".join(
    f"2024-03-13 12:00:{n % 60:02} ERROR [Worker-{n}] Job Anna Berg joined Acme Systems at "
    f"com.acme.Main.run(Main.java:{n})"
    for n in range(2000)
)
NONSENSE = {
    "a megabyte": "Anna Berg joined. " * 60_000,
    "one long word": "A" * 1_000_000,
    "one long sentence": "Anna Berg and " * 80_000,
    "digits": "2024-03-13 " * 90_000,
    "emoji": "🎈🎉👩‍👩‍👧 " * 2000,
    "right to left": "הצטרף אנה ברג ל Acme אתמול. انضمت آنا إلى Acme. " * 500,
    "mixed scripts": "Аnnа Веrg joined Αcme. 安娜加入了 Acme。" * 500,
    "HTML": "<div class='a'><b>Anna Berg</b> joined <i>Acme Systems</i>;</div>" * 500,
    "code": "```\nAnna Berg joined Acme Systems on 4 March 2024.\n```\n" * 500,
    "a stack trace": "Traceback (most recent call last):\n"
    + '  File "a.py", line 3, in joined\n    Acme.join(Anna)\n' * 1000,
    "a log": LOG,
    "brackets": "((((" * 5000 + "Anna Berg" + "))))" * 5000,
    "skipped words": "Anna Berg " + "now just also , " * 40 + "joined Acme Systems.",
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_gives_no_flood(name):
    assert len(read(NONSENSE[name])[1]) <= 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *STATED,
                *NOT_STATED,
                "\n",
                " ",
                "\x00",
                "\u202e",
                "🎈",
                "(",
                "'s",
                "until",
                "I",
                "2024",
            ]
        ),
        max_size=6,
    ).map(" ".join)
)
def test_any_mixture_is_read_the_same_twice_and_quotes_itself(text):
    mentions, statements = read(text, author="Cleo Dahl")
    assert (mentions, statements) == read(text, author="Cleo Dahl")
    profiles = {one.profile_id for one in mentions}
    assert all({one.subject, one.object} - {None} <= profiles for one in statements)
    assert all(0 <= one.quote_start < one.quote_end <= len(text) for one in statements)
    assert len({one.statement_id for one in statements}) == len(statements)


def test_a_missing_package_is_told_with_the_remedy(monkeypatch):
    from regesta.errors import SetupError
    from regesta.extract.text.step import check_installed

    check_installed("A source")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install 'regesta\[text\]'"):
        check_installed("A source")


@pytest.mark.parametrize(
    ("told_by", "mistake"),
    [
        ("greeting", "names no shipped phrasings"),
        ("{object} waves", "expected {subject}"),
        ("{subject} <was> here", "expected <be>, <have> or <until>"),
        ("{subject} (waves {object}", "as many closing brackets"),
    ],
)
def test_a_phrasing_that_cannot_be_read_is_named(told_by, mistake):
    from regesta.errors import ConfigurationError

    ontology = Ontology.model_validate({"relations": {"WAVES": {"told": [told_by]}}})
    with pytest.raises(ConfigurationError, match=r"relation WAVES: told: .*") as raised:
        phrasebook(ontology)
    assert mistake in str(raised.value)
