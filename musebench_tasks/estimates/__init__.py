"""Estimates of a tracker against references: no task, no model, no run."""
