from __future__ import annotations

import gzip

import pytest

from regesta.sources.declaration import Source
from regesta.sources.formats import file_rows, line_parser
from regesta.sources.parsed import BrokenTextError

BASE = {
    "source": "s",
    "path": "x",
    "mode": "event",
    "group": "g",
    "source_id": "id",
    "reference_time": "t",
}


def rows(content: bytes, **keys):
    source = Source.model_validate(BASE | keys)
    return [(row.number, row.record, row.reason) for row in file_rows(content, source, "x")]


def csv_rows(content: bytes, **keys):
    return rows(content, format="csv", **keys)


def test_quotes_newlines_and_commas_in_cells():
    content = b'a,b\r\n1,"x,\r\ny ""z"""\r\n\r\n2,\xc3\xa9'
    assert csv_rows(content) == [
        (2, {"a": "1", "b": 'x,\r\ny "z"'}, None),
        (5, {"a": "2", "b": "é"}, None),
    ]


def test_byte_order_mark_gzip_delimiter_and_encoding():
    assert csv_rows(b"\xef\xbb\xbfa;b\n1;2", delimiter=";") == [(2, {"a": "1", "b": "2"}, None)]
    assert csv_rows(gzip.compress(b"a\n1\n")) == [(2, {"a": "1"}, None)]
    assert csv_rows(b"a\n\xe9\n", encoding="cp1252") == [(2, {"a": "é"}, None)]


def test_rows_that_are_no_rows_leave_the_others():
    content = b'a,b\n1\n2,3,4\n5,"6"x\n\xff,7\n8,9\n'
    assert csv_rows(content) == [
        (2, None, "wrong number of cells: 1, the header has 2"),
        (3, None, "wrong number of cells: 3, the header has 2"),
        (4, None, "broken CSV: ',' expected after '\"'"),
        (5, None, "wrong encoding: not utf-8"),
        (6, {"a": "8", "b": "9"}, None),
    ]


def test_an_unclosed_quote_takes_no_other_row_with_it():
    assert csv_rows(b'a,b\n1,2\n3,"4\n5,6\n7,8\n') == [
        (2, {"a": "1", "b": "2"}, None),
        (3, None, "broken CSV: a quote is never closed"),
        (4, {"a": "5", "b": "6"}, None),
        (5, {"a": "7", "b": "8"}, None),
    ]


def test_a_column_named_twice_makes_every_row_ambiguous():
    reason = "duplicate key: the header names the column 'a' twice"
    assert csv_rows(b"a,a\n1,2\n3,4\n") == [(2, None, reason), (3, None, reason)]


def test_empty_files_have_no_rows():
    assert csv_rows(b"") == csv_rows(b"a,b\n") == []


def test_json_files():
    assert rows(b'[{"a": 1}, {"a": 2}]', format="json") == [
        (1, {"a": 1}, None),
        (2, {"a": 2}, None),
    ]
    assert rows(b'{"a": 1}', format="json") == [(1, {"a": 1}, None)]
    nested = b'\xef\xbb\xbf{"page": {"rows": [{"a": 1}]}}'
    assert rows(nested, format="json", records="page.rows") == [(1, {"a": 1}, None)]
    assert rows(gzip.compress(b"[]"), format="json") == []


def test_a_doubled_key_rejects_its_record_only():
    content = b'[{"a": 1}, {"b": [{"c": 1, "c": 2}]}, {"a": 3}]'
    assert [row[2] for row in rows(content, format="json")] == [
        None,
        "duplicate key: 'c' occurs twice in one object",
        None,
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'[{"a": 1}', "broken JSON: "),
        (b'{"a": "\xff"}', "wrong encoding: not utf-8 at byte 8"),
        (b"\x1f\x8b broken", "broken gzip: "),
        (b'{"rows": 3}', "not a list: records (rows) gives int"),
    ],
)
def test_a_file_that_is_no_json_is_one_broken_row(content, reason):
    ((number, record, found),) = rows(content, format="json", records="rows")
    assert (number, record) == (1, None)
    assert found.startswith(reason)


def test_lines():
    parse = line_parser("utf-8")
    assert parse('\ufeff{"a": "é😀"}\r'.encode()) == {"a": "é😀"}
    assert parse(rb'{"a": "\ud83d\ude00"}') == {"a": "😀"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": }', "broken JSON: Expecting value"),
        (b'{"a": NaN}', "broken JSON: NaN is no JSON number"),
        (b"[" * 100_000, "broken JSON: "),
        (b'{"a": {"b": 1, "b": 1}}', "duplicate key: 'b' occurs twice in one object"),
        (b'{"a": "\xe9"}', "wrong encoding: not utf-8 at byte 8"),
        (rb'{"a": "\ud800"}', "wrong encoding: an escape names half a character"),
    ],
)
def test_broken_lines(line, reason):
    with pytest.raises(BrokenTextError) as caught:
        line_parser("utf-8")(line)
    assert str(caught.value).startswith(reason)


def test_a_line_after_a_broken_one_is_read():
    parse = line_parser("utf-8")
    with pytest.raises(BrokenTextError):
        parse(b'{"a": 1, "a": 2}')
    assert parse(b'{"a": 1}') == {"a": 1}


def test_a_damaged_file_gives_its_whole_rows_but_not_of_a_complete_delivery():
    table = "id\n" + "".join(f"{number * 7919 % 10007}\n" for number in range(50_000))
    damaged = gzip.compress(table.encode())[:-20_000]
    *read, (number, _, reason) = csv_rows(damaged)
    assert 10_000 < len(read) < 50_000
    assert [row[1]["id"] for row in read] == table.split("\n")[1 : len(read) + 1]
    assert (number, reason[:12]) == (len(read) + 2, "broken gzip:")
    snapshot = {"mode": "snapshot", "complete": True}
    assert csv_rows(damaged, **snapshot) == [(1, None, reason)]
    assert len(csv_rows(gzip.compress(table.encode()), **snapshot)) == 50_000
