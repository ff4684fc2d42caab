"""Where files lie: by a path, by an address, by Spark's name of it."""

from __future__ import annotations

import pyarrow.fs as pafs
import pytest

from regesta.errors import ConfigurationError
from regesta.query.store import resolve


def test_addresses_have_the_file_systems_of_their_names(tmp_path):
    for root in (str(tmp_path), f"{tmp_path.as_uri()}/"):
        system, path = resolve(root)
        assert (type(system), path) == (pafs.LocalFileSystem, str(tmp_path))


def test_spark_and_arrow_mean_the_same_bucket():
    for scheme in ("s3", "s3a"):
        system, path = resolve(f"{scheme}://lake/warehouse?region=eu-north-1")
        assert (type(system), path) == (pafs.S3FileSystem, "lake/warehouse")


def test_a_file_system_that_there_is_not_is_told():
    with pytest.raises(ConfigurationError, match="s3n://lake/w can't be opened"):
        resolve("s3n://lake/w")
