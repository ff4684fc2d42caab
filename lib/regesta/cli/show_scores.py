"""What `regesta evaluate` prints: scores by kind and relation, and the worst errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from regesta.cli.tables import plain, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regesta.evaluate.evaluation import Evaluation
    from regesta.evaluate.measures import Score
    from regesta.evaluate.recall import Estimate
    from regesta.evaluate.retrieval import Recall
    from regesta.evaluate.worst import Mistake


def evaluation(found: Evaluation, *, as_json: bool) -> None:
    """Print the scores of a snapshot against the truth, and the worst errors."""
    if as_json:
        print_json(plain(found))
        return
    _overall(found)
    _kinds_of_entities(found)
    _relations(found)
    _kinds_of_events(found)
    for mistake in found.worst:
        _mistake(mistake)


def recalls(found: Sequence[Recall], *, as_json: bool) -> None:
    """Print the recall of evidence by recipe and category, a table for each part."""
    if as_json:
        print_json([plain(each) for each in found])
        return
    for part in dict.fromkeys(each.part for each in found):
        rows = [
            (each.recipe, each.category, f"{each.questions:,}", *map(_estimate, each.at.values()))
            for each in found
            if each.part == part
        ]
        ranks = (f"at {most}" for most in found[0].at)
        print_table(f"{part}: recall of evidence", ("", "questions", "", *ranks), rows)


def _estimate(found: Estimate) -> str:
    return f"{found.mean:.3f} ({found.low:.3f}-{found.high:.3f})"


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
    print_table(title, ("", "precision", "recall", "F1", "right", "wrong", "missed"), scores)
    asked = [
        (f"answers: {each.name}", _percent(each.share), f"{each.right:,} of {each.asked:,}")
        for each in (answers.every, *answers.axes)
    ]
    found_rows = f"of {facts.triples.right:,} triples found"
    exact = ("exact intervals", _percent(facts.exact), found_rows)
    overlap = ("overlap of valid time believed last", _percent(facts.overlap), found_rows)
    print_table("", ("", "percent", ""), [exact, overlap, *asked])
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
    print_table("entities, wrong and missed merges, records not found", columns, rows)


def _relations(found: Evaluation) -> None:
    rows = [
        (
            *(name, _percent(each.triples.f1), _percent(each.rectangles.precision)),
            *(_percent(each.rectangles.recall), _percent(each.exact), _percent(each.overlap)),
        )
        for name, each in found.facts.relations.items()
    ]
    columns = ("relation", "triples", "rect. prec.", "rect. recall", "exact", "overlap")
    print_table("facts, in percent (triples: F1)", columns, rows)


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
    print_table("facts (F1) and answers, in percent", columns, rows)


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
