"""A project in a folder, and its nights through the tests' session."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml


def write_project(
    folder: Path,
    sources: Mapping[str, Mapping[str, Any]],
    ontology: Mapping[str, Any],
) -> Path:
    """Write conf/ with these sources, by name, and a vocabulary; return it."""
    conf = folder / "conf"
    files = {"base": {"warehouse": "warehouse", "sources": list(sources)}}
    files |= {f"sources/{name}": {"source": name, **keys} for name, keys in sources.items()}
    files |= {"ontologies/words": ontology}
    for name, content in files.items():
        path = conf / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content))
    return conf


def run_night(spark: Any, conf: Path, known_at: str) -> Any:
    """Run a whole night and return what it reports last."""
    from regesta.config import load
    from regesta.pipeline import Run, open_pipeline
    from regesta.query.times import to_micros

    pipeline = open_pipeline(spark, load(conf), lambda text: None)
    reports = pipeline.run(Run(), to_micros(known_at))
    assert all(report.complete for report in reports)
    return reports[-1]


def command(monkeypatch: Any, *arguments: object) -> int:
    """Run the command in this process and return its exit code."""
    from regesta.cli.main import main

    monkeypatch.setattr(sys, "argv", ["regesta", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)
