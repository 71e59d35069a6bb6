"""The page of a metric's Space: arguments as JSON in, the result out, the card below.

`evaluate.utils.launch_gradio_widget` asks for a gradio that is long gone and knows no settings such as `num_options`.
"""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason


def launch(metric: type[Any], example: dict[str, Any]) -> None:
    """Serve the page of a metric; `example` are arguments of `compute` to begin with."""
    page(metric, example).launch()


def page(metric: type[Any], example: dict[str, Any]) -> Any:
    """The page as a gradio interface."""
    gradio: Any = import_module("gradio")  # Only a Space has it.

    def compute(text: str) -> dict[str, Any]:
        try:
            return result(metric, text)
        except InputError as problem:
            raise gradio.Error(problem.text) from None

    return gradio.Interface(
        fn=compute,
        inputs=gradio.Code(value=json.dumps(example, indent=2), language="json", label="arguments of compute"),
        outputs=gradio.JSON(label="result"),
        title=f"Metric: {metric().name}",
        description=metric().description,
        article=card(Path(inspect.getfile(metric)).parent),
        flagging_mode="never",
    )


def result(metric: type[Any], text: str) -> dict[str, Any]:
    """What the metric computes from a JSON object of arguments, in an instance of its own."""
    try:
        arguments = json.loads(text)
    except ValueError as problem:
        raise InputError(f"This is no JSON ({reason(problem)}).") from None
    if not isinstance(arguments, dict):
        raise InputError('Give one JSON object, for example {"predictions": [...], "references": [...]}.')
    found: dict[str, Any] = metric(keep_in_memory=True).compute(**arguments)
    return found


def card(folder: Path) -> str:
    """The card in a folder without its front matter."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    return text.split("---\n", 2)[-1].strip()
