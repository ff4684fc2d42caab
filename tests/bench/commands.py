"""The `regesta` command of this checkout, as benches run it, and the configuration it is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REGESTA = [sys.executable, "-c", "from regesta.cli.main import main; main()"]
ENVIRONMENT = {"PYTHONPATH": str(ROOT / "lib")}


def batches(conf: Path) -> list[dict[str, Any]]:
    """Return what `regesta status --json` tells of the batches: seconds and counts by step."""
    answer = subprocess.run(
        [*REGESTA, "status", "--conf", str(conf), "--json"],
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(answer.stdout)["batches"]
    return found


def write_files(conf: Path, files: Mapping[str, str]) -> Path:
    """Write a folder of configuration, texts by name; return it."""
    for name, text in files.items():
        (conf / name).parent.mkdir(parents=True, exist_ok=True)
        (conf / name).write_text(text, "utf-8")
    return conf
