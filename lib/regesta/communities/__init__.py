"""Facts to communities: label propagation, stable ids, extractive summaries."""
