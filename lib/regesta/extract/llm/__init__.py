"""Extraction by a language model: prompts, answers, and what of these the episode bears out."""
