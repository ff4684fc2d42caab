"""Which records may be one thing, how likely each pair is, and which records go together."""
