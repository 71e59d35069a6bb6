"""Makes `load_dataset("musebench")` and its like work once this package is imported, whenever `datasets` is."""

from musebench_tasks.registration.install import install

__all__ = ["install"]
