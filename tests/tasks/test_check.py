"""Every mistake in a task file is one line that names file, line, key, what was found and the nearest known key."""

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import lines as told
from musebench_tasks.base.problems import spelled
from musebench_tasks.base.records import Item
from musebench_tasks.tasks import check_file, check_files, load_task
from musebench_tasks.tasks.index import named_files
from musebench_tasks.tasks.metrics import METRICS
from musebench_tasks.tasks.rules import FILTER_KEYS

*_FIRST, LAST = CONDITIONS
ALL_BUT_LAST = ", ".join(f"'{each}'" for each in _FIRST)
IN_PROTOCOL = [
    ("runs: '4'", "runs", 'should be a whole number, found "4".'),
    ("runs: true", "runs", "should be a whole number, found true."),
    (
        "frames: keyframe",
        "frames",
        '"keyframe" is no way of choosing frames. Known: uniform, keyframes, scene_changes, query '
        "(nearest: keyframes).",
    ),
    (
        "frames: query:clip",
        "frames",
        "frames chosen by the question need a scorer: query:python:FILE.py:FUNCTION or "
        'query:transformers:ID_OR_DIR, found "query:clip".',
    ),
    (
        "chunking: {seconds: 10, overlap_s: 10}",
        "chunking.overlap_s",
        "parts of 10 s cannot share 10 s with the next. Lower it.",
    ),
    ("chunking: {second: 10}", "chunking.second", 'is no known key (nearest known key: "seconds").'),
    (
        "track: native_audio\n  tools: [web search]",
        "tools",
        'the track "native_audio" allows no tools, found [web search]. Remove them, or write track: tool_assisted.',
    ),
    ("runs: 0", "runs", "should be greater than 0, found 0."),
    ("runs: 1001", "runs", "asks every item 1001 times, at most 1000 are possible. Lower it."),
    ("answer: json", "answer", 'kind "choice" is answered in letters, found "json". Write letter.'),
]
"""(lines added under `protocol`, the key of the last of them, what is said of it)."""

FOR_KIND = [
    ("fps: 1", "fps", 'is no known key (belongs under "protocol").'),
    ("kind: choise", "kind", "should be 'choice' or 'music', found \"choise\" (nearest: choice)."),
    ("slices: category", "slices", 'should be a list, found "category".'),
    ("columns: {distractors: 3}", "columns.distractors", "should be a list or text, found 3."),
    (
        "columns: {options: choices, distractors: [b, c]}",
        "columns.distractors",
        "stands beside columns.options. Name the options, or answer and distractors.",
    ),
    (
        "filter: {categry: Game}",
        "filter.categry",
        'is no field to filter by (nearest known key: "category"). Known: id, kind, category, subdomain, '
        "difficulty, alignment, cluster_id, tags, license, attribution.",
    ),
    (
        "filter: {category: 3}",
        "filter.category",
        "should be text or a list of texts, found 3. Quote numbers, yes, no, on and off.",
    ),
    ("task: again", "task", "stands on line 1 already. Remove one."),
]
"""(the line in place of `kind: choice`, the key, what is said of it)."""

