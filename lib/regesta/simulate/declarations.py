"""The configuration that goes with a simulated archive, ready for `regesta nightly`."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def write_conf(folder: Path) -> None:
    """Write `conf` into a folder, which becomes the root that relative paths count from."""
    _copy(files("regesta.simulate") / "conf", folder / "conf")


def _copy(source: Traversable, target: Path) -> None:
    if source.is_file():
        target.write_bytes(source.read_bytes())
        return
    target.mkdir()
    for each in source.iterdir():
        _copy(each, target / each.name)
