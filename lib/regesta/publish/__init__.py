"""Tables to a published snapshot."""
