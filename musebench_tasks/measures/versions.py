"""Names of versions: a definition is asked for as `exact/1`, or as results name it, `mub.key.exact/1`."""

from collections.abc import Collection
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest


def known_version(version: Any, known: Collection[str], metric: str) -> str:
    """The one of `known` that `version` names, alone or behind `metric` (`mub.key`); InputError for any other."""
    name = version.removeprefix(f"{metric}.") if isinstance(version, str) else version
    if not isinstance(name, str) or name not in known:
        field = metric.removeprefix("mub.").replace("_", " ")
        raise InputError(
            f"Unknown {field} version {version!r}{nearest(str(name), known)}. Known: {', '.join(known)}, "
            f"each also with {metric}. in front."
        )
    return name
