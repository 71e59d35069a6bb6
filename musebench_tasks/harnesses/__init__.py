"""Other harnesses: our tasks in them, their logs here."""
