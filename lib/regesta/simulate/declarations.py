"""The configuration that goes with a simulated archive, ready for `regesta nightly`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def write_conf(folder: Path) -> None:
    """Write `conf` into a folder, which becomes the root that relative paths count from."""
    for place in (
        "base.yaml",
        "ontologies/desk.yaml",
        *(f"sources/{name}.yaml" for name in SOURCES),
    ):
        path = folder / "conf" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (files("regesta.simulate") / "conf" / place).read_text("utf-8")
        path.write_text(text, "utf-8")


SOURCES = (
    "assignments",
    "contracts",
    "crm_accounts",
    "crm_history",
    "employments",
    "messages",
    "notes",
    "tickets",
)
