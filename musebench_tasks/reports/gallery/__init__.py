"""`cards`: a gallery of example items, a pair for each category (MB-08, HQ-17)."""

from musebench_tasks.reports.gallery.choosing import Group, choose_examples
from musebench_tasks.reports.gallery.page import write_gallery
from musebench_tasks.reports.gallery.picture import write_pictures

__all__ = ["Group", "choose_examples", "write_gallery", "write_pictures"]
