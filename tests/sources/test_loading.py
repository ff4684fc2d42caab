from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from regesta.errors import ConfigurationError
from regesta.sources import mailboxes, texts
from regesta.sources.listing import declaration_hash
from regesta.sources.loading import load_sources

GOOD = """
source: tickets
path: data/*.jsonl
format: jsonl
mode: event
group: "'all'"
source_id: id
reference_time: at
"""


@pytest.fixture
def conf(tmp_path):
    folder = tmp_path / "conf" / "sources"
    folder.mkdir(parents=True)

    def write(**files: str) -> Path:
        for name, text in files.items():
            (folder / f"{name}.yaml").write_text(textwrap.dedent(text))
        return folder

    return write


def mistakes(folder, **options):
    with pytest.raises(ConfigurationError) as caught:
        load_sources(folder, environment={}, **options)
    return [line.removeprefix("  - ") for line in str(caught.value).splitlines()[1:]]


def test_defaults_and_paths(conf, tmp_path):
    (source,) = load_sources(conf(good=GOOD), environment={})
    assert source.path == (str(tmp_path / "data/*.jsonl"),)
    assert (source.authority, source.encoding, source.kind) == (10, "utf-8", "json")
    assert (source.max_rejected_share, source.reference_time.zone) == (0.01, "UTC")


def test_environment_in_paths(conf):
    text = GOOD.replace("data/*.jsonl", '["${IN}/x", "s3a://${BUCKET:-lake}/y", "/abs/${IN:-z}"]')
    (source,) = load_sources(conf(good=text), environment={"IN": "/data"})
    assert source.path == ("/data/x", "s3a://lake/y", "/abs/data")


def test_only_chosen_sources_need_their_variables(conf):
    other = GOOD.replace("tickets", "other").replace("data/", "${NOT_SET}/")
    folder = conf(good=GOOD, other=other)
    assert [one.source for one in load_sources(folder, names=["tickets"], environment={})] == [
        "tickets"
    ]
    (mistake,) = mistakes(folder)
    assert mistake.startswith(f"{folder}/other.yaml: path[0]: the environment variable NOT_SET is")
    (mistake,) = mistakes(folder, names=["ticket"])
    assert mistake == f"{folder}: no source is named 'ticket'; did you mean 'tickets'?"


def test_every_mistake_of_every_file_is_listed(conf):
    folder = conf(
        a="""
        source: a
        path: x
        format: jsonl
        mode: event
        delimiter: ";"
        group: "'g"
        source_id: id
        largest_drop: 2
        referense_time: at
        removed: {path: gone}
        entities:
          person: {label: Person, name: name, identifers: {}}
        statements:
          - {subject: persn, relation: knows, value: v, object: person}
          - {subject: person, relation: KNOWS, when: "nofunction(a)", empty: end}
          - {subject: person, relation: SINCE, value: v, retracts: ends, backfilled: true}
        for_each:
          - as: term
            in: terms
            entities: {person: {label: P, name: n}}
            statements: [{subject: term, relation: R, value: v, valid_at: {path: s, zone: Mars}}]
        """,
        b="""
        source: b
        path: x
        format: csw
        mode: snapshot
        group: g
        source_id: id
        source_id: other
        """,
        c="source: [unclosed",
        d=GOOD,
        e=GOOD,
    )
    found = mistakes(folder)
    text = "\n".join(found)
    a = f"{folder}/a.yaml"
    expected = [
        f"{a}: group: expected a JMESPath expression: ",
        f"{a}: largest_drop: Input should be less than or equal to 1, not 2",
        f"{a}: referense_time: unknown key; did you mean 'reference_time'?; expected one of sou",
        f"{a}: removed.means: is missing; expected withdrawn, ended or no_information",
        f"{a}: entities.person.identifers: unknown key; did you mean 'identifiers'?; expected on",
        f"{a}: statements[0].relation: String should match pattern",
        f"{a}: statements[1].when: expected a JMESPath expression: unknown function nofunction()",
        f"{a}: statements[1].empty: Input should be 'unknown' or 'ended', not \"end\"",
        f"{a}: for_each[0].statements[0].valid_at.zone: expected UTC or an IANA zone",
        f"{a}: delimiter: is only for format csv",
        f"{a}: reference_time: is missing: mode event needs",
        f"{a}: largest_drop: is only for mode snapshot",
        f"{a}: statements[0].subject: is no declared entity: 'persn'; expected one of person",
        f"{a}: statements[0]: has object and value",
        f"{a}: statements[1]: has neither object nor objects nor value",
        f"{a}: statements[2].retracts: is only for polarity: retracts",
        f"{a}: statements[2].backfilled: needs valid_at",
        f"{a}: for_each[0].entities.person: is the name of an entity of the whole record",
        f"{a}: for_each[0].statements[0].subject: is no declared entity: 'term'",
        f"{folder}/b.yaml: expected YAML: the key 'source_id' occurs twice",
        f"{folder}/c.yaml: expected YAML: ",
        f"{folder}/e.yaml: source: 'tickets' is also the name of {folder}/d.yaml",
    ]
    assert [line for line in expected if line not in text] == []
    assert len(found) == len(expected)


def test_what_is_no_mapping(conf):
    folder = conf(a="- source", b="")
    assert [line.split(": ", 1)[1] for line in mistakes(folder)] == [
        'expected a mapping with the keys of a source, not ["source"]',
        "expected a mapping with the keys of a source, not null",
    ]


