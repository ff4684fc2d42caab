from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.cutting import Mark, cut


def found(text, marks, longest=20):
    return [(s.key, text[s.start : s.end]) for s in cut(text, marks, longest=longest)]


def test_headings_and_paragraphs():
    text = "intro\n# A\nsome words\n\n## B\nmore\n# A\nlast"
    marks = [Mark(0), Mark(6, 1, "A"), Mark(10), Mark(22, 2, "B"), Mark(27), Mark(32, 1, "A")]
    assert found(text, marks, 100) == [
        ("#1", "intro"),
        ("A#1", "# A\nsome words"),
        ("A/B#1", "## B\nmore"),
        ("A#2", "# A\nlast"),
    ]
    assert [section.heading_path for section in cut(text, marks)][2] == ("A", "B")


def test_what_is_too_long_is_cut_between_paragraphs():
    text = "eight ch\n\neight ch\n\neight ch"
    assert found(text, [Mark(0), Mark(10), Mark(20)]) == [
        ("#1", "eight ch\n\neight ch"),
        ("#2", "eight ch"),
    ]


def test_a_long_paragraph_is_cut_at_lines_sentences_and_words():
    assert found("a line of text\nand another", [Mark(0)]) == [
        *(("#1", "a line of text"), ("#2", "and another")),
    ]
    assert found("One sentence here. And one", [Mark(0)]) == [
        *(("#1", "One sentence here."), ("#2", "And one")),
    ]
    assert found("words and more words again", [Mark(0)]) == [
        *(("#1", "words and more words"), ("#2", "again")),
    ]
    assert found("x" * 45, [Mark(0)]) == [("#1", "x" * 20), ("#2", "x" * 20), ("#3", "x" * 5)]


def test_a_text_of_nothing_is_one_empty_section():
    assert found("", []) == found(" \n ", []) == [("#1", "")]


@st.composite
def marked(draw):
    text = draw(st.text("ab .\n\t\u00a0é", max_size=200))
    starts = draw(st.lists(st.integers(0, len(text)), unique=True, max_size=8))
    level = st.none() | st.integers(1, 3)
    marks = [Mark(start, each, "H") for start in sorted(starts) if (each := draw(level)) or True]
    return text, marks, draw(st.integers(1, 50))


@given(marked())
def test_sections_cover_all_but_white_space_once(case):
    text, marks, longest = case
    sections = cut(text, marks, longest=longest)
    covered = [place for s in sections for place in range(s.start, s.end)]
    assert covered == sorted(set(covered))
    missing = set(range(len(text))) - set(covered)
    assert all(text[place].isspace() for place in missing)
    assert all(s.end - s.start <= longest for s in sections)
    assert len({s.key for s in sections}) == len(sections)
    assert cut(text, marks, longest=longest) == sections
