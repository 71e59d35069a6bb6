"""What must hold between the keys of a task: metrics fit the kind, conditions have their media, names exist.

Works on the tree as written, whatever else is wrong with it, so that all problems of a file are told at once.
"""

import re
from collections.abc import Iterator
from typing import Any

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.files import LONGEST_NAME, folder_name
from musebench_tasks.base.problems import Location, Problem, reason
from musebench_tasks.base.records import MUSIC_FIELDS, Condition, Kind, MetricConfig, Modality
from musebench_tasks.base.text import nearest
from musebench_tasks.tasks.metrics import CHOICE_KINDS, METRICS, MUSIC_KINDS
from musebench_tasks.tasks.yaml_tree import Tree, nearest_key
from musebench_tasks.values.frame_rule import FRAME_RULES, UNIFORM, parse_frame_rule

Found = Iterator[tuple[Location, str]]

# Fields of an item that say what it is about; its words and times are nothing to choose by.
FILTER_KEYS = (
    "id",
    "kind",
    "category",
    "subdomain",
    "difficulty",
    "alignment",
    "cluster_id",
    "tags",
    "license",
    "attribution",
)
TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
AUDIO, VIDEO = frozenset({Modality.AUDIO}), frozenset({Modality.VIDEO})
MOST_RUNS = 1000


def rule_problems(tree: Tree) -> list[Problem]:
    """Every broken rule of a merged task file."""
    checks = (
        _name,
        _lists,
        _kind,
        _conditions,
        _frames,
        _sound,
        _track,
        _metrics,
        _runs,
        _headline,
        _filter,
        _columns,
        _rows,
    )
    return [tree.problem(found, *location) for check in checks for location, found in check(tree)]


def _name(tree: Tree) -> Found:
    name = tree.get("task")
    if isinstance(name, str) and len(name) > LONGEST_NAME:
        yield ("task",), f"has {len(name)} characters, and folders are called so: at most {LONGEST_NAME}. Shorten it."
    elif isinstance(name, str) and not (TASK_NAME.fullmatch(name) and folder_name(name) == name):
        yield ("task",), f'"{name}" cannot name a folder. Use letters, digits, ".", "_" and "-".'


def _lists(tree: Tree) -> Found:
    for location in (
        ("protocol", "media"),
        ("protocol", "conditions"),
        ("protocol", "fields"),
        ("slices",),
        ("exclude",),
    ):
        values = _texts(tree, *location)
        repeated = sorted({each for each in values if values.count(each) > 1})
        if repeated:
            yield location, f'names "{repeated[0]}" twice. Remove one.'


def _kind(tree: Tree) -> Found:
    fields, media = tree.get("protocol", "fields"), _texts(tree, "protocol", "media")
    if _is_music(tree):
        if tree.get("protocol", "answer") == "letter":
            yield ("protocol", "answer"), 'kind "music" is answered in JSON, found "letter". Write json.'
        if Modality.AUDIO not in media:
            yield ("protocol", "media"), f'kind "music" needs audio, found {media}. Write [audio].'
        return
    if tree.get("protocol", "answer") == "json":
        yield ("protocol", "answer"), 'kind "choice" is answered in letters, found "json". Write letter.'
    if fields:
        yield ("protocol", "fields"), 'only kind "music" asks for fields. Remove the key.'


def _conditions(tree: Tree) -> Found:
    conditions, media = _texts(tree, "protocol", "conditions"), _texts(tree, "protocol", "media")
    if isinstance(tree.get("protocol", "conditions"), list) and Condition.FULL not in conditions:
        yield ("protocol", "conditions"), 'lacks "full", which headlines come from. Add it.'
    for number, condition in enumerate(conditions):
        needs = CONDITIONS[condition].needs if condition in CONDITIONS else frozenset()
        lacking = sorted(needs - set(media))
        if lacking:
            named = " and ".join(lacking)
            yield (
                ("protocol", "conditions", number),
                f'"{condition}" needs {named}, but protocol.media is [{", ".join(media)}]. Remove it or add media.',
            )


def suite_problems(tree: Tree) -> list[Problem]:
    """Every broken rule of a suite's file."""
    return [tree.problem(found, *location) for location, found in _rule_of_frames(tree, "frames")]


