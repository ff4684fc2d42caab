"""Dates in text: expressions to intervals of time with precision and character span. Pure."""
