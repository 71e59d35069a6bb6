"""Measures of cases: one record each, found by name."""
