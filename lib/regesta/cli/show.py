"""What the command prints: tables on a terminal, JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from regesta.cli.drawing import timeline
from regesta.cli.show_model import USED, show_used
from regesta.cli.tables import plain, print_json, print_table, shortened
from regesta.query.times import show as show_time

if TYPE_CHECKING:
    from pathlib import Path

    from regesta.cli.doctor import Finding
    from regesta.errors import RegestaError
    from regesta.pipeline import BatchReport
    from regesta.query import Change, Explanation, Fact, Hit, Hits, Life, Verdict
    from regesta.rebuild.rebuild import Rebuilt


def error(mistake: RegestaError) -> None:
    """Print a mistake on stderr."""
    Console(stderr=True, soft_wrap=True).print(f"[red]error:[/red] {escape(str(mistake))}")


def hits(found: Hits, *, as_json: bool) -> None:
    """Print the hits of a search, those of each scope best first."""
    if as_json:
        print_json([_hit(hit) for hit in found])
        return
    if not found:
        Console().print("nothing found")
    for kind, (columns, row) in _HIT_TABLES.items():
        rows = [(f"{hit.score:.3f}", *row(hit.found), hit.id) for hit in found if hit.kind == kind]
        if rows:
            print_table("", ("score", *columns, f"{kind} id"), rows)


def _hit(hit: Hit) -> dict[str, Any]:
    place = {"score": hit.score, "ranks": dict(hit.ranks), "group": hit.group, "found": hit.kind}
    return {**place, **plain(hit.found)}


def _named_row(found: Any) -> tuple[str, ...]:
    return found.name, shortened(found.summary)


_HIT_TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Any], tuple[str, ...]]]] = {
    "fact": (("fact", "valid"), lambda fact: (fact.text, fact.dates)),
    "entity": (("entity", "label"), lambda entity: (entity.name, entity.label or "")),
    "community": (("community", "summary"), _named_row),
    "episode": (
        ("words", "date", "source"),
        lambda episode: (
            shortened(episode.own_words),
            show_time(episode.reference_time),
            f"{episode.source} {episode.source_id}",
        ),
    ),
}


def lives(found: Sequence[Life], *, as_json: bool, title: str, now: int) -> None:
    """Print facts with both axes of time and why each ended, and draw when they held.

    What still holds is drawn to `now`.
    """
    if as_json:
        print_json([{**plain(each.fact), **_reasons(each)} for each in found])
        return
    facts = [each.fact for each in found]
    rows = [
        (
            fact.relation,
            fact.object or fact.value or "",
            fact.dates,
            _believed(fact),
            fact.fact_id,
        )
        for fact in facts
    ]
    print_table(title, ("relation", "object", "valid", "believed", "fact id"), rows)
    for each in found:
        for reason in filter(None, (each.ended, each.expired)):
            text = f"{each.fact.relation} {each.fact.object or each.fact.value}, {each.fact.dates}"
            Console(soft_wrap=True).print(escape(f"{text}: {reason.words}"), highlight=False)
    for line in timeline(facts, now):
        Console().print(escape(line), highlight=False, no_wrap=True)


def explanations(found: Sequence[Explanation], *, as_json: bool) -> None:
    """Print why facts are believed: each citation with the quoted words."""
    if as_json:
        print_json([plain(each) for each in found])
        return
    console = Console()
    for each in found:
        console.print(f"[bold]{escape(each.fact.text)}[/bold]  {each.fact.dates}")
        console.print(f"  believed {_believed(each.fact)}")
        for evidence in each.evidence:
            console.print(f"  said by {escape(evidence.label)}", highlight=False)
            if evidence.quote:
                console.print(f"    [italic]{escape(evidence.quote)}[/italic]", highlight=False)
        for reason in filter(None, (each.ended, each.expired)):
            console.print(f"  {escape(reason.words)}", highlight=False)
            if reason.quote:
                console.print(f"    [italic]{escape(reason.quote)}[/italic]", highlight=False)


def _reasons(life: Life) -> dict[str, Any]:
    return {"ended": plain(life.ended), "expired": plain(life.expired)}


def changes(found: Sequence[Change], *, as_json: bool, title: str) -> None:
    """Print what changed, each with its dates before and after."""
    if as_json:
        print_json([plain(change) for change in found])
        return
    rows = [
        (
            change.kind,
            change.text,
            change.before.dates if change.before else "",
            change.after.dates if change.after else "",
        )
        for change in found
    ]
    print_table(title, ("change", "what", "before", "after"), rows)


def rows(columns: Sequence[str], found: Sequence[tuple[Any, ...]], *, as_json: bool) -> None:
    """Print the rows of a query; times in UTC."""
    if as_json:
        print_json([dict(zip(columns, map(_cell, row), strict=True)) for row in found])
        return
    texts = [tuple("" if cell is None else str(_cell(cell)) for cell in row) for row in found]
    print_table(f"{len(found):,} rows", tuple(columns), texts)


def rebuilt(found: Rebuilt, *, as_json: bool) -> None:
    """Print what a rebuild compared: rows and differences by table, examples by key and column."""
    if as_json:
        print_json(plain(found))
        return
    print_table(
        f"generation {found.generation} from {found.batches:,} batches",
        ("table", "rows before", "rows after", "differences"),
        [
            (
                each.table,
                f"{each.rows_before:,}",
                f"{each.rows_after:,}",
                ", ".join(f"{count:,} {what}" for what, count in each.counts.items()) or "none",
            )
            for each in found.tables
        ],
    )
    examples = [
        (one.table, one.key, one.column or "", one.kind, one.before or "", one.after or "")
        for each in found.tables
        for one in each.examples
    ]
    if examples:
        columns = ("table", "key", "column", "difference", "before", "after")
        print_table("first differences of each table", columns, examples)


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
    return value


def batches(reports: Sequence[BatchReport], *, as_json: bool) -> None:
    """Print what each batch of a run did."""
    if as_json:
        print_json([plain(report) for report in reports])
        return
    for report in reports:
        state = "complete" if report.complete else "under way"
        rows = [
            (step, f"{counts.get('seconds', 0):.1f}", _counts(counts))
            for step, counts in report.steps.items()
        ]
        title = f"batch {report.number}, known at {show_time(report.known_at)}: {state}"
        print_table(title, ("step", "seconds", "counts"), rows)


def counts(found: Mapping[str, int], *, as_json: bool) -> None:
    """Print how many of what."""
    if as_json:
        print_json(found)
        return
    print_table("", ("", "count"), [(n.replace("_", " "), f"{c:,}") for n, c in found.items()])


def verdicts(found: Sequence[Verdict], *, as_json: bool) -> None:
    """Print verdicts on pairs of facts."""
    if as_json:
        print_json([plain(each) for each in found])
        return
    rows = [(v.left_fact, v.right_fact, v.verdict, v.author, v.reason) for v in found]
    print_table("", ("fact", "fact", "verdict", "author", "reason"), rows)


def status(found: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the warehouse's batches and the current snapshot."""
    if as_json:
        print_json(found)
        return
    uses_model = any(batch["tokens"] for batch in found["batches"])
    rows = [
        (
            str(batch["batch"]),
            batch["known_at"],
            f"{sum(step.get('seconds', 0) for step in batch['steps'].values()):.0f}",
            _counts({**batch["counts"], "verdicts_set_aside": _set_aside(batch["steps"])}),
            *(show_used(batch) if uses_model else ()),
        )
        for batch in found["batches"]
    ]
    columns = ("batch", "known at", "seconds", "counts", *(USED if uses_model else ()))
    print_table(found["warehouse"], columns, rows)
    print_table(
        "rejected rows",
        ("batch", "source", "reason", "rows"),
        [tuple(map(str, row.values())) for row in found["rejected"]],
    )
    print_table("tables", ("table", "rows"), [(t, f"{n:,}") for t, n in found["tables"].items()])


