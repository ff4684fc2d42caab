from __future__ import annotations

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.sources.expressions import compile_content, compile_expression, is_true

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2.5, "", "x", "a"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
)
LITERALS = st.sampled_from(
    ["`0`", "`1`", "`true`", "`false`", "`null`", "''", "'x'", "`[]`", "`{}`"]
)


def expressions():
    leaves = NAMES | LITERALS | st.just("@")
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, NAMES).map(lambda pair: f"({pair[0]}).{pair[1]}"),
            st.tuples(inner, st.sampled_from(["==", "!=", "<", "&&", "||", "|"]), inner).map(
                lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
            ),
            inner.map(lambda text: f"!({text})"),
            st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
            inner.map(lambda text: f"({text})[*].a"),
            inner.map(lambda text: f"({text})[0]"),
            inner.map(lambda text: f"to_string({text})"),
            inner.map(lambda text: f"length({text})"),
        ),
        max_leaves=6,
    )


@given(expressions(), VALUES)
def test_equals_jmespath_itself(text, value):
    try:
        expected = jmespath.search(text, value)
    except (ValueError, TypeError):
        with pytest.raises(ValueError, match="failed"):
            compile_expression(text)(value)
        return
    found = compile_expression(text)(value)
    assert (repr(found), type(found)) == (repr(expected), type(expected))


def test_zero_is_true_and_empty_is_not():
    assert is_true(0)
    assert not any(map(is_true, [None, False, "", [], {}]))


def test_wrong_type_names_the_expression():
    with pytest.raises(ValueError, match=r"expression \"join\('/', \[a, b\]\)\" failed"):
        compile_expression("join('/', [a, b])")({"a": "x", "b": None})


@pytest.mark.parametrize("text", ["a.", "'open", "nofunction(a)", "join('/')", "length(a, b)", ""])
def test_mistakes_are_found_before_any_record(text):
    with pytest.raises(ValueError, match="expected a JMESPath expression"):
        compile_expression(text)


@pytest.mark.parametrize(
    ("record", "content"),
    [
        ({"a": 1, "b": {"c": 2}}, {"x": 1, "y": 2, "z": 1}),
        ({"b": {"c": None}}, {"y": None, "z": None}),
        ({"a": None, "b": None}, {"x": None, "y": None, "z": None}),
        ({"a": "", "b": {}}, {"x": "", "z": None}),
    ],
)
def test_a_content_lacks_what_the_record_lacks(record, content):
    made = compile_content("{x: a, y: b.c, z: a || b.c}")(record)
    assert made == content
    assert compile_content("b")(record) == record.get("b")
