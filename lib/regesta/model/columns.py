"""The types of columns."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

TIME: Final = pa.timestamp("us", tz="UTC")
TEXT: Final = pa.string()
NUMBER: Final = pa.int64()
FLAG: Final = pa.bool_()
BYTES: Final = pa.binary()
TEXTS: Final = pa.list_(pa.string())
TEXT_MAP: Final = pa.map_(pa.string(), pa.string())


def schema(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    """Return the schema of columns given by name and type."""
    return pa.schema(list(columns))
