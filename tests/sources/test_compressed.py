from __future__ import annotations

import gzip
import random

import pytest

from regesta.sources.compressed import contents, whole_lines

TEXT = "\n".join(str(random.Random(number).random()) for number in range(50_000)).encode()


def read(content):
    problems = []
    return b"".join(contents(content, problems)), problems


def test_whole_files_plain_and_compressed():
    assert read(TEXT) == (TEXT, [])
    assert read(b"") == (b"", [])
    assert read(gzip.compress(TEXT)) == (TEXT, [])
    assert read(gzip.compress(TEXT) + gzip.compress(b"more") + b"\0" * 9) == (TEXT + b"more", [])


@pytest.mark.parametrize("kept", [1, 2, 10, 100_000, 200_000])
def test_a_file_that_ends_early(kept):
    whole = gzip.compress(TEXT)
    text, problems = read(whole[:-kept])
    assert TEXT.startswith(text)
    assert problems == [f"broken gzip: it ends early, after {len(text):,} bytes of text"]


def test_a_file_that_is_damaged_in_the_middle():
    whole = bytearray(gzip.compress(TEXT))
    whole[200_000:200_010] = b"0123456789"
    text, (problem,) = read(bytes(whole))
    assert TEXT.startswith(text[:100_000])
    assert problem.startswith("broken gzip: Error -3")
    assert read(gzip.compress(TEXT) + b"rest") == (
        TEXT,
        [f"broken gzip: no gzip follows after {len(TEXT):,} bytes of text"],
    )


def lines(content):
    problems = []
    return list(whole_lines(content, problems)), bool(problems)


def test_lines_with_and_without_a_last_end():
    assert lines(gzip.compress(b"a\n\nb\n")) == ([b"a", b"", b"b"], False)
    assert lines(b"a\nb") == ([b"a", b"b"], False)
    assert lines(b"") == ([], False)
    assert lines(gzip.compress(TEXT)) == (TEXT.split(b"\n"), False)


def test_a_line_cut_off_by_damage_is_no_line():
    found, damaged = lines(gzip.compress(TEXT)[:-100_000])
    assert damaged
    assert len(found) > 1_000
    assert found == TEXT.split(b"\n")[: len(found)]
