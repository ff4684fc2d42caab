from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.html import read_html

PAGE = """<!DOCTYPE html><html><head><title> Refund
 policy</title><meta name="Author" content="Ann"><meta property="article:published_time"
 content="2024-03-05T10:00:00+01:00"><style>p {color: red}</style><script>if (a < b) {}</script>
</head><body><h1>Refunds &amp; <em>returns</em></h1>Loose text<p>One<br>two   three&nbsp;four
</p><ul><li>first<li>second</ul><blockquote><p>quoted<br>twice</p></blockquote>
<pre>a  b
  c</pre><table><tr><th>Plan</th><td>Gold</td></tr></table>
<time datetime="2024-03-06">6 March</time>
"""


def test_a_page():
    text, blocks, title, metadata = read_html(PAGE)
    assert text.split("\n\n") == [
        "Refunds & returns",
        "Loose text",
        "One\ntwo three\u00a0four",
        "- first",
        "- second",
        "> quoted\n> twice",
        "a  b\n  c",
        "Plan Gold",
        "6 March",
    ]
    assert [text[block.start : block.end] for block in blocks] == text.split("\n\n")
    assert [block.level for block in blocks] == [1, *[None] * 8]
    assert title == "Refund policy"
    assert metadata == {
        "author": "Ann",
        "article:published_time": "2024-03-05T10:00:00+01:00",
        "time": "2024-03-06",
    }


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("5 < 6 <!-- not\n<p>this --><!DOCTYPE html>here", "5 < 6 here"),
        ("a < b <b", "a < b"),
        ("<!-- never closed <p>words</p>", ""),
        ("<p>never closed", "never closed"),
        ("a</p></div></blockquote>b", "a\n\nb"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>c", "> a\n\n> > b\n\nc"),
        ("<script>x</script>y<style>z", "y"),
        ("<p> </p><p>a</p><br><p>b</p>", "a\n\nb"),
        ("&lt;b&gt; &#233;&#xD800;", "<b> é\ufffd"),
    ],
)
def test_fragments(markup, text):
    assert read_html(markup).text == text


TAGS = st.sampled_from(["<p>", "</p>", "<pre>", "</pre>", "<li>", "<h2>", "</h2>", "<blockquote>"])


@given(st.lists(TAGS | st.text(max_size=8) | st.sampled_from(["<", "<!--", "&#", " ", "\n"])))
def test_blocks_are_apart_and_are_all_there_is(pieces):
    text, blocks, _, _ = read_html("".join(pieces))
    assert "\n\n".join(text[block.start : block.end] for block in blocks) == text
    assert all(text[block.start : block.end].strip() for block in blocks)
