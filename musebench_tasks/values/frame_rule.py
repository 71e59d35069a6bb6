"""The rule by which frames of a clip are chosen, as people write it (MB-59).

`uniform`, `keyframes`, `scene_changes`, `scene_changes:THRESHOLD`, `query:python:FILE_OR_MODULE:FUNCTION` or
`query:transformers:ID_OR_DIR`.
"""

from musebench_tasks.base.records import FramePolicy

UNIFORM = "uniform"
FRAME_RULES = (UNIFORM, "keyframes", "scene_changes", "query")
SCORER_KINDS = ("python", "transformers")
SCENE_THRESHOLD = 0.3
"""Share of the picture that a cut changes, where the rule names none."""


def parse_frame_rule(text: str) -> FramePolicy | None:
    """The rule that `text` names; None for `uniform`. ValueError says what else may be written."""
    name, _, parameter = text.partition(":")
    if name == "scene_changes":
        return FramePolicy(name="scene_changes", threshold=_threshold(parameter) if parameter else SCENE_THRESHOLD)
    if name == "query":
        return FramePolicy(name="query", scorer=_scorer(parameter))
    if name not in FRAME_RULES:
        raise ValueError(f'"{text}" is no way of choosing frames. Known: {", ".join(FRAME_RULES)}')
    if parameter:
        raise ValueError(f'"{name}" takes no parameter, found "{parameter}"')
    return FramePolicy(name="keyframes") if name == "keyframes" else None


def scorer_place(rule: str) -> str | None:
    """The file, module, folder or Hub id of a rule's scorer; None where the rule has none."""
    name, _, scorer = rule.partition(":")
    kind, _, place = scorer.partition(":")
    if name != "query" or not place:
        return None
    return place.rpartition(":")[0] if kind == "python" else place


def with_scorer_place(rule: str, place: str) -> str:
    """The rule with its scorer at another place."""
    name, kind, rest = rule.split(":", 2)
    function = f":{rest.rpartition(':')[2]}" if kind == "python" else ""
    return f"{name}:{kind}:{place}{function}"


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise ValueError(f'scene_changes:THRESHOLD is a share between 0 and 1, found "{text}"')
    return value


def _scorer(text: str) -> str:
    kind, _, place = text.partition(":")
    named = place and (kind != "python" or all(place.rpartition(":")[::2]))
    if kind not in SCORER_KINDS or not named:
        raise ValueError(
            "frames chosen by the question need a scorer: query:python:FILE.py:FUNCTION or query:transformers:ID_OR_DIR"
            f', found "query:{text}"'
        )
    return text
