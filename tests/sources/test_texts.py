from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from regesta.sources.texts import text_rows

PLACE = {"path": "docs/a.md", "folder": "docs", "name": "a.md", "stem": "a"}
GUIDE = """---
title: Guide
date: 2024-03-05
tags: [a, 2]
---
Before it all.

# Set *up*

Step one.

- a
- b

Install
-------

```
# no heading
```
[link]: http://x.example

# Set up

Again.
"""


def rows(content, form="markdown", **place):
    data = content if isinstance(content, bytes) else content.encode()
    return list(text_rows(data, form, "utf-8", PLACE | place))


def records(*arguments, **place):
    return [row.record for row in rows(*arguments, **place)]


def test_markdown():
    found = records(GUIDE)
    assert [(r["heading_path"], r["section"], r["text"]) for r in found] == [
        ([], "#1", "Before it all."),
        (["Set up"], "Set up#1", "# Set *up*\n\nStep one.\n\n- a\n- b"),
        (
            ["Set up", "Install"],
            "Set up/Install#1",
            "Install\n-------\n\n```\n# no heading\n```\n[link]: http://x.example",
        ),
        (["Set up"], "Set up#2", "# Set up\n\nAgain."),
    ]
    assert all(GUIDE[r["start"] : r["end"]] == r["text"] for r in found)
    shared = [found[0][key] for key in ("path", "name", "folder", "title", "date")]
    assert shared == ["docs/a.md", "a.md", "docs", "Guide", "2024-03-05"]
    assert found[0]["front_matter"] == {"title": "Guide", "date": "2024-03-05", "tags": ["a", 2]}
    assert found[0]["metadata"] == {}


def test_plain_text():
    found = records("\ufeffOne.\r\n\r\nTwo,\r\ntwo.\r\n", "text", name="2024-03-05-notes.txt")
    assert [(r["section"], r["text"], r["title"], r["date"]) for r in found] == [
        ("#1", "One.\r\n\r\nTwo,\r\ntwo.", "a", "2024-03-05"),
    ]


def test_html():
    page = (
        "<title>Refunds</title><meta name=date content=2024-03-05><body>Hi<h1>A</h1><p>one"
        "<h2>B &amp; C</h2>two</body>"
    )
    found = records(page, "html")
    assert [(r["heading_path"], r["text"]) for r in found] == [
        ([], "Hi"),
        (["A"], "A\n\none"),
        (["A", "B & C"], "B & C\n\ntwo"),
    ]
    assert (found[0]["title"], found[0]["date"]) == ("Refunds", "2024-03-05")
    assert found[0]["metadata"] == {"date": "2024-03-05"}


def test_a_page_that_a_markdown_library_wrote_has_the_same_sections():
    page = MarkdownIt("commonmark").render(GUIDE.split("---\n", 2)[2])
    assert [r["section"] for r in records(page, "html")] == [r["section"] for r in records(GUIDE)]


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2024-03-05-notes.md", "2024-03-05"),
        ("notes_20240305.md", "2024-03-05"),
        ("2024.03.05.md", "2024-03-05"),
        ("2024-13-05 2024-12-31.md", "2024-12-31"),
        ("ticket-1234567890.md", None),
        ("2024-03.md", None),
        ("notes.md", None),
    ],
)
def test_dates_of_names(name, date):
    assert records("text", name=name)[0]["date"] == date


def test_titles_of_headings():
    assert records("text\n\n## First\n\n# Second")[0]["title"] == "First"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"caf\xe9", "wrong encoding: not utf-8 at byte 4 (unexpected end of data)"),
        ("---\na: [\n---\nx", "broken front matter: while parsing"),
        ("---\na: &x 1\nb: *x\n---\nx", "broken front matter: it has aliases"),
        ("---\ndate: 2024-02-31\n---\nx", "broken front matter: day is out of range"),
    ],
)
def test_files_that_can_not_be_read(content, reason):
    ((number, record, _, told),) = rows(content)
    assert (number, record) == (1, None)
    assert told.startswith(reason)


def test_what_only_looks_like_front_matter():
    text = "---\nA rule above, one below.\n\n---\nMore."
    assert [r["text"] for r in records(text)] == [text]
    assert records("--- \n---\nx")[0]["text"] == "--- \n---\nx"


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_an_empty_file_is_one_empty_section(form):
    (record,) = records("", form)
    assert (record["section"], record["text"], record["start"], record["end"]) == ("#1", "", 0, 0)


PIECES = st.sampled_from(
    ["# A", "## B", "text", "- item", "> quote", "```", "---", "===", "", "    code", "[l]: /u"]
)


@given(
    st.lists(PIECES | st.text(max_size=30), max_size=25),
    st.sampled_from(["\n", "\r\n", "\n\n", "\r"]),
    st.sampled_from(["text", "markdown"]),
)
def test_offsets_slice_back_to_the_text_and_cover_it_once(pieces, end, form):
    text = end.join(pieces)
    found = rows(text, form)
    if found[0].reason is not None:
        return
    covered = 0
    for record in (row.record for row in found):
        assert text.removeprefix("\ufeff")[record["start"] : record["end"]] == record["text"]
        assert not record["front_matter"]
        assert record["start"] >= covered
        assert not text.removeprefix("\ufeff")[covered : record["start"]].strip()
        covered = record["end"]
    assert not text.removeprefix("\ufeff")[covered:].strip()
    assert rows(text, form) == found
