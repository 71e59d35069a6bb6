"""Publishes on the Hugging Face Hub: datasets, metrics, submissions and results."""
