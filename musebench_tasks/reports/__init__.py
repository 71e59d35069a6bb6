"""Tables of a run, on the terminal and as a page, and comparisons of two."""

from musebench_tasks.reports.comparison import Comparison, compare_pair
from musebench_tasks.reports.comparison_text import MOST_FLIPS, print_comparisons, write_comparisons
from musebench_tasks.reports.conditions_text import print_conditions
from musebench_tasks.reports.page import write_report
from musebench_tasks.reports.pairs import pairs
from musebench_tasks.reports.tables import Cell, Column, Row, Table, make_tables
from musebench_tasks.reports.terminal import print_tables

__all__ = [
    "MOST_FLIPS",
    "Cell",
    "Column",
    "Comparison",
    "Row",
    "Table",
    "compare_pair",
    "make_tables",
    "pairs",
    "print_comparisons",
    "print_conditions",
    "print_tables",
    "write_comparisons",
    "write_report",
]
