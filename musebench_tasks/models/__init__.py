"""Systems that answer requests."""
