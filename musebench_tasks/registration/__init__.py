"""Makes `load_dataset("musebench")`, `evaluate.load("caa")` and their like work once this package is imported."""

from musebench_tasks.registration.install import install

__all__ = ["install"]
