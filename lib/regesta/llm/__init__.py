"""Language models: the ledger of what was asked and answered, and the client behind it."""