def _frames(tree: Tree) -> Found:
    rule, media = tree.get("protocol", "frames"), _texts(tree, "protocol", "media")
    problems = list(_rule_of_frames(tree, "protocol", "frames"))
    yield from problems
    if problems or not isinstance(rule, str):
        return
    if rule != UNIFORM and Modality.VIDEO not in media:
        yield ("protocol", "frames"), f'"{rule}" chooses frames, but protocol.media is [{", ".join(media)}]. Remove it.'


def _rule_of_frames(tree: Tree, *location: str) -> Found:
    rule = tree.get(*location)
    if not isinstance(rule, str):
        return
    try:
        parse_frame_rule(rule)
    except ValueError as problem:
        name = rule.partition(":")[0]
        yield location, f"{reason(problem)}{'' if name in FRAME_RULES else nearest(name, FRAME_RULES)}."


def _sound(tree: Tree) -> Found:
    chunking, media = tree.get("protocol", "chunking"), _texts(tree, "protocol", "media")
    if not isinstance(chunking, dict):
        return
    if Modality.AUDIO not in media:
        yield ("protocol", "chunking"), f"is about sound, but protocol.media is [{', '.join(media)}]. Remove it."
    seconds, shared = _number(chunking.get("seconds")), _number(chunking.get("overlap_s"))
    if seconds is not None and shared is not None and shared >= seconds:
        yield (
            ("protocol", "chunking", "overlap_s"),
            f"parts of {seconds:g} s cannot share {shared:g} s with the next. Lower it.",
        )


def _track(tree: Tree) -> Found:
    tools = _texts(tree, "protocol", "tools")
    if tools and tree.get("protocol", "track") == "native_audio":
        yield (
            ("protocol", "tools"),
            f'the track "native_audio" allows no tools, found [{", ".join(tools)}]. '
            "Remove them, or write track: tool_assisted.",
        )


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _metrics(tree: Tree) -> Found:
    entries = tree.get("metric_list")
    if not isinstance(entries, list):
        return
    if not entries:
        yield ("metric_list",), "is empty. Name at least one metric."
    fields = _texts(tree, "protocol", "fields") or list(MUSIC_FIELDS)
    fitting = MUSIC_KINDS if _is_music(tree) else CHOICE_KINDS
    for number, entry in enumerate(entries):
        if isinstance(entry, dict) and isinstance(entry.get("metric"), str):
            yield from _metric(("metric_list", number), entry, fitting, fields)
            yield from _combinators(("metric_list", number), entry, _texts(tree, "slices"))


def _combinators(location: Location, entry: dict[str, Any], slices: list[str]) -> Found:
    if entry.get("by") and entry.get("macro"):
        yield (*location, "by"), "stands beside macro. Write two entries, one with each."
    if entry.get("by") in slices:
        yield (
            (*location, "by"),
            f'"{entry["by"]}" is one of slices, where every metric is measured. Remove one of them.',
        )


def _own_version(metric: str, version: str) -> str:
    """A version without the name that results put in front of it: `exact/1` of `mub.key.exact/1`, `1` of `caa/1`."""
    return version.removeprefix(f"{metric.replace('_', '.', 1)}.").removeprefix(f"{metric}/")


def _metric(location: Location, entry: dict[str, Any], fitting: frozenset[Kind], fields: list[str]) -> Found:
    name, version = entry["metric"], entry.get("version")
    metric = METRICS.get(name)
    if metric is None:
        yield (
            (*location, "metric"),
            f'there is no metric "{name}"{nearest(name, METRICS)}. Known: {", ".join(METRICS)}.',
        )
        return
    if isinstance(version, str) and _own_version(name, version) not in metric.versions:
        known = ", ".join(metric.versions)
        yield (
            (*location, "version"),
            f'"{name}" has no version "{version}"{nearest(version, metric.versions)}. Known: {known}.',
        )
    if not metric.kinds & fitting:
        fits = "music" if metric.kinds & MUSIC_KINDS else "choice"
        yield (*location, "metric"), f'"{name}" is for kind "{fits}", not for this task. Remove it.'
        return
    if metric.field is not None and metric.field not in fields:
        yield (*location, "metric"), f'"{name}" scores {metric.field}, which protocol.fields does not ask for.'
    kinds = entry.get("kinds")
    for kind in kinds if isinstance(kinds, list) else []:
        if kind in set(Kind) and kind not in metric.kinds:
            known = ", ".join(sorted(metric.kinds))
            yield (*location, "kinds"), f'"{name}" is not defined for kind "{kind}". It fits: {known}.'


