from __future__ import annotations

import pytest

from regesta.sources.files import place_in_archive


@pytest.mark.parametrize(
    ("path", "archive", "below", "folder", "stem"),
    [
        ("file:/a/slack/general/2024-03-05.json", "/a/slack", "general/2024-03-05.json", "general",
         "2024-03-05"),
        ("file:/a/slack/x/y.json.gz", "file:///a/slack/*/*.json", "x/y.json.gz", "x", "y"),
        ("s3a://bucket/deep/x/y.json", "s3a://bucket/deep/", "x/y.json", "x", "y"),
        ("hdfs://host:8020/a/b.mbox", "hdfs://host:8020/a/b.mbox", "b.mbox", "a", "b"),
        ("file:/a/conf/archive/t.md", "/a/b/../conf/arch*", "archive/t.md", "archive", "t"),
        ("file:/a/sla/t.md", "/a/sl", "a/sla/t.md", "sla", "t"),
        ("file:/t.txt", "/", "t.txt", "", "t"),
        ("file:/a/.hidden.txt", "/a", ".hidden.txt", "a", ".hidden"),
    ],
)  # fmt: skip
def test_where_a_file_stands(path, archive, below, folder, stem):
    found = place_in_archive(path, [archive])
    assert found == {
        "path": below,
        "folder": folder,
        "name": path.rpartition("/")[2],
        "stem": stem,
    }


def test_the_deepest_of_several_roots_counts():
    archive = ["/a", "/a/b/*.md", "/c"]
    assert place_in_archive("file:/a/b/x.md", archive)["path"] == "x.md"
    assert place_in_archive("file:/a/c/x.md", archive)["path"] == "c/x.md"
