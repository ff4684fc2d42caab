"""`regesta prompts`: what a language model is sent."""

from __future__ import annotations

from typing import Annotated

import typer

from regesta.cli import show_model
from regesta.cli.options import DEFAULT_CONF, AsJson, Conf

app = typer.Typer(no_args_is_help=True, help="The prompts that a language model is sent.")


@app.callback()
def prompts() -> None:
    """Let `show` be a command of its own name."""


@app.command("show", epilog="Example: regesta prompts show combined --episode 3f0c...")
def show_messages(
    step: Annotated[
        str, typer.Argument(help="A step of the profile: combined; or entities, facts, ...")
    ],
    *,
    episode: Annotated[str, typer.Option(help="An episode's id.")],
    conf: Conf = DEFAULT_CONF,
    as_json: AsJson = False,
) -> None:
    """Print exactly what would be sent about an episode; nothing is sent."""
    from regesta.cli.main import open_build  # noqa: PLC0415

    told = open_build(conf, [], quiet=True).messages_about(step, episode)
    show_model.messages(told, as_json=as_json)
