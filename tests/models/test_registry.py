"""Specs, cards, slugs: what a name stands for."""

import subprocess
import sys

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality
from musebench_tasks.models import list_models, load_model, model_slug, system_block
from musebench_tasks.models.cards import card_files, read_card


@pytest.mark.parametrize(
    ("spec", "slug"),
    [
        ("random", "random"),
        ("dsp:paper", "dsp_paper"),
        ("openai:Qwen/Qwen2.5-Omni-7B@http://localhost:8000/v1", "openai_Qwen_Qwen2.5-Omni-7B_http_localhost_8000_v1"),
        ('command:"a {audio}"', "command_a_audio_"),
    ],
)
def test_a_slug_replaces_every_run_of_other_characters(spec, slug):
    assert model_slug(spec) == slug


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("randon", r'"randon" is not known \(nearest: random\)'),
        ("opnai:m@http://x", r"nearest: openai"),
        ("qwen2_5_omni_vlm", r"nearest: qwen2_5_omni_vllm"),
        ("zzz", r"is not known\. Known: random, dsp, replay:FILE"),
        ("random:3", r"random takes no argument"),
        ("replay", r"needs a file"),
        ("openai:model", r"write openai:MODEL@URL"),
        ("openai:model@http://", r"is no address of a server"),
        ("command:", r"needs a program"),
        ("python:x", r"write python:MODULE:FUNCTION"),
    ],
)
def test_an_unknown_spec_says_what_is_known(spec, told):
    with pytest.raises(InputError, match=told) as caught:
        load_model(spec)
    assert "\n" not in str(caught.value)


def test_an_unknown_setting_names_the_nearest():
    with pytest.raises(InputError, match=r'openai models have no setting "timeout" \(nearest: timeout_s\)'):
        load_model("openai:m@http://host/v1", timeout=3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"timeout_s": "soon"}, r"setting \"timeout_s\" is 'soon': should be a number"),
        ({"modalities": ["vidio"]}, r"setting \"modalities\" is \['vidio'\]: should be 'video' or 'audio'"),
        ({"video_as": "film"}, r"setting \"video_as\" is 'film': should be 'frames', 'video' or 'clip'"),
    ],
)
def test_a_setting_of_the_wrong_type_says_what_it_should_be(options, told):
    with pytest.raises(InputError, match=told):
        load_model("openai:m@http://host/v1", **options)


def test_settings_of_a_whole_run_pass_by_models_without_them():
    assert load_model("random", max_frames=8, timeout_s=60).name == "random"
    assert load_model("openai:m@http://host/v1", max_frames=8).limits.max_frames == 8


def test_every_kind_of_model_is_listed_and_every_card():
    specs = [entry.spec for entry in list_models()]
    assert {spec.partition(":")[0] for spec in specs} >= {
        "random",
        "dsp",
        "replay",
        "python",
        "command",
        "openai",
        "transformers",
    }
    assert set(card_files()) <= set(specs)
    assert all(entry.description for entry in list_models())


@pytest.mark.parametrize("name", sorted(card_files()))
def test_every_card_of_the_package_loads(name):
    model = load_model(name)
    assert model.name == name
    assert system_block(model).tier == read_card(card_files()[name]).tier


@pytest.fixture
def card(tmp_path):
    def write(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return str(path)

    return write


def test_a_card_gives_limits_and_options_and_arguments_go_before_it(card):
    spec = card(
        "spec: openai:m@http://host/v1\ntier: proprietary\nprovider: Someone\nrevision: '7'\n"
        "limits: {modalities: [video], max_frames: 50}\noptions: {timeout_s: 9}\n"
    )
    model = load_model(spec, max_frames=20)
    assert (model.name, model.revision) == (spec, "openai:m@http://host/v1 7")
    assert model.limits.modalities == {Modality.VIDEO}
    assert model.limits.max_frames == 20
    assert system_block(model).provider == "Someone"


def test_another_model_under_the_name_of_a_card_is_another_revision(card):
    small = load_model(card("spec: openai:small@http://host/v1\n"))
    large = load_model(card("spec: openai:large@http://host/v1\n"))
    assert small.name == large.name
    assert small.revision != large.revision


def test_a_model_without_a_card_is_described_by_itself():
    block = system_block(load_model("random"))
    assert (block.name, block.revision, block.tier) == ("random", "1", None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("spec: random\ntire: x\n", r'mine\.yaml line 2: unknown key "tire" \(nearest: tier\)'),
        (
            "spec: random\nlimits:\n  max_frame: 3\n",
            r'mine\.yaml line 3: unknown key "limits\.max_frame" \(nearest: max_frames\)',
        ),
        ("tier: x\n", r'mine\.yaml: "spec" is missing'),
        ("spec: random\nlimits: {max_frames: many}\n", r'mine\.yaml line 2: "limits\.max_frames": '),
        ("spec: [\n", r"mine\.yaml line 2: "),
        ("- 1\n", r"mine\.yaml: a model card is"),
        ("spec: randm\n", r"nearest: random"),
        ("spec: random\noptions: {x: 1}\n", r'random models have no setting "x"'),
    ],
)
def test_a_faulty_card_names_file_and_line(card, text, told):
    with pytest.raises(InputError, match=told) as caught:
        load_model(card(text))
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "musebench_tasks.models.transformers_chat", None)
    monkeypatch.delitem(sys.modules, "musebench_tasks.models.transformers_chat")

    def fail(name, *_):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr("importlib.import_module", fail)
    with pytest.raises(InputError, match=r"needs the extra `hf` \(torch is missing\): pip install"):
        load_model("transformers:some/model")


def test_the_registry_imports_nothing_heavy():
    code = (
        "import sys, musebench_tasks.models as m; m.list_models(); m.load_model('random');"
        "print([x for x in ('torch','transformers','datasets','evaluate','pandas','pyarrow','scipy','matplotlib','av',"
        "'numpy','PIL','http.client') if x in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("spec", ["random\n", "command:\x1b[31mx", "command:" + "x" * 1500, " "])
def test_a_spec_that_is_no_name_is_refused_in_one_line(spec):
    with pytest.raises(InputError, match="model card") as caught:
        load_model(spec)
    assert str(caught.value).isprintable()


def test_a_long_spec_gives_a_folder_name_that_file_systems_take():
    first, second = (model_slug(f"command:{'x' * 300}{end}") for end in "ab")
    assert len(first) < 255
    assert first != second
