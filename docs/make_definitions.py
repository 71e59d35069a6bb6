"""Writes docs/definitions.md: what each metric is, taken from the docstring of the function that computes it.

python docs/make_definitions.py            write the page
python docs/make_definitions.py --check    exit 1 where the page is not what the docstrings say
"""

import sys
from pathlib import Path

from musebench_tasks.evaluation.definitions import definitions_page

PAGE = Path(__file__).with_name("definitions.md")


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    text = definitions_page()
    if "--check" in arguments:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
        if not current:
            print(f"{PAGE.name} is not what the docstrings say: run python docs/make_definitions.py", file=sys.stderr)
        return 0 if current else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
