"""The whole graph derived again from what was recorded, compared, and swapped in."""
