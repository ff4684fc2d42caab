"""`regesta doctor`: each piece of the installation, tried for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from regesta.errors import RegestaError


@dataclass(frozen=True)
class Finding:
    """One piece: whether it works, and what was found or what to do."""

    what: str
    ok: bool
    told: str


def examine(conf: Path) -> list[Finding]:
    """Try Java, the JVM parts, Spark and the configuration; stop at nothing."""
    checks: list[tuple[str, Callable[[Path], str]]] = [
        ("Java", _java),
        ("JVM parts", _jars),
        ("Spark, Delta, GraphFrames", _spark),
        ("configuration", _configuration),
        ("embeddings", _embeddings),
    ]
    return [_found(what, check, conf) for what, check in checks]


def _found(what: str, check: Callable[[Path], str], conf: Path) -> Finding:
    try:
        return Finding(what, ok=True, told=check(conf))
    except RegestaError as error:
        return Finding(what, ok=False, told=str(error))
    except ModuleNotFoundError as error:
        return Finding(
            what, ok=False, told=f"{error.name} is missing: pip install 'regesta[build]'."
        )


def _java(conf: Path) -> str:  # noqa: ARG001
    from regesta.java import check_java  # noqa: PLC0415

    return check_java()


def _jars(conf: Path) -> str:
    from regesta.config import load_settings  # noqa: PLC0415
    from regesta.java import jars  # noqa: PLC0415

    parts = load_settings(conf).spark.jvm_parts()
    found = jars(parts)
    return f"{len(found)} jars in {parts.folder}"


def _spark(conf: Path) -> str:
    from regesta.config import load_settings  # noqa: PLC0415

    spark = load_settings(conf).spark.session()
    return f"Spark {spark.version} on {spark.sparkContext.master}"


def _configuration(conf: Path) -> str:
    from regesta.config import load  # noqa: PLC0415

    configuration = load(conf)
    names = ", ".join(source.source for source in configuration.sources)
    return f"warehouse {configuration.settings.warehouse}; sources {names}"


def _embeddings(conf: Path) -> str:
    from regesta.config import load_settings  # noqa: PLC0415
    from regesta.embed.load import load  # noqa: PLC0415

    settings = load_settings(conf)
    space = settings.embeddings.space()
    if space is None:
        return "none: searches go by words"
    load(space, settings.spark.jvm_parts()).encode(["Acme is owned by Jane Doe"])
    return space.name
