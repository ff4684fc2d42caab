"""Regesta: a bi-temporal knowledge graph of an archive, searched without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regesta.query import open  # noqa: A004
    from regesta.sql.spark import register

__all__ = ["__version__", "open", "register"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load `regesta.open` and `regesta.register` when they are first asked for."""
    if name == "open":
        from regesta.query import open as opened  # noqa: PLC0415

        return opened
    if name == "register":
        from regesta.sql.spark import register as registered  # noqa: PLC0415

        return registered
    raise AttributeError(f"module 'regesta' has no attribute {name!r}")
