"""`regesta verdicts`: pairs of facts to judge, and what was judged of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from regesta.cli import show
from regesta.cli.options import (
    DEFAULT_CONF,
    AsJson,
    Conf,
    GroupName,
    Known,
    KnownAt,
    Snapshots,
    graph_of,
    run_time,
)

app = typer.Typer(no_args_is_help=True, help="Which facts contradict each other, as judged.")


@app.command(epilog="Example: regesta verdicts candidates pairs.jsonl --group emea --limit 200")
def candidates(
    file: Annotated[Path, typer.Argument(help="Where to write the pairs, one on each line.")],
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    known: Known = None,
    limit: Annotated[int, typer.Option(min=1, help="How many pairs.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Write pairs of facts that share an entity and overlap in time, for somebody to judge.

    Each line takes a verdict ("contradicts" or "does not contradict"), a reason, an author and by
    whom ("person" or "model"), and optionally `at`, a date; then `regesta verdicts add`.
    """
    graph = graph_of(conf, snapshots, group, None, known)
    found = graph.candidates(limit=limit)
    lines = [
        {
            "group": graph.name,
            "left": left.fact_id,
            "right": right.fact_id,
            "left_told": f"{left.text}, {left.dates}",
            "right_told": f"{right.text}, {right.dates}",
            **dict.fromkeys(("verdict", "reason", "author", "by")),
        }
        for left, right in found.pairs
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    file.write_text(text, "utf-8")
    counts = {
        "written": len(lines),
        "found": found.found,
        "facts_left_out": found.facts_left_out,
    }
    show.counts(counts, as_json=as_json)


@app.command(epilog="Example: regesta verdicts add pairs.jsonl")
def add(
    file: Annotated[Path, typer.Argument(help="Verdicts, one on each line, as JSON.")],
    *,
    conf: Conf = DEFAULT_CONF,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Take in verdicts on pairs of facts; the next `regesta nightly` applies them.

    The same file again adds nothing. Lines whose verdict is null are left out.
    """
    from regesta.cli.main import open_build  # noqa: PLC0415

    pipeline = open_build(conf, None)
    show.counts(pipeline.add_verdicts(file, run_time(known_at)), as_json=as_json)


@app.command("set-aside", epilog="Example: regesta verdicts set-aside --group emea")
def set_aside(
    *,
    conf: Conf = DEFAULT_CONF,
    snapshots: Snapshots = None,
    group: GroupName = None,
    known: Known = None,
    as_json: AsJson = False,
) -> None:
    """List the verdicts that do not count, because contradictions link too many facts.

    How many are too many is `timeline: most_judged` in base.yaml; a verdict that two of them don't
    contradict each other parts them.
    """
    graph = graph_of(conf, snapshots, group, None, known)
    show.verdicts(graph.verdicts(set_aside=True), as_json=as_json)