@pytest.mark.parametrize(
    ("replaced", "by", "mistake"),
    [
        ("reference_time: at", "", "reference_time: is missing: mode event needs"),
        ("format: jsonl", "format: csv\nrecords: a", "records: is only for format json"),
        ("format: jsonl", "format: parquet\nencoding: utf-8", "encoding: is only for format jsonl"),
        ("format: jsonl", "format: csv\ndelimiter: ab", "delimiter: String should have at most 1"),
        ("mode: event", "mode: event\ncomplete: true", "complete: is only for mode snapshot"),
        ("mode: event", "mode: snapshot\nlargest_drop: 0.1", "largest_drop: needs complete: true"),
        (
            "reference_time: at",
            "reference_time: {path: at, inclusive: true}",
            "is only for invalid",
        ),
        (
            "reference_time: at",
            "reference_time: {path: at, format: '%Q'}",
            "expected strptime codes",
        ),
        ("format: jsonl", "format: jsonl\nencoding: utf-16", "expected an encoding that extends"),
        ("format: jsonl", "format: jsonl\nencoding: ebcdicx", "expected an encoding like utf-8"),
        ("source: tickets", "source: a b", "source: String should match pattern"),
        ("path: data/*.jsonl", "path: []", "path: Value should have at least 1 item"),
        ("group: \"'all'\"", "group: 3", "group: Input should be a valid string, not 3"),
    ],
)
def test_single_mistakes(conf, replaced, by, mistake):
    assert mistake in "\n".join(mistakes(conf(a=GOOD.replace(replaced, by))))


@pytest.mark.parametrize(
    ("relation", "mistake"),
    [
        ("works for", "statements[0].relation: String should match pattern"),
        ("{path: Field, prefix: HAS}", "statements[0].relation.prefix: String should match"),
        ("{path: Field, names: {Owner: owned by}}", "relation.names.Owner: String should match"),
        ("{path: Field}", "statements[0].relation: has neither names nor prefix; expected one"),
        ("{prefix: HAS_}", "statements[0].relation.path: is missing; expected an expression"),
        (
            "{path: F, prefix: HAS_, name: {A: B}}",
            "relation.name: unknown key; did you mean 'names'?",
        ),
        ("{path: 'a.', prefix: HAS_}", "relation.path: Value error, expected a JMESPath"),
    ],
)
def test_mistakes_in_a_relation(conf, relation, mistake):
    statements = f"statements: [{{subject: one, relation: {relation}, value: n}}]"
    text = GOOD + "entities: {one: {label: L, name: n}}\n" + statements
    found = mistakes(conf(a=text))
    assert mistake.replace("Value error, ", "") in found[0]
    assert len(found) == 1


def test_an_end_needs_no_object(conf):
    text = (
        GOOD
        + "entities: {one: {label: L, name: n}}\n"
        + "statements: [{subject: one, relation: R, polarity: ends}]"
    )
    (source,) = load_sources(conf(a=text), environment={})
    assert source.statements[0].polarity == "ends"


def test_a_declaration_counts_as_changed_when_its_episodes_would(conf):
    (plain,) = load_sources(conf(a=GOOD), environment={})
    (other,) = load_sources(conf(a=GOOD + "authority: 5\n"), environment={})
    (same,) = load_sources(conf(a=GOOD + "entities: {one: {label: L, name: n}}\n"), environment={})
    assert declaration_hash(plain) == declaration_hash(same) != declaration_hash(other)


def test_the_declarations_of_the_project_are_right():
    conf = Path(__file__).parents[2] / "conf" / "sources"
    paths = {"SERVICENOW_AUDIT": "/a", "CONGRESS_EPISODES": "/b"}
    names = [one.source for one in load_sources(conf, environment=paths)]
    assert {"servicenow", "congress"} <= set(names)


def test_mistakes_of_sources_of_words(conf):
    letters = GOOD.replace("jsonl\n", "mbox\n") + "kind: message\nencoding: utf-8\nfile: a b\n"
    pages = GOOD.replace("jsonl\n", "markdown\n") + "kind: text\ncontent: text\nentities:\n"
    folder = conf(
        letters=letters,
        pages=pages.replace("tickets", "pages") + "  page: {label: Page, name: title}\n",
    )
    assert [line.removeprefix(f"{folder}/") for line in mistakes(folder)] == [
        "letters.yaml: file: String should match pattern '^[A-Za-z][A-Za-z0-9_-]*$', not \"a b\"",
        "letters.yaml: encoding: is only for format jsonl or json or csv or text or markdown or "
        "html",
        "letters.yaml: content: is missing: kind message needs an expression for its text",
        "pages.yaml: thread: is missing: format markdown needs an expression for a section's "
        "document (path, mostly)",
        "pages.yaml: entities: is only for kind json: what fields say comes from a record; "
        "declare another source of kind json over the same files",
    ]


@pytest.mark.parametrize("module", [mailboxes, texts])
def test_the_declarations_shown_in_docstrings_are_right(conf, module):
    shown = [line for line in module.__doc__.splitlines() if line.startswith("    ")]
    start = next(n for n, line in enumerate(shown) if line.strip().startswith("source: "))
    (source,) = load_sources(conf(shown="\n".join(shown[start:])), environment={})
    assert source.thread in ("thread", "path")
