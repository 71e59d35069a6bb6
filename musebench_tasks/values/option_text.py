"""The form in which the texts of options are compared (answers.md 3.4)."""

import re
import unicodedata


def comparable(text: str) -> str:
    """An option's text without what does not tell options apart: two options alike here cannot be told apart.

    NFKC, case folded, `&` = and, blanks collapsed, no surrounding punctuation, no leading article.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("&", " and ").split())
    bare = re.sub(r"^[^\w#♯♭/]+|[^\w#♯♭/]+$", "", folded)
    # Punctuation alone is all there is of some options; it stays.
    return re.sub(r"^(?:the|an|a) (?=\S)", "", bare) or folded
