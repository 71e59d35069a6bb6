"""The shared look of every page: the item card with its player, tables, and the styles they stand in."""

from musebench_tasks.pages.answers import GivenAnswer
from musebench_tasks.pages.card import Answer, CardOption, Facet, ItemCard, MusicRow, MusicValue, make_card, make_facets
from musebench_tasks.pages.environment import page_environment, static_text
from musebench_tasks.pages.media_folder import MediaFolder, Medium
from musebench_tasks.pages.tables import PlainTable
from musebench_tasks.pages.text import interval_text, value_text, write_page

__all__ = [
    "Answer",
    "CardOption",
    "Facet",
    "GivenAnswer",
    "ItemCard",
    "MediaFolder",
    "Medium",
    "MusicRow",
    "MusicValue",
    "PlainTable",
    "interval_text",
    "make_card",
    "make_facets",
    "page_environment",
    "static_text",
    "value_text",
    "write_page",
]