def _runs(tree: Tree) -> Found:
    entries, runs = tree.get("metric_list"), tree.get("protocol", "runs") or 1
    if isinstance(runs, int) and runs > MOST_RUNS:
        yield ("protocol", "runs"), f"asks every item {runs} times, at most {MOST_RUNS} are possible. Lower it."
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if runs == 1 and isinstance(entry, dict) and entry.get("metric") == "choice_consistency":
            yield (
                ("metric_list", number, "metric"),
                '"choice_consistency" compares runs, but protocol.runs is 1. Ask for 2 or more, or remove it.',
            )


def _headline(tree: Tree) -> Found:
    headline, entries = tree.get("metadata", "headline"), tree.get("metric_list")
    if not isinstance(headline, str) or not isinstance(entries, list):
        return
    named = [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("metric"), str)]
    names = [_entry_name(entry) for entry in named if not entry.get("by")]
    if headline not in names:
        yield (
            ("metadata", "headline"),
            f'"{headline}" is not in metric_list{nearest(headline, names)}. There: {", ".join(names) or "nothing"}.',
        )


def _entry_name(entry: dict[str, Any]) -> str:
    """What a headline calls an entry of `metric_list` (`MetricConfig.name`)."""
    return f"{entry['metric']}{MetricConfig.MACRO}{entry['macro']}" if entry.get("macro") else str(entry["metric"])


def _filter(tree: Tree) -> Found:
    wanted = tree.get("filter")
    for key, value in wanted.items() if isinstance(wanted, dict) else ():
        if key not in FILTER_KEYS:
            known = ", ".join(FILTER_KEYS)
            yield ("filter", key), f"is no field to filter by{nearest_key(key, FILTER_KEYS)}. Known: {known}."
            continue
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(each, str) for each in values):
            yield (
                ("filter", key),
                f"should be text or a list of texts, found {value!r}. Quote numbers, yes, no, on and off.",
            )


def _columns(tree: Tree) -> Found:
    if tree.get("columns", "options") and tree.get("columns", "distractors"):
        yield ("columns", "distractors"), "stands beside columns.options. Name the options, or answer and distractors."
    for key in ("option_labels", "option_separator"):
        if tree.get("cells", key) and not tree.get("columns", "options") and tree.get("columns", "distractors"):
            yield ("cells", key), "is about columns.options, but the task names distractors. Remove it."
    media = tree.get("columns", "media")
    if isinstance(media, str):
        yield from ((("columns", "media"), message) for message in _path_problems(media))


def _path_problems(path: str) -> Iterator[str]:
    """What is wrong with a path made of columns; nothing where `path` is the name of a column."""
    without = re.sub(r"\{[^{}]+\}", "", path)
    if "{" in without or "}" in without:
        yield f'"{path}" has a brace without its partner, or none between them. Write {{COLUMN}}.'
    elif without != path:
        folder, _, name = path.rpartition("/")
        if "*" in folder or name.count("*") > 1:
            yield f'"{path}" may hold one "*", in the name of the file. Remove the others.'
        if path.startswith("/") or ".." in path.split("/"):
            yield f'"{path}" leaves the dataset\'s folder. Write a path inside it.'


def _rows(tree: Tree) -> Found:
    rows, answer = tree.get("rows"), tree.get("columns", "answer") or "answer"
    for column, value in rows.items() if isinstance(rows, dict) else ():
        values = value if isinstance(value, list) else [value]
        if column == answer and not _is_music(tree):
            yield ("rows", column), "is the column of answers: who is asked may not depend on what is right. Remove it."
        elif not values or not all(isinstance(each, str) for each in values):
            yield (
                ("rows", column),
                f"should be text or a list of texts, found {value!r}. Quote numbers, yes, no, on and off.",
            )


def _is_music(tree: Tree) -> bool:
    return bool(tree.get("kind") == "music")


def _texts(tree: Tree, *location: str) -> list[str]:
    values = tree.get(*location)
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []
