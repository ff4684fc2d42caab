"""What the command prints: tables on a terminal, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from regesta.query.times import show as show_time

if TYPE_CHECKING:
    from pathlib import Path

    from regesta.cli.doctor import Finding
    from regesta.errors import RegestaError
    from regesta.evaluate.evaluation import Evaluation
    from regesta.evaluate.measures import Score
    from regesta.evaluate.worst import Mistake
    from regesta.extract.preview import EpisodePreview, RowPreview
    from regesta.pipeline import BatchReport
    from regesta.query import Explanation, Fact, Hits

LONGEST_WORDS = 200
TIMES = (
    *("valid_at", "seen_from", "invalid_at", "created_at", "expired_at"),
    *("reference_time", "known_at"),
)


def error(mistake: RegestaError) -> None:
    """Print a mistake on stderr."""
    Console(stderr=True, soft_wrap=True).print(f"[red]error:[/red] {escape(str(mistake))}")


def hits(found: Hits, *, as_json: bool) -> None:
    """Print the hits of a search, best first."""
    if as_json:
        _json(
            [{"score": hit.score, **_plain(hit.fact or hit.episode or hit.entity)} for hit in found]
        )
        return
    if not found:
        Console().print("nothing found")
        return
    if found[0].episode:
        _table("", ("score", "words", "date", "source", "episode id"), _episode_rows(found))
        return
    if found[0].fact is None:
        rows = [
            (f"{h.score:.3f}", h.entity.name, h.entity.label or "", h.entity.entity_id)
            for h in found
            if h.entity
        ]
        _table("", ("score", "entity", "label", "id"), rows)
        return
    rows = [(f"{h.score:.3f}", h.fact.text, h.fact.dates, h.fact.fact_id) for h in found if h.fact]
    _table("", ("score", "fact", "valid", "fact id"), rows)


def _episode_rows(found: Hits) -> list[tuple[str, ...]]:
    return [
        (
            f"{hit.score:.3f}",
            shorten(hit.episode.own_words, LONGEST_WORDS, placeholder=" ..."),
            show_time(hit.episode.reference_time),
            f"{hit.episode.source} {hit.episode.source_id}",
            hit.episode.episode_id,
        )
        for hit in found
        if hit.episode
    ]


def facts(found: Sequence[Fact], *, as_json: bool, title: str) -> None:
    """Print facts with both axes of time."""
    if as_json:
        _json([_plain(fact) for fact in found])
        return
    rows = [
        (
            fact.relation,
            fact.object or fact.value or "",
            fact.dates,
            fact.end_reason or "",
            _believed(fact),
            fact.fact_id,
        )
        for fact in found
    ]
    _table(title, ("relation", "object", "valid", "end", "believed", "fact id"), rows)


def explanations(found: Sequence[Explanation], *, as_json: bool) -> None:
    """Print why facts are believed: each citation with the quoted words."""
    if as_json:
        _json([_plain(each) for each in found])
        return
    console = Console()
    for each in found:
        console.print(f"[bold]{escape(each.fact.text)}[/bold]  {each.fact.dates}")
        console.print(f"  believed {_believed(each.fact)}")
        for evidence in each.evidence:
            console.print(f"  said by {escape(evidence.label)}", highlight=False)
            if evidence.quote:
                console.print(f"    [italic]{escape(evidence.quote)}[/italic]", highlight=False)
        if each.fact.end_reason:
            by = f" by {each.ended_by.label}" if each.ended_by else ""
            console.print(f"  ended: {each.fact.end_reason}{escape(by)}", highlight=False)


def batches(reports: Sequence[BatchReport], *, as_json: bool) -> None:
    """Print what each batch of a run did."""
    if as_json:
        _json([_plain(report) for report in reports])
        return
    for report in reports:
        state = "complete" if report.complete else "under way"
        rows = [
            (step, f"{counts.get('seconds', 0):.1f}", _counts(counts))
            for step, counts in report.steps.items()
        ]
        title = f"batch {report.number}, known at {show_time(report.known_at)}: {state}"
        _table(title, ("step", "seconds", "counts"), rows)


def status(found: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the warehouse's batches and the current snapshot."""
    if as_json:
        _json(found)
        return
    rows = [
        (
            str(batch["batch"]),
            batch["known_at"],
            f"{sum(step.get('seconds', 0) for step in batch['steps'].values()):.0f}",
            _counts(batch["counts"]),
        )
        for batch in found["batches"]
    ]
    _table(found["warehouse"], ("batch", "known at", "seconds", "counts"), rows)
    _table(
        "rejected rows",
        ("batch", "source", "reason", "rows"),
        [tuple(map(str, row.values())) for row in found["rejected"]],
    )
    _table("tables", ("table", "rows"), [(t, f"{n:,}") for t, n in found["tables"].items()])


