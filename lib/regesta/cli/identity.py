"""`regesta review`, `merge`, `split`, `undo`: a person's word on which entities are one."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from regesta import model
from regesta.cli import show
from regesta.cli.options import DEFAULT_CONF, AsJson, Conf, KnownAt, run_time
from regesta.cli.tables import plain, print_json, print_table

if TYPE_CHECKING:
    from regesta.context import StepContext
    from regesta.pipeline import Pipeline
    from regesta.resolve.steward import Bearer, Said, Speaker, Waiting

Group = Annotated[str, typer.Option("--group", help="The graph that the entities are of.")]
Author = Annotated[
    str | None, typer.Option(help="Who says it; by default the user of this machine.")
]
Reason = Annotated[str, typer.Option(help="Why; kept with what is said.")]
Name = Annotated[str, typer.Argument(help="A name, an id or an identifier (kind:value).")]

SKIP: Final = "skip"
_ANSWERS: Final[Mapping[str, str]] = {
    "s": model.SAME,
    "n": model.NOT_THE_SAME,
    "k": SKIP,
    **{word: word for word in (model.SAME, model.NOT_THE_SAME, SKIP)},
}


def review(
    *,
    conf: Conf = DEFAULT_CONF,
    group: Annotated[str | None, typer.Option("--group", help="Only of this graph.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many pairs.")] = 20,
    author: Author = None,
    reason: Reason = "reviewed",
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show the pairs that wait for a person, the likeliest first, and ask: one entity or two?

    Answers: s (same), n (not the same), k (skip); what else is given ends it. What was answered
    counts from the next `regesta nightly` on. With --json the pairs are only listed.
    """
    from regesta.resolve import steward  # noqa: PLC0415

    pipeline, now = opened(conf), run_time(known_at)
    with pipeline.next_batch(now) as context:
        pairs = steward.waiting(context, group, limit)
    if as_json:
        print_json([_listed(pair) for pair in pairs])
        return
    counts = {"shown": len(pairs), "said": 0}
    if said := _asked(pairs):  # while nobody else is kept waiting
        speaker = steward.Speaker(author or getpass.getuser(), reason, now)
        with pipeline.next_batch(now) as context:
            counts |= steward.say(context, said, speaker)
    show.counts(counts, as_json=False)


def merge(
    one: Name,
    other: Name,
    *,
    group: Group,
    conf: Conf = DEFAULT_CONF,
    author: Author = None,
    reason: Reason = "merged by hand",
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Say that two entities are one; the next `regesta nightly` joins them, facts and all.

    The older id stays and the other leads to it. `regesta undo` takes it back.
    """
    from regesta.resolve import steward  # noqa: PLC0415

    with _spoken(conf, author, reason, known_at) as (context, speaker):
        entities = [steward.entity(context, group, name) for name in (one, other)]
        counts = steward.merge(context, entities[0], entities[1], speaker)
    show.counts(counts, as_json=as_json)


def split(
    entity: Name,
    *,
    group: Group,
    apart: Annotated[
        list[str] | None,
        typer.Option(help="A profile that is another entity: its id or how that begins."),
    ] = None,
    conf: Conf = DEFAULT_CONF,
    author: Author = None,
    reason: Reason = "split by hand",
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Say that some of an entity's profiles are another one; without --apart, list its profiles.

    The next `regesta nightly` parts them, and what shares nothing with the rest any more. `regesta
    undo` takes it back.
    """
    from regesta.resolve import steward  # noqa: PLC0415

    with _spoken(conf, author, reason, known_at) as (context, speaker):
        found = steward.entity(context, group, entity)
        if not apart:
            _show_bearers(found.name, steward.members(context, found), as_json=as_json)
            return
        counts = steward.split(context, found, apart, speaker)
    show.counts(counts, as_json=as_json)


def undo(
    entities: Annotated[
        list[str], typer.Argument(help="An entity, or two: names, ids, kind:value.")
    ],
    *,
    group: Group,
    conf: Conf = DEFAULT_CONF,
    author: Author = None,
    reason: Reason = "taken back",
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Take back what was said of an entity's profiles, or of two entities; the words are kept."""
    from regesta.resolve import steward  # noqa: PLC0415

    with _spoken(conf, author, reason, known_at) as (context, speaker):
        found = [steward.entity(context, group, name) for name in entities]
        counts = steward.undo(context, found, speaker)
    show.counts(counts, as_json=as_json)


@contextmanager
def _spoken(
    conf: Path, author: str | None, reason: str, known_at: str | None
) -> Iterator[tuple[StepContext, Speaker]]:
    """Open the warehouse for something that the next batch takes in."""
    from regesta.resolve.steward import Speaker  # noqa: PLC0415

    now = run_time(known_at)
    with opened(conf).next_batch(now) as context:
        yield context, Speaker(author or getpass.getuser(), reason, now)


def opened(conf: Path) -> Pipeline:
    """Open the warehouse of a configuration for something that a person says or asks."""
    from regesta.cli.main import open_build  # noqa: PLC0415

    return open_build(conf, None, quiet=True)


def _asked(pairs: Sequence[Waiting]) -> list[Said]:
    """Show each pair and return what was answered, until something else is."""
    from regesta.resolve.steward import Said  # noqa: PLC0415

    said = []
    for number, pair in enumerate(pairs, start=1):
        show_pair(f"pair {number} of {len(pairs)}, group {pair.group}", pair)
        text = typer.prompt("s same, n not the same, k skip, q stop", default="q").strip().lower()
        if (answer := _ANSWERS.get(text)) is None:
            break
        if answer != SKIP:
            said.append(Said(pair.group, pair.left.profile_id, pair.right.profile_id, answer))
    return said


def show_pair(title: str, pair: Waiting) -> None:
    """Print both sides of a pair, and how alike they are."""
    _show_bearers(title, [pair.left, pair.right], as_json=False)
    likely = "" if pair.score is None else f"{_probability(pair.score):.0%} likely one entity; "
    typer.echo(likely + "; ".join(pair.evidence))


def _show_bearers(title: str, bearers: Sequence[Bearer], *, as_json: bool) -> None:
    if as_json:
        print_json([plain(one) for one in bearers])
        return
    rows = [
        (
            one.profile_id[:12],
            one.name,
            one.label,
            ", ".join(one.identifiers),
            ", ".join(f"{name}: {value}" for name, value in sorted(one.attributes.items())),
            one.said_in,
        )
        for one in bearers
    ]
    print_table(title, ("profile", "name", "label", "identifiers", "attributes", "said in"), rows)


def _listed(pair: Waiting) -> dict[str, Any]:
    likely = None if pair.score is None else round(_probability(pair.score), 4)
    return {**plain(pair), "probability": likely}


def _probability(score: float) -> float:
    return 1 / (1 + exp(-score))
