"""Mentions to entities: profiles, the joins between them, and versions of entities."""
