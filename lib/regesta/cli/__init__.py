"""The `regesta` command."""
