"""Episodes to mentions and statements."""
