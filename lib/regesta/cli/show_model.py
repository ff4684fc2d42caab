"""What the command prints of a language model: the prompts, and what they would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from regesta.cli.tables import plain, print_json, print_table

if TYPE_CHECKING:
    from regesta.extract.llm.looking import Estimate


USED = ("tokens", "cost", "requests")


def show_used(batch: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what a batch used of a language model, as the cells of USED."""
    told = batch["steps"]["extract"].get("model", {}).values()
    counted = ("requests", "cached", "refused", "truncated", "invalid", "failed", "sent_again")
    sums = {name: sum(step.get(name, 0) for step in told) for name in counted}
    parts = [f"{count:,} {name.replace('_', ' ')}" for name, count in sums.items() if count]
    return f"{batch['tokens']:,}", f"{batch['cost']:,.4f}", ", ".join(parts)


def messages(sent: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print the messages of a request as they are."""
    if as_json:
        print_json(sent)
        return
    console = Console(soft_wrap=True)
    for message in sent:
        console.rule(message["role"])
        console.print(message["content"], markup=False, highlight=False)


def estimates(found: Sequence[Estimate], *, as_json: bool) -> None:
    """Print what each step would use of a language model."""
    if as_json:
        print_json([plain(each) for each in found])
        return
    rows = [
        (
            each.step,
            each.model,
            f"{each.episodes:,}",
            f"{each.requests:,}",
            f"{each.cached:,}",
            f"{each.prompt_tokens:,}",
            f"{each.completion_tokens:,}",
            *(
                "no price" if money is None else f"{money:,.4f}"
                for money in (each.money, each.batch_money)
            ),
            each.basis,
        )
        for each in found
    ]
    columns = ("step", "model", "episodes", "requests", "cached", "prompt tokens", "answer tokens")
    print_table("", (*columns, "cost", "cost in batches", "rests on"), rows)
