"""What expressions can call beyond JMESPath: against values worked out by hand."""

from __future__ import annotations

import pytest

from regesta.sources.expressions import compile_expression


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("https://www.Acme.example:8443/about?x=1", "acme.example"),
        ("http://user@acme.example", "acme.example"),
        ("acme.example/", "acme.example"),
        ("Ann.Lee@Mail.Acme.Example", "mail.acme.example"),
        (" www.acme.co.example. ", "acme.co.example"),
        ("n/a", None),
        ("none", None),
        ("", None),
        (None, None),
    ],
)
def test_domain(address, domain):
    assert compile_expression("domain(a)")({"a": address}) == domain


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("items(history)", [["a", [1]], ["b", [2, 3]]]),
        ("items(absent)", None),
        ("split(url, '/')[-1]", "47"),
        ("split(absent, '/')", None),
        ("html_text(markup)", "No power &\n\nsince noon"),
        ("html_text(absent)", None),
        ('lookup(`{"1": "New"}`, code)', "New"),
        ('lookup(`{"2": "Open"}`, code)', "1"),
        ('lookup(`{"1": "New"}`, number)', "New"),
        ('lookup(`{"1": "New"}`, absent)', None),
    ],
)
def test_texts_and_tables(expression, value):
    record = {
        "history": {"b": [2, 3], "a": [1]},
        "url": "https://x.example/issues/47",
        "code": "1",
        "markup": "<p>No <b>power</b> &amp;</p><p>since noon</p>",
        "number": 1,
    }
    assert compile_expression(expression)(record) == value


def test_spread_sees_an_element_beside_its_record():
    page = {
        "issues": [
            {"key": "A-1", "log": [{"id": 1}, {"id": 2}]},
            {"key": "A-2", "log": []},
            {"key": "A-3"},
        ]
    }
    assert compile_expression("spread(issues, &log, 'change')[].[key, change.id]")(page) == [
        ["A-1", 1],
        ["A-1", 2],
    ]
    assert compile_expression("spread(absent, &log, 'change')")(page) is None


def test_spread_twice_reaches_lists_in_objects():
    page = {"results": [{"id": "7", "history": {"plan": ["pro", "basic"], "city": ["Oslo"]}}]}
    expression = "spread(spread(results, &items(history), 'field'), &field[1], 'value')"
    assert compile_expression(f"{expression}[].[id, field[0], value]")(page) == [
        ["7", "city", "Oslo"],
        ["7", "plan", "pro"],
        ["7", "plan", "basic"],
    ]


@pytest.mark.parametrize(
    ("expression", "record", "reason"),
    [
        ("spread(a, &b, 'c')", {"a": [{"b": {}}]}, "spread\\(\\) expects objects that hold a list"),
        ("spread(a, &b, 'c')", {"a": ["x"]}, "spread\\(\\) expects objects that hold a list"),
        ("split(a, '')", {"a": "x"}, "a separator that is not empty"),
        ("domain(a)", {"a": 7}, "invalid type for value: 7"),
    ],
)
def test_wrong_arguments_are_told(expression, record, reason):
    with pytest.raises(ValueError, match=reason):
        compile_expression(expression)(record)
