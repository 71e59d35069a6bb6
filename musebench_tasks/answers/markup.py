"""Markup that dresses an answer up: emphasis, headings, code fences, LaTeX text, HTML. It never changes an answer."""

import re

_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_FENCE = re.compile(r"^[ \t]*(?:```|''')[\w+-]*[ \t]*$", re.MULTILINE)
_STAR_BULLET = re.compile(r"^[ \t]*\*[ \t]+", re.MULTILINE)
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)+", re.MULTILINE)
_UNDERSCORES = re.compile(r"(?<![^\W_])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![^\W_])|_{4,}")
_HTML = re.compile(
    r"</?(?:b|strong|i|em|u|p|br|span|code|pre|div|li|ul|ol|mark|font|center|h[1-6]|td|tr|table)\b[^<>\n]{0,80}>"
)
_LATEX_TEXT = re.compile(r"\\(?:text|math|operatorname|mbox|emph|underline|bf|rm)[a-z]{0,6} ?\{([^{}\n]{0,400})\}")
_LATEX_MATHS = re.compile(r"\\[()\[\]]|\\[,;:! ]|\\q?quad\b")
_LATEX_ESCAPE = re.compile(r"\\([#&%$_{}])")


def plain(text: str) -> str:
    """`text` (canonical) without markup, with single blanks and no blank lines. `\\boxed{}` and `<answer>` stay."""
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "```" in text or "'''" in text:
        text = _FENCE.sub("", text)
    if "*" in text:
        text = _STAR_BULLET.sub("- ", text).replace("*", "")
    if "`" in text:
        text = text.replace("`", "")
    if "#" in text or ">" in text:
        text = _LINE_MARK.sub("", text)
    if "_" in text:
        text = _UNDERSCORES.sub("", text)
    if "<" in text:
        text = _HTML.sub(" ", text)
    if "\\" in text:
        text = _without_latex(text)
    if "$" in text:
        text = text.replace("$", " ")
    return _single_blanks(text)


def _single_blanks(text: str) -> str:
    if text.isascii() and not any(map(text.__contains__, _RARE_BLANKS)):
        while "  " in text:
            text = text.replace("  ", " ")
        text = text.replace(" \n", "\n").replace("\n ", "\n")
        while "\n\n" in text:
            text = text.replace("\n\n", "\n")
        return text.strip(" \n")
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


_RARE_BLANKS = "\t\x0b\x0c\r\x1c\x1d\x1e\x1f"
"""The blanks of ASCII besides the space and the line end."""


def _without_latex(text: str) -> str:
    for _ in range(3):
        text = _LATEX_TEXT.sub(r"\1", text)
    return _LATEX_ESCAPE.sub(r"\1", _LATEX_MATHS.sub(" ", text))
