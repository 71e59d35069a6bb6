"""The form in which the texts of options are compared (answers.md 3.4)."""

import re
import unicodedata

ARTICLE = re.compile(
    r"(?:a|an|the) (?=\S)"
    r"(?!(?:major|minor|maj|min|flat|sharp|natural|dorian|phrygian|lydian|mixolydian|aeolian|locrian)\b)"
)
"""A leading article in folded text; the A of "A minor" is none."""


def comparable(text: str) -> str:
    """An option's text without what does not tell options apart: two options alike here cannot be told apart.

    NFKC, case folded, `&` = and, blanks collapsed, no surrounding punctuation, no leading article.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("&", " and ").split())
    bare = re.sub(r"^[^\w#♯♭/]+|[^\w#♯♭/]+$", "", folded)
    # Punctuation alone is all there is of some options; it stays.
    article = ARTICLE.match(bare)
    return bare[article.end() :] if article else bare or folded