def _set_aside(steps: Mapping[str, Any]) -> int:
    """Return how many verdicts a batch set aside, because they link too many facts."""
    return int(steps.get("timeline", {}).get("verdicts_set_aside", 0))


def simulation(summary: Mapping[str, Any], folder: Path, *, as_json: bool) -> None:
    """Print what a simulation wrote, and how to build the graph from it."""
    if as_json:
        print_json(summary)
        return
    sources = [(name, f"{rows:,}") for name, rows in summary["rows_by_source"].items()]
    truth = [(name, f"{rows:,}") for name, rows in summary["truth_rows"].items()]
    print_table(str(folder / "archive"), ("source", "rows"), sources)
    print_table(str(folder / "truth"), ("table", "rows"), truth)
    command = f"regesta nightly --conf {folder}/conf --known-at {summary['known_at']}"
    Console(soft_wrap=True).print(f"Build the graph: {command}", markup=False, highlight=False)


def findings(found: Iterable[Finding], *, as_json: bool) -> None:
    """Print what the doctor found."""
    listed = list(found)
    if as_json:
        print_json([plain(finding) for finding in listed])
        return
    rows = [("ok" if f.ok else "WRONG", f.what, f.told) for f in listed]
    print_table("", ("", "what", "found"), rows)


def _believed(fact: Fact) -> str:
    if fact.expired_at is None:
        return f"since {show_time(fact.created_at)}"
    return f"{show_time(fact.created_at)} to {show_time(fact.expired_at)}"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:,}"
        for name, value in counts.items()
        if isinstance(value, int) and not isinstance(value, bool) and value
    )
