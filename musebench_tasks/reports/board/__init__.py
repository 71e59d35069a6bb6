"""Leaderboards: submissions as one static page and a CSV."""

from musebench_tasks.reports.board.csv_file import BOARD_COLUMNS
from musebench_tasks.reports.board.entries import Entry
from musebench_tasks.reports.board.page import BOARD_FILE, CSV_FILE, MADE_BY, Board, write_board
from musebench_tasks.reports.board.standing import belongs

__all__ = ["BOARD_COLUMNS", "BOARD_FILE", "CSV_FILE", "MADE_BY", "Board", "Entry", "belongs", "write_board"]
