"""Texts to vectors: models behind one interface, and the table that keeps what they gave."""
