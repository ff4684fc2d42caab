"""Archives become episodes: declarations, reading, versions, heartbeats, removals."""
