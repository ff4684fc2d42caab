"""Delta tables under one root: read at a version, appended and merged idempotently."""