MEDIA = "  media: [video, audio]"
MISTAKES = [
    (
        "dataset_path: somewhere",
        "dataset_pat: somewhere",
        [
            'mine.yaml line 1, key "dataset_path": is missing. Add it.',
            'mine.yaml line 2, key "dataset_pat": is no known key (nearest known key: "dataset_path").',
        ],
    ),
    (
        "  conditions: [full, no_audio]",
        "  max_frame: 8",
        ['mine.yaml line 6, key "protocol.max_frame": is no known key (nearest known key: "max_frames").'],
    ),
    (
        "dataset_path: somewhere",
        "dataset_path: [somewhere]",
        ['mine.yaml line 2, key "dataset_path": should be text, found ["somewhere"].'],
    ),
    (
        "kind: choice",
        "columns: {id: no, distractors: [a, off]}",
        [
            'mine.yaml line 3, key "columns.id": should be text, found false. '
            "YAML reads yes, no, on and off as true and false: quote what is meant as text.",
            'mine.yaml line 3, key "columns.distractors[1]": should be text, found false. '
            "YAML reads yes, no, on and off as true and false: quote what is meant as text.",
        ],
    ),
    (
        "kind: choice",
        "cells: {option_labels: 3}\nslices: no",
        [
            'mine.yaml line 3, key "cells.option_labels": should be true or false, found 3.',
            'mine.yaml line 4, key "slices": should be a list, found false.',
        ],
    ),
    (
        "  media: [video, audio]",
        "  media: [video]",
        [
            'mine.yaml line 6, key "protocol.conditions[1]": "no_audio" needs audio, '
            "but protocol.media is [video]. Remove it or add media."
        ],
    ),
    (
        "[full, no_audio]",
        "[no_audio]",
        ['mine.yaml line 6, key "protocol.conditions": lacks "full", which headlines come from. Add it.'],
    ),
    (
        "[full, no_audio]",
        "[full, full]",
        ['mine.yaml line 6, key "protocol.conditions": names "full" twice. Remove one.'],
    ),
    (
        "[full, no_audio]",
        "[full, no_audi]",
        [
            f'mine.yaml line 6, key "protocol.conditions[1]": should be {ALL_BUT_LAST} or \'{LAST}\', found "no_audi" '
            "(nearest: no_audio)."
        ],
    ),
    (
        "  - metric: accuracy",
        "  - metric: acuracy\n  - metric: accuracy",
        [
            'mine.yaml line 8, key "metric_list[0].metric": there is no metric "acuracy" (nearest: accuracy). '
            f"Known: {', '.join(METRICS)}."
        ],
    ),
    (
        "  - metric: accuracy",
        "  - metric: accuracy\n  - {metric: mub_key, version: symmetric/3}",
        [
            'mine.yaml line 9, key "metric_list[1].version": "mub_key" has no version "symmetric/3" '
            "(nearest: symmetric/2). Known: symmetric/2, exact/1, mirex_symmetric/1, mirex_ascending/1, "
            "legacy_directional_a/1, legacy_directional_b/1.",
            'mine.yaml line 9, key "metric_list[1].metric": "mub_key" is for kind "music", '
            "not for this task. Remove it.",
        ],
    ),
    (
        "  - metric: accuracy",
        "  - metric: accuracy\n  - metric: caa\n    kinds: [single, multi]",
        ['mine.yaml line 10, key "metric_list[1].kinds": "caa" is not defined for kind "multi". It fits: single.'],
    ),
    (
        "  headline: accuracy",
        "  headline: caa",
        ['mine.yaml line 10, key "metadata.headline": "caa" is not in metric_list. There: accuracy.'],
    ),
    (
        "task: mine",
        "task: mine/yours",
        ['mine.yaml line 1, key "task": "mine/yours" cannot name a folder. Use letters, digits, ".", "_" and "-".'],
    ),
    (
        "kind: choice",
        "system: !function os.system",
        [
            'mine.yaml line 3: !function "os.system" is refused: only names inside musebench_tasks are resolved. '
            "Write the value itself."
        ],
    ),
    (
        "kind: choice",
        "system: !function musebench_tasks.base.records.options.make_options",
        [
            'mine.yaml line 3: !function "musebench_tasks.base.records.options.make_options" is no plain value '
            "(text, number, list). Write the value itself."
        ],
    ),
    (
        "kind: choice",
        "system: !!python/name:os.system x",
        ['mine.yaml line 3: the tag "tag:yaml.org,2002:python/name:os.system" means nothing here. Remove it.'],
    ),
    ("kind: choice", "1: choice", ["mine.yaml line 3: a key should be text, found '1'. Quote it."]),
    *(
        (MEDIA, f"{MEDIA}\n  {added}", [f'mine.yaml line {6 + added.count(chr(10))}, key "protocol.{key}": {said}'])
        for added, key, said in IN_PROTOCOL
    ),
    *(("kind: choice", new, [f'mine.yaml line 3, key "{key}": {said}']) for new, key, said in FOR_KIND),
]


@pytest.mark.parametrize(("old", "new", "lines"), MISTAKES, ids=[new.strip()[:40] for _, new, _ in MISTAKES])
def test_a_mistake_is_told_with_file_line_key_and_nearest_key(change, old, new, lines):
    path = change(old, new)
    assert told(check_file(path.relative_to(path.parent))) == lines
    with pytest.raises(InputError) as caught:
        load_task(path.relative_to(path.parent))
    assert str(caught.value).splitlines() == lines


def test_all_mistakes_of_a_file_are_told_at_once(write):
    path = write("many.yaml", "task: many\nkind: misic\nmetric_list: [{metric: nothing}]\nfrom: here\n")
    keys = ["dataset_path", "metadata", "from", "kind", "metric_list[0].metric"]
    assert [spelled(each.location) for each in check_file(path)] == keys


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("task: [a\n", "broken.yaml line 2: is not YAML: did not find expected ',' or ']'."),
        ("- a\n", "broken.yaml line 1: should hold keys with values (key: value), found something else."),
        ("", "broken.yaml line 1: should hold keys with values (key: value), found something else."),
        ("a: &x [*x]\n", "broken.yaml: an alias contains itself, or values are nested too deeply."),
    ],
)
def test_a_file_that_is_no_mapping_is_told_in_one_line(write, text, line):
    path = write("broken.yaml", text)
    assert told(check_file(path)) == [line]


