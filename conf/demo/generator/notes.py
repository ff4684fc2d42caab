"""Notes: the account managers' pages, in Markdown; Acme's was written anew in April."""

from __future__ import annotations

ACME = """---
date: {date}
unit: north
author: {author}
---
# Acme

## Who is who

{people}

## Renewal

{renewal}
"""
FIRST = {
    "date": "2024-02-20",
    "author": "Alice Moreau",
    "people": "Petra Novak decides about sensors. Rosa works for the Acme in Sevilla, not for us.",
    "renewal": "On pro since February. They ask for a second gateway before the summer.",
}
SECOND = {
    "date": "2024-04-12",
    "author": "Bruno Keller",
    "people": "Petra Novak is leaving at the end of April; ask Greta for the new contact.",
    "renewal": FIRST["renewal"],
}
TIDEWATER = """---
date: 2024-05-16
unit: north
author: Dagny Holm
---
# Tidewater Labs

They moved up to pro in the first days of April, after the leak in the north basin.
"""


def notes() -> dict[str, str]:
    """Return the pages, each under the month in which it was saved."""
    return {
        "notes/2024-02/acme.md": ACME.format(**FIRST),
        "notes/2024-04/acme.md": ACME.format(**SECOND),
        "notes/2024-05/tidewater.md": TIDEWATER,
    }
