"""`regesta resolve`: how labels are matched, how well, and learning it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from regesta.cli import show
from regesta.cli.drawing import bars
from regesta.cli.identity import opened, show_pair
from regesta.cli.options import DEFAULT_CONF, AsJson, Conf, KnownAt, run_time
from regesta.cli.tables import plain, print_json, print_table

if TYPE_CHECKING:
    from regesta.resolve.report import MatchReport

app = typer.Typer(no_args_is_help=True, help="How entities of a label are matched, and how well.")
Label = Annotated[str, typer.Argument(help="A label with `match` in the ontology.")]


@app.command(epilog="Example: regesta resolve report Contact")
def report(
    label: Label,
    *,
    conf: Conf = DEFAULT_CONF,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show what each blocking rule found, the scores, the expected errors, entities by size.

    Expected errors come from the scores themselves: of pairs that are nineteen in twenty likely,
    one in twenty is wrong.
    """
    from regesta.resolve.report import report as made  # noqa: PLC0415

    with opened(conf).next_batch(run_time(known_at)) as context:
        found = made(context, label)
    if as_json:
        print_json(plain(found))
    else:
        _show(found)


@app.command(epilog="Example: regesta resolve learn Contact")
def learn(
    label: Label,
    *,
    conf: Conf = DEFAULT_CONF,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Learn a label's weights again in the next `regesta nightly`, from the profiles of then.

    Every pair is scored anew by them. The weights of before are kept.
    """
    from regesta.resolve.matching import ask_to_learn  # noqa: PLC0415

    with opened(conf).next_batch(run_time(known_at)) as context:
        counts = ask_to_learn(context, label)
    show.counts(counts, as_json=as_json)


def _show(found: MatchReport) -> None:
    rules = [
        (
            each.rule,
            *(
                f"{number:,}"
                for number in (
                    *(each.blocks, each.largest, each.proposed, each.skipped),
                    *(each.pairs, each.alone),
                )
            ),
        )
        for each in found.rules
    ]
    title = f"{found.label}: {found.profiles:,} profiles, weights {found.weights}"
    print_table(
        title, ("rule", "blocks", "largest", "proposed", "skipped", "pairs", "alone"), rules
    )
    drawn = bars([band.pairs for band in found.bands])
    rows = [
        (f"{band.low:+d}", bar, f"{band.pairs:,}", f"{band.wrong:,.1f}", f"{band.missed:,.1f}")
        for band, bar in zip(found.bands, drawn, strict=True)
    ]
    print_table(
        f"{found.pairs:,} pairs by log-odds, and errors expected if those from here on were joined",
        ("from", "", "pairs", "wrong", "missed"),
        rows,
    )
    sizes = [(f"{size:,}", f"{entities:,}") for size, entities in found.sizes]
    print_table("entities by how many profiles they have", ("profiles", "entities"), sizes)
    for told, pairs in (
        ("the weakest that are joined", found.weakest),
        ("the strongest that are not", found.strongest),
    ):
        for number, pair in enumerate(pairs, start=1):
            show_pair(f"{told}, {number} of {len(pairs)}", pair)