def test_aliases_of_aliases_end_in_an_error(write):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert told(check_file(write("bomb.yaml", "\n".join(lines)))) == [
        "bomb.yaml: holds more than 100000 values. Write fewer aliases."
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "kind: music\nprotocol: {media: [audio], answer: letter}\nmetric_list: [{metric: mub_key}]\n"
            "metadata: {headline: mub_key}\n",
            'm.yaml line 4, key "protocol.answer": kind "music" is answered in JSON, found "letter". Write json.',
        ),
        (
            "kind: music\nprotocol: {media: [video]}\nmetric_list: [{metric: mub_key}]\n"
            "metadata: {headline: mub_key}\n",
            'm.yaml line 4, key "protocol.media": kind "music" needs audio, found [\'video\']. Write [audio].',
        ),
        (
            "kind: music\nprotocol: {media: [audio], fields: [tempo]}\nmetric_list: [{metric: mub_key}]\n"
            "metadata: {headline: mub_key}\n",
            'm.yaml line 5, key "metric_list[0].metric": "mub_key" scores key, which protocol.fields does not ask for.',
        ),
        (
            "kind: music\nprotocol: {media: [audio]}\nmetric_list: [{metric: caa}]\nmetadata: {headline: caa}\n",
            'm.yaml line 5, key "metric_list[0].metric": "caa" is for kind "choice", not for this task. Remove it.',
        ),
        (
            "protocol: {media: [audio], fields: [tempo]}\nmetric_list: [{metric: caa}]\nmetadata: {headline: caa}\n",
            'm.yaml line 3, key "protocol.fields": only kind "music" asks for fields. Remove the key.',
        ),
    ],
)
def test_a_music_task_asks_in_json_for_what_it_scores(write, text, problem):
    path = write("m.yaml", "task: m\ndataset_path: m\n" + text)
    assert told(check_file(path)) == [problem]


def test_consistency_needs_more_than_one_run(change):
    path = change("  - metric: accuracy", "  - metric: accuracy\n  - metric: choice_consistency")
    assert told(check_file(path)) == [
        'mine.yaml line 9, key "metric_list[1].metric": "choice_consistency" compares runs, but protocol.runs is 1. '
        "Ask for 2 or more, or remove it."
    ]


def test_two_files_with_one_name_are_both_named(change):
    first, second = change("task: mine", "task: mine"), change("task: mine", "task: mine", "copy/other.yaml")
    assert told(check_files([first, second])) == [
        'copy/other.yaml: the name "mine" stands in mine.yaml already. Rename one of the two.'
    ]


def test_a_folder_stands_for_its_files(change, write):
    write("own/_part.yaml", "knd: choice\n")
    change("kind: choice", "kind: choice", "own/deep/mine.yaml")
    assert told(check_files(["own"])) == [
        'own/_part.yaml line 1, key "knd": is no known key (nearest known key: "kind").'
    ]


def test_files_that_say_what_data_are_define_no_task(change, write):
    for name in ("set/eval.yaml", "set/about.yaml", "set/errata.yaml", ".hidden/x.yaml"):
        write(f"own/{name}", "name: Mine\n")
    change("kind: choice", "kind: choice", "own/eval.yaml")
    assert [str(each) for each in named_files("own")] == ["own/eval.yaml"]


@pytest.fixture
def known(write, monkeypatch):
    """A task by its name, beside a folder of that name."""
    write("tasks/hers.yaml", "task: hers\n")
    monkeypatch.setenv("MUSEBENCH_TASKS", "tasks")
    write("hers/eval.yaml", "name: Hers\n")


def test_a_task_is_named_by_its_name_though_its_data_lie_here(known, write):
    write("hers/README.md", "# Hers")
    assert [str(each) for each in named_files("hers")] == ["tasks/hers.yaml"]


@pytest.mark.usefixtures("known")
def test_a_folder_of_tasks_comes_before_a_name(change):
    change("kind: choice", "kind: choice", "hers/mine.yaml")
    assert [str(each) for each in named_files("hers")] == ["hers/mine.yaml"]


def test_a_folder_without_tasks_and_a_name_of_none_are_told(write):
    write("set/eval.yaml", "name: Mine\n")
    with pytest.raises(InputError, match=r"^set: holds no task file\. .*`musebench data check`"):
        named_files("set")
    with pytest.raises(InputError, match='There is no task "hummusqa_dem" .nearest: hummusqa_demo'):
        named_files("hummusqa_dem")
    assert told(check_files(["no/such"])) == ["no/such: cannot be read (No such file or directory). Correct the path."]


def test_a_part_to_be_included_may_lack_keys_but_not_invent_them(write):
    path = write("_part.yaml", "kind: choice\nprotocl: {}\n")
    assert told(check_file(path)) == [
        '_part.yaml line 2, key "protocl": is no known key (nearest known key: "protocol").'
    ]


def test_a_filter_names_fields_of_items():
    assert set(FILTER_KEYS) <= set(Item.model_fields)


def test_groups_and_suites_are_checked_too(write):
    assert told(check_file(write("g.yaml", "group: g\ntask: []\n"))) == [
        'g.yaml line 2, key "task": should not be empty, found [].'
    ]
    assert told(check_file(write("s.yaml", "suite: s\ntasks: [mub_demo]\nmodel: [dsp]\n"))) == [
        's.yaml line 1, key "models": is missing. Add it.',
        's.yaml line 3, key "model": is no known key (nearest known key: "models").',
    ]
