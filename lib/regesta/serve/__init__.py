"""Answers to agents: a Model Context Protocol server over a published snapshot, read-only."""
