"""Regesta: a bi-temporal knowledge graph of an archive, searched without a server."""

from __future__ import annotations

__version__ = "0.1.0"
