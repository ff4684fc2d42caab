"""Three nights over the shipped archive, in one session, then questions to what they published."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rich.console import Console

import regesta
from regesta.cli.main import app, run_command

CONF = Path("conf/demo")
BUILD = Path("build/demo")
NIGHTS = ("2024-04-01", "2024-05-01", "2024-07-01")
"""The known time of each night, which is the name of the folder that has arrived since the last."""
CONSOLE = Console(highlight=False)


def show(title: str, *words: str) -> None:
    """Print a title and a command, and run it."""
    quoted = (f'"{word}"' if " " in word else word for word in words)
    CONSOLE.print(f"\n[bold]{title}[/bold]\n$ regesta {' '.join(quoted)}")
    run_command(lambda: app([*words], standalone_mode=False))


def nights() -> None:
    """Deliver the archive night by night and run the nightly job on what has arrived."""
    shutil.rmtree(BUILD, ignore_errors=True)
    arrived = (BUILD / "archive").resolve()
    os.environ.update(REGESTA_CONF=str(CONF), DEMO_ARCHIVE=str(arrived))
    for night in NIGHTS:
        shutil.copytree(CONF / "archive" / night, arrived / night)
        show(f"What six systems delivered until {night}", "nightly", "--known-at", night)
    show("What came in each night, and what could not", "status")


def questions() -> None:
    """Ask on both axes of time, with citations, and what changed between the nights."""
    north = ("--group", "north")
    owner = ("history", "Acme", "OWNED_BY", *north)
    show("A search", "search", "gateway offline after firmware update", *north, "--limit", "3")
    chat = ("search", "mobile", "--recipe", "episode_bm25", *north)
    other = ("search", "router dead after upgrade", *north, "--limit", "3")
    show("The same in other words", *other)
    show("A message, as known on 1 April", *chat, "--known", "2024-04-01")
    show("The same search today: the message was removed on 22 April", *chat)
    show("Who owned Acme, as known on 10 April", *owner, "--known", "2024-04-10")
    show("The same, as known today: a correction came on 20 April", *owner)
    graph = regesta.open(BUILD / "warehouse" / "snapshots").group("north").as_of()
    show("Why that is believed", "why", graph.history("Acme", "OWNED_BY")[0].fact_id, *north)
    boss = ("history", "Petra Novak", "REPORTS_TO", *north)
    show("Whom Petra reports to, which only a message tells", *boss)
    changed = ("diff", NIGHTS[0], NIGHTS[-1], *north, "--about", "Acme")
    show("What has changed about Acme since the first night", *changed)


if __name__ == "__main__":
    nights()
    questions()