def simulation(summary: Mapping[str, Any], folder: Path, *, as_json: bool) -> None:
    """Print what a simulation wrote, and how to build the graph from it."""
    if as_json:
        _json(summary)
        return
    sources = [(name, f"{rows:,}") for name, rows in summary["rows_by_source"].items()]
    truth = [(name, f"{rows:,}") for name, rows in summary["truth_rows"].items()]
    _table(str(folder / "archive"), ("source", "rows"), sources)
    _table(str(folder / "truth"), ("table", "rows"), truth)
    command = f"regesta nightly --conf {folder}/conf --known-at {summary['known_at']}"
    Console(soft_wrap=True).print(f"Build the graph: {command}", markup=False, highlight=False)


def evaluation(found: Evaluation, *, as_json: bool) -> None:
    """Print the scores of a snapshot against the truth, and the worst errors."""
    if as_json:
        _json(_plain(found))
        return
    _overall(found)
    _kinds_of_entities(found)
    _relations(found)
    _kinds_of_events(found)
    for mistake in found.worst:
        _mistake(mistake)


def _overall(found: Evaluation) -> None:
    entities, facts, answers = found.entities, found.facts.every, found.answers
    b_cubed = (entities.b_cubed_precision, entities.b_cubed_recall, entities.b_cubed_f1)
    scores = [
        ("pairs of records", *_shares(entities.pairwise), *_errors(entities.pairwise)),
        ("B-cubed", *map(_percent, b_cubed), "", "", ""),
        ("triples", *_shares(facts.triples), *_errors(facts.triples)),
        ("rectangles", *_shares(facts.rectangles), *_errors(facts.rectangles)),
    ]
    title = f"snapshot {found.snapshot}, known at {found.known_at}, in percent"
    _table(title, ("", "precision", "recall", "F1", "right", "wrong", "missed"), scores)
    asked = [
        (f"answers: {each.name}", _percent(each.share), f"{each.right:,} of {each.asked:,}")
        for each in (answers.every, *answers.axes)
    ]
    found_rows = f"of {facts.triples.right:,} triples found"
    exact = ("exact intervals", _percent(facts.exact), found_rows)
    overlap = ("overlap of valid time believed last", _percent(facts.overlap), found_rows)
    _table("", ("", "percent", ""), [exact, overlap, *asked])
    _notes(found)


def _kinds_of_entities(found: Evaluation) -> None:
    rows = [
        (
            *(each.kind_of_event, f"{each.entities:,}", f"{each.right:,}"),
            *(f"{each.wrong_merges:,}", f"{each.missed_merges:,}", f"{each.records_not_found:,}"),
        )
        for each in found.entities.kinds
    ]
    columns = ("kind of event", "entities", "right", "wrong", "missed", "not found")
    _table("entities, wrong and missed merges, records not found", columns, rows)


def _relations(found: Evaluation) -> None:
    rows = [
        (
            *(name, _percent(each.triples.f1), _percent(each.rectangles.precision)),
            *(_percent(each.rectangles.recall), _percent(each.exact), _percent(each.overlap)),
        )
        for name, each in found.facts.relations.items()
    ]
    columns = ("relation", "triples", "rect. prec.", "rect. recall", "exact", "overlap")
    _table("facts, in percent (triples: F1)", columns, rows)


def _kinds_of_events(found: Evaluation) -> None:
    right = {each.name: _percent(each.share) for each in found.answers.kinds}
    rows = [
        (
            *(name, _percent(each.triples.f1), _percent(each.rectangles.f1)),
            *(_percent(each.exact), right.get(name, "-")),
        )
        for name, each in found.facts.kinds.items()
    ]
    columns = ("kind of event", "triples", "rectangles", "exact", "answers")
    _table("facts (F1) and answers, in percent", columns, rows)


def _shares(score: Score) -> tuple[str, ...]:
    return tuple(_percent(each) for each in (score.precision, score.recall, score.f1))


def _errors(score: Score) -> tuple[str, ...]:
    return tuple(f"{each:,}" for each in (score.right, score.wrong, score.missed))


