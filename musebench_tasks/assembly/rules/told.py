"""The tags of problems that reading a row tells in words (`items`, `assembly.drafts`): the audit counts those too."""

import re
from collections.abc import Collection

UNREADABLE = "ROW_UNREADABLE"
_ANSWER = (
    ("EMPTY_ANSWER_SET", r"is empty"),
    ("LABEL_OUT_OF_RANGE", r"lies beyond the|is not one of the options|is no option"),
    ("ANSWER_COUNT", r"options are right, but|should be 2 to 4|names an option twice"),
    ("FEW_WRONG", r"at least 2 should be wrong"),
)
_ANY = (
    ("DUPLICATE_OPTIONS", r"are the same option once|stands twice among|^\".*\" stands twice\. Reword"),
    ("OPTION_COUNT", r"has \d+ options?, should have"),
    ("ID_DUPLICATE", r"stands in .+ already\. Give each row its own id"),
    ("CLIP_RANGE_INVALID", r"the window (?:starts|ends) at"),
    ("MEDIUM_UNUSABLE", r"^no file |leaves the folder of the table|path of a file in the dataset's folder"),
    ("TEXT_BROKEN", r"holds (?:the (?:control )?character|half a character) \(?U\+"),
    ("STRATEGY", r"strateg(?:y|ies) for \d+ wrong options"),
    ("EMPTY_ANSWER_SET", r"has no row with its answer"),
)


def tag_of(message: str, column: str, answer_columns: Collection[str]) -> str:
    """The tag of a problem that is told as `message` about `column`."""
    patterns = (*_ANSWER, *_ANY) if column in answer_columns else _ANY
    return next((tag for tag, pattern in patterns if re.search(pattern, message)), UNREADABLE)
