"""Submissions: checked with the data that are here, handed in, and gathered on leaderboards."""
