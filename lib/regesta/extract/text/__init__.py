"""Messages and texts without a model: names, dates and declared phrasings give statements."""
