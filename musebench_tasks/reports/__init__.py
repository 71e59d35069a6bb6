"""Tables of a run: on the terminal and as a page."""

from musebench_tasks.reports.page import write_report
from musebench_tasks.reports.tables import Cell, Column, Row, Table, make_tables
from musebench_tasks.reports.terminal import print_tables

__all__ = ["Cell", "Column", "Row", "Table", "make_tables", "print_tables", "write_report"]
