"""Finds templates and runs them: a template sees what it is given, nothing is escaped, nothing is random."""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.text import nearest

TEMPLATE_FOLDER = Path(__file__).resolve().parent / "templates"


def list_templates() -> tuple[str, ...]:
    """Names of the package's own templates (parts that only others include are left out)."""
    return tuple(sorted(path.name for path in TEMPLATE_FOLDER.glob("*.jinja") if not path.name.startswith("_")))


def find_template(name: str) -> Path:
    """The file behind `name`: one of the package's templates, or a path to a file of the user's own."""
    own = TEMPLATE_FOLDER / name
    if Path(name).name == name and own.is_file():
        return own
    if Path(name).is_file():
        return Path(name).resolve()
    known = list_templates()
    raise InputError(
        f'doc_to_text "{name}": no such template{nearest(name, known)}. '
        f"Name one of {', '.join(known)}, or give the path of a .jinja file."
    )


@lru_cache(maxsize=32)
def environment(folder: Path) -> jinja2.Environment:
    """Templates of `folder`, then the package's own; strict about variables, without chance.

    Other people's templates run in a sandbox; our own need none, and are filled twice as fast without.
    """
    kind = jinja2.Environment if folder == TEMPLATE_FOLDER else ImmutableSandboxedEnvironment
    made = kind(
        loader=jinja2.FileSystemLoader([folder, TEMPLATE_FOLDER]),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    del made.filters["random"]
    del made.globals["lipsum"]
    return made


def fill(path: Path, variables: dict[str, Any]) -> str:
    """The text of the template at `path` with `variables`, without blank space at either end."""
    try:
        return environment(path.parent).get_template(path.name).render(variables).strip()
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"{error.filename or path} line {error.lineno}: {error.message}.") from error
    except jinja2.TemplateNotFound as error:
        known = environment(path.parent).list_templates(filter_func=lambda name: name.endswith(".jinja"))
        raise InputError(
            f'{_place(error, path)}: no template "{error.name}" to include{nearest(str(error.name), known)}.'
        ) from error
    except jinja2.UndefinedError as error:
        raise InputError(_undefined(error, path, variables)) from error
    except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{_place(error, path)}: {reason(error)}.") from error


def sources(path: Path) -> dict[str, str]:
    """The texts of the template at `path` and of all it includes, by name."""
    made = environment(path.parent)
    found: dict[str, str] = {}
    waiting = [path.name]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = made.loader.get_source(made, name)[0] if made.loader else ""
            waiting.extend(each for each in jinja2.meta.find_referenced_templates(made.parse(found[name])) if each)
        except jinja2.TemplateSyntaxError as error:
            raise InputError(f"{path.parent / name} line {error.lineno}: {error.message}.") from error
        except jinja2.TemplateNotFound as error:
            raise InputError(f'{path}: no template "{name}" to include{nearest(name, list_templates())}.') from error
    return found


def _undefined(error: jinja2.UndefinedError, path: Path, variables: dict[str, Any]) -> str:
    """The error line for a variable that a template asks for and does not get."""
    quoted = str(error).split("'")
    asked = quoted[-2] if len(quoted) > 2 else str(error)
    return (
        f'{_place(error, path)}: nothing is known as "{asked}"{nearest(asked, variables)}. '
        f"A template may use {', '.join(sorted(variables))}."
    )


def _place(error: BaseException, path: Path) -> str:
    """`FILE line N` of the innermost template that was running when `error` arose."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".jinja")]
    return f"{frames[-1].filename} line {frames[-1].lineno}" if frames else str(path)
