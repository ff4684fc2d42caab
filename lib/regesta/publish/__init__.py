"""Tables to a published snapshot."""

from regesta.publish.snapshot import publish

__all__ = ["publish"]
