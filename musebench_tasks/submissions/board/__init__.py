"""Leaderboards: submissions as one static page and a CSV."""

from musebench_tasks.submissions.board.csv_file import BOARD_COLUMNS
from musebench_tasks.submissions.board.entries import Entry
from musebench_tasks.submissions.board.page import BOARD_FILE, CSV_FILE, MADE_BY, Board, write_board
from musebench_tasks.submissions.board.standing import belongs

__all__ = ["BOARD_COLUMNS", "BOARD_FILE", "CSV_FILE", "MADE_BY", "Board", "Entry", "belongs", "write_board"]
