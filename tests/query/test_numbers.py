"""Arrow's buffers read as pyarrow itself reads them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.query.segment import numbers

VALUES = st.lists(st.none() | st.integers(0, 2**31 - 1), max_size=20)


@given(VALUES, st.integers(0, 9), st.sampled_from([pa.int32(), pa.int64(), pa.timestamp("us")]))
def test_numbers(values, first, kind):
    array = pa.array(values, kind).slice(first)
    wanted = [-7 if value is None else value for value in values[first:]]
    assert numbers(array, -7).tolist() == wanted


@pytest.mark.parametrize("values", [[], [None], [None, None, 3]])
def test_edges(values):
    assert numbers(pa.array(values, pa.int64())).tolist() == [v or -1 for v in values]
