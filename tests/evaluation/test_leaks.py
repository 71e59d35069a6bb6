"""From a task's data to the guard that keeps them from models."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fakes.secret_dataset import EVALUATOR_COLUMNS, TEXTS, canary, secret_row, write_secret_dataset

from musebench_tasks.base.errors import LeakError
from musebench_tasks.base.records import Condition, Kind, Limits, Modality, make_options
from musebench_tasks.evaluation.leaks import make_guard
from musebench_tasks.inference import build_requests
from musebench_tasks.items import load_items
from musebench_tasks.prompts.word_grams import words
from musebench_tasks.tasks import load_task


class Anything:
    """Takes all media, or all but sound."""

    name, revision = "anything", "1"
    kinds = frozenset(Kind)

    def __init__(self, *modalities):
        self.limits = Limits(modalities=frozenset(modalities))


HEARING, DEAF = Anything(*Modality), Anything(Modality.VIDEO)


def loaded(path):
    task = load_task(str(path))
    items = load_items(task).items
    return task, items, make_guard(task, items)


@pytest.fixture
def secretive(tmp_path):
    return loaded(write_secret_dataset(tmp_path, films=False))


def sent(task, items, prompt=None, system=None, model=HEARING):
    first = build_requests(task, items, model, [Condition.FULL])[0]
    return first.model_copy(update={"prompt": prompt or first.prompt, "system": system})


def finds(guard, request):
    try:
        guard.check_requests([request])
    except LeakError as error:
        return str(error)
    return None


PLAIN = [column for column in EVALUATOR_COLUMNS if column not in ("correct_answer", "distractor_strategies")]


@pytest.mark.parametrize("column", PLAIN)
@pytest.mark.parametrize("number", [0, 1])
def test_what_stands_in_a_column_for_the_evaluator_is_found(secretive, column, number):
    task, items, guard = secretive
    text = canary(column, number)
    told = finds(guard, sent(task, items, f"Which? It is {text}."))
    assert f'("{column}")' in told
    assert not set(words(text)) & set(words(told)) - set(words(column)) - {"the", "of", "a", "over", "stands", "where"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("titlecanary0", None),
        ("filenamecanary1", None),
        ("The filenamecanary1 of evenings", "a name of a source file"),
        ("item1canary", "an item id"),
        ("youtubeidcanary1X9", "an id or address of a platform"),
        ("songlinkcanary0X9", "an id or address of a platform"),
        ("strategycanary0place2", "a distractor strategy"),
        (make_options("item1canary", TEXTS)[1].id, "a correct answer"),
        ("The light frames a door", "a correct answer"),
        (secret_row(1)["transcript"], "another item's transcript"),
    ],
)
def test_ids_files_strategies_answers_and_transcripts_are_found(tmp_path, text, kind):
    task, items, guard = loaded(write_secret_dataset(tmp_path, rows=3, films=False))
    told = finds(guard, sent(task, items, system=f"Listen: {text}"))
    assert (kind in told) if kind else told is None


def test_hashes_of_the_media_are_found(secretive):
    task, items, guard = secretive
    for text in (items[1].media.sha256, items[1].media.sha256[:16]):
        assert "a source hash" in finds(guard, sent(task, items, f"Which? {text}"))


@pytest.mark.parametrize("model", [HEARING, DEAF])
def test_what_is_meant_to_be_sent_raises_no_alarm(secretive, model):
    task, items, guard = secretive
    guard.check_requests(build_requests(task, items, model, task.protocol.conditions))


def test_a_caption_in_the_transcript_is_a_leak_and_a_title_is_none(tmp_path):
    said = f"We saw {canary('title', 0)}. {canary('caption', 0)}"
    task, items, guard = loaded(write_secret_dataset(tmp_path, films=False, change={0: {"transcript": said}}))
    request = next(each for each in build_requests(task, items, DEAF, [Condition.FULL]) if "canary" in each.prompt)
    assert 'holds a caption ("caption")' in finds(guard, request)
    said = f"We saw {canary('title', 0)}, said the guests at the table"
    task, items, guard = loaded(write_secret_dataset(tmp_path, films=False, change={0: {"transcript": said}}))
    guard.check_requests(build_requests(task, items, DEAF, [Condition.FULL]))


@pytest.mark.parametrize("title", ["Love", "Rain", "A", "4/4", "Piano", "In C", "120", "Video clip above", "Question"])
def test_a_title_of_ordinary_words_raises_no_alarm(tmp_path, title):
    rows = {0: {"title": title, "artist_name": title, "tags": [title], "cluster_id": title}}
    task, items, guard = loaded(write_secret_dataset(tmp_path, films=False, change=rows))
    requests = build_requests(task, items, HEARING, task.protocol.conditions)
    guard.check_requests([*requests, sent(task, items, "I love rain. 120 beats of piano in a clip in C, 4/4.")])


@pytest.mark.parametrize("title", ["Casablanca", "Blue Rain", "月亮代表我的心", "99 Luftballons", "Ночь на Лысой горе"])
def test_a_title_that_says_enough_is_found_alone(tmp_path, title):
    task, items, guard = loaded(write_secret_dataset(tmp_path, films=False, change={1: {"title": title}}))
    assert finds(guard, sent(task, items, system=f"This is {title}"))


@pytest.mark.parametrize(
    ("link", "part"),
    [
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "dQw4w9WgXcQ"),
        ("https://youtu.be/a-B_cD3fGhI", "a-B_cD3fGhI"),
        ("https://www.bilibili.com/video/BV1xx411c7mD/?p=2", "BV1xx411c7mD"),
        ("https://www.jamendo.com/track/1214935/blue-harbour", "1214935"),
        ("https://www.jamendo.com/track/1214935/blue-harbour", "blue-harbour"),
    ],
)
def test_each_part_of_an_address_is_found(tmp_path, link, part):
    task, items, guard = loaded(write_secret_dataset(tmp_path, films=False, change={1: {"song_link": link}}))
    assert "an id or address of a platform" in finds(guard, sent(task, items, system=f"see {part} there"))
    assert finds(guard, sent(task, items, system="watch this video track")) is None


def test_classes_are_no_secrets_but_what_tells_rows_apart_is(tmp_path):
    rows = {number: {"mood": "calm and warm like evenings", "remark": f"remark word{number}aaa"} for number in range(8)}
    task, items, guard = loaded(write_secret_dataset(tmp_path, rows=8, films=False, change=rows))
    assert finds(guard, sent(task, items, "calm and warm like evenings")) is None
    kinds = [each for each in guard.kinds if '"mood"' in each or '"remark"' in each]
    assert kinds == ['a text of the evaluator\'s ("remark")']


def test_a_file_beside_the_data_is_the_evaluators(tmp_path):
    path = write_secret_dataset(tmp_path, films=False)
    (tmp_path / "data.evaluator.jsonl").write_text(json.dumps({"id": "x", "title": "Blue Harbour Waltz"}))
    task, items, guard = loaded(path)
    assert 'a title ("title")' in finds(guard, sent(task, items, "Blue harbour waltz"))


def test_names_inside_a_parquet_column_are_found(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [{key: value for key, value in secret_row(number).items() if key != "video"} for number in range(2)]
    media = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    cells = [{"bytes": b"film %d" % number, "path": f"Blue Harbour {number}.mp4"} for number in range(2)]
    pq.write_table(pa.Table.from_pylist(rows).append_column("video", pa.array(cells, media)), folder / "test.parquet")
    path = write_secret_dataset(tmp_path / "other", films=False)
    task = load_task(str(path)).model_copy(update={"dataset_path": str(folder)})
    items = load_items(task).items
    assert 'a name of a source file ("video")' in finds(make_guard(task, items), sent(task, items, "Blue harbour 1"))


@pytest.mark.parametrize("name", ["musebench_demo", "hummusqa_demo", "mub_demo"])
@pytest.mark.parametrize("model", [HEARING, DEAF], ids=["hearing", "deaf"])
def test_the_demos_raise_no_alarm(name, model):
    task = load_task(name)
    items = load_items(task).items
    guard = make_guard(task, items)
    if model is HEARING or any(item.transcript for item in items):
        guard.check_requests(build_requests(task, items, model, task.protocol.conditions))
    assert sum(map(len, guard.grams.values())) > 100


def test_the_public_columns_of_hummusqa_are_guarded(tmp_path):
    """The columns of mtg-upf/HumMusQA, all texts, answers first."""
    data, rows = tmp_path / "data", []
    data.mkdir()
    for number in range(6):
        (data / f"{number}.mp3").write_bytes(b"sound %d" % number)
        rows.append(
            {
                "identifier": f"q{number}",
                "audio": f"{number}.mp3",
                "question": "Which instrument carries the melody in the second half of the excerpt?",
                "answer": ["Violin", "The electric guitar", "Saxophone"][number % 3],
                "distractor_1": "Piano",
                "distractor_2": "Drums and percussion",
                "distractor_3": "Synthesizer",
                "main_category": "Instrumentation",
                "secondary_categories": f"Melody; Mood and Expression {number}",
                "difficulty": "Low",
                "excerpt_start_time": "00:00",
                "excerpt_end_time": "00:30",
                "song_link": f"https://www.jamendo.com/track/121493{number}",
                "jamendo_id": f"121493{number}",
                "song_name": ["Love", "Electric Guitar", "Summer Nights", "Melody", "The Second Half", "Drums"][number],
                "artist_name": ["Violin", "Fine", "Some Band of Friends", "Melody Maker", "X", "Y"][number],
                "album_name": "Instrumentation",
                "song_license_url": "http://creativecommons.org/licenses/by/3.0/",
            }
        )
    (data / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    task = load_task("hummusqa").model_copy(update={"dataset_path": str(data), "revision": None})
    items = load_items(task).items
    guard = make_guard(task, items)
    guard.check_requests(build_requests(task, items, HEARING, [Condition.FULL]))
    for text, column in [
        ("1214934", "song_link"),
        ("Some band of friends", "artist_name"),
        ("Summer nights", "song_name"),
        ("electric guitar", "song_name"),
    ]:
        assert f'("{column}")' in finds(guard, sent(task, items, system=f"This is {text}."))


def test_columns_that_only_the_default_configuration_has_are_guarded(tmp_path):
    data = tmp_path / "data"
    for config in ("default", "blind", "references"):
        folder = data / config
        folder.mkdir(parents=True)
        (folder / "test.jsonl").write_text("\n".join(json.dumps(row) for row in configured(config)))
    (tmp_path / "task.yaml").write_text(
        f"task: three\ndataset_path: {data}\nkind: choice\n"
        "metric_list: [{metric: accuracy}]\nmetadata: {version: 1.0, headline: accuracy}\n"
    )
    task, items, guard = loaded(tmp_path / "task.yaml")
    for text, column in (("Blue Harbour Waltz", "title"), ("why the harbour is so very blue", "core_intent")):
        assert f'("{column}")' in finds(guard, sent(task, items, system=text))
    (data / "README.md").write_text(
        "---\nconfigs:\n- {config_name: default, data_files: gone/*.jsonl, default: true}\n"
        "- {config_name: blind, data_files: blind/*}\n- {config_name: references, data_files: references/*}\n---\n"
    )
    assert not any("title" in kind for kind in loaded(tmp_path / "task.yaml")[2].kinds)


def configured(config):
    blind = {"question": "Which mood fits?", "options": list(TEXTS)}
    gold = {"answer": TEXTS[0], "core_intent": "why the harbour is so very blue"}
    row = {"blind": blind, "references": gold, "default": {**blind, **gold, "title": "Blue Harbour Waltz"}}[config]
    return [{"id": "q1", **row}]