def _percent(value: float | None) -> str:
    """Return a share in percent, rounded down: only what is whole is 100."""
    return "-" if value is None else f"{math.floor(value * 10_000) / 100:g}"


def _notes(found: Evaluation) -> None:
    notes = (
        (found.entities.records_not_found, "records are borne by no entity"),
        (found.entities.records_in_several, "records are borne by several entities"),
        (found.answers.not_asked, "questions are about later known times and were not asked"),
    )
    for count, what in notes:
        if count:
            Console(soft_wrap=True).print(f"{count:,} {what}", highlight=False)


def _mistake(mistake: Mistake) -> None:
    console = Console(soft_wrap=True, highlight=False)
    sort, kind = mistake.sort.replace("_", " "), mistake.kind_of_event or "not in the truth"
    size = f", {mistake.size}" if mistake.size > 1 else ""
    heading = f"[bold]{sort}{size}: {escape(mistake.about)}[/bold]"
    console.print(f"{heading}  ({escape(mistake.group)}, {escape(kind)})")
    for side, lines in (("truth", mistake.expected), ("published", mistake.published)):
        for line in lines:
            console.print(f"  {side}: {escape(line)}")
    for each in mistake.episodes:
        told = f"{each.source} {each.source_id}, {each.reference_time}, known {each.known_at}"
        console.print(f"  said by {escape(told)}: [italic]{escape(each.excerpt)}[/italic]")


def findings(found: Iterable[Finding], *, as_json: bool) -> None:
    """Print what the doctor found."""
    listed = list(found)
    if as_json:
        _json([_plain(finding) for finding in listed])
        return
    rows = [("ok" if f.ok else "WRONG", f.what, f.told) for f in listed]
    _table("", ("", "what", "found"), rows)


def declared_sources(found: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print the declared sources."""
    if as_json:
        _json(found)
        return
    rows = [
        (
            one["source"],
            "yes" if one["nightly"] else "",
            one["format"],
            one["mode"],
            "\n".join(one["path"]),
        )
        for one in found
    ]
    _table("", ("source", "nightly", "format", "mode", "path"), rows)


def previews(found: Sequence[RowPreview], *, as_json: bool, title: str) -> None:
    """Print what a source makes of its rows: episodes, entities, statements, what is rejected."""
    if as_json:
        _json([_plain(row) for row in found])
        return
    numbered = [(str(number), row) for number, row in enumerate(found, start=1)]
    episodes = [(number, *_episode(row.episode)) for number, row in numbered if row.episode]
    columns = ("", "group", "source id", "version", "reference time", "known at", "removed")
    _table(f"{title}: episodes", columns, episodes)
    entities = [
        (number, each.label, each.name, "\n".join(each.identifiers))
        for number, row in numbered
        for each in row.entities
    ]
    if entities:
        _table("entities", ("", "label", "name", "identifiers"), entities)
    statements = [
        (
            number,
            each.polarity,
            each.relation,
            each.text,
            *map(_time, (each.valid_at, each.invalid_at)),
        )
        for number, row in numbered
        for each in row.statements
    ]
    if statements:
        _table("statements", ("", "", "relation", "in words", "from", "until"), statements)
    words = [
        (number, row.episode.thread or "", row.episode.author or "", _begin(row.episode.content))
        for number, row in numbered
        if row.episode and not (row.reason or row.episode.removed or row.entities)
    ]
    if words:
        _table("words, from which no mapping takes anything", ("", "thread", "author", ""), words)
    rejected = [
        (number, f"{row.path}:{row.row}", row.reason, _begin(row.raw))
        for number, row in numbered
        if row.reason is not None
    ]
    if rejected:
        _table("rejected", ("", "row", "reason", "begins with"), rejected)


def _episode(episode: EpisodePreview) -> tuple[str, ...]:
    return (
        episode.group or "",
        episode.source_id or "",
        episode.version or "",
        _time(episode.reference_time),
        _time(episode.known_at),
        episode.removed or "",
    )


def _begin(text: str | None) -> str:
    return shorten(text or "", LONGEST_WORDS, placeholder=" ...")


def _time(micros: int | None) -> str:
    return "" if micros is None else show_time(micros)


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


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {
            key: show_time(entry) if key in TIMES and isinstance(entry, int) else _plain(entry)
            for key, entry in value.items()
        }
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _json(value: Any) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2, default=str)
    sys.stdout.write("\n")


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(title=title or None, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)
