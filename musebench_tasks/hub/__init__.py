"""Publishes on the Hugging Face Hub: data, metrics, submissions, results."""
