"""Which of a task's answers and scores go into figures, and what each figure says."""

from musebench_tasks.reports.figures.make import make_figures

__all__ = ["make_figures"]
