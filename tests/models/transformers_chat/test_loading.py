"""Loading: the right class for each configuration, and what names a checkpoint."""

import json
import shutil

import pytest
from fakes.media_group import FakeGroup, make_request, picture

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.models import load_model
from musebench_tasks.models.transformers_chat import loading
from musebench_tasks.models.transformers_chat.families import FAMILIES, audio_limit_s, family_of

MULTIMODAL = "AutoModelForMultimodalLM"


@pytest.mark.parametrize(
    ("model_type", "expected"),
    [
        ("qwen2_5_omni", "Qwen2_5OmniThinkerForConditionalGeneration"),
        ("qwen2_5_omni_thinker", "Qwen2_5OmniThinkerForConditionalGeneration"),
        ("qwen3_omni_moe", "Qwen3OmniMoeThinkerForConditionalGeneration"),
        ("qwen3_omni_moe_thinker", "Qwen3OmniMoeThinkerForConditionalGeneration"),
        ("qwen2_5_vl", MULTIMODAL),
        ("qwen3_vl", MULTIMODAL),
        ("qwen3_vl_moe", MULTIMODAL),
        ("qwen3_5", MULTIMODAL),
        ("qwen2_audio", MULTIMODAL),
        ("llava_onevision", MULTIMODAL),
        ("internvl", MULTIMODAL),
        ("video_llama_3", MULTIMODAL),
        ("smolvlm", MULTIMODAL),
        ("audioflamingo3", "AutoModelForSeq2SeqLM"),
        ("musicflamingo", "AutoModelForSeq2SeqLM"),
        ("gemma3n", MULTIMODAL),
        ("gemma4", MULTIMODAL),
    ],
)
def test_each_model_type_has_a_class(torch, model_type, expected):  # covers the private mapping
    from transformers import AutoConfig

    config_class = type(AutoConfig.for_model(model_type))
    assert config_class.model_type == model_type
    assert loading.model_class(config_class(), family_of(model_type).loader).__name__ == expected


def test_the_private_mapping_is_there_and_tells_members_from_others(torch):
    import transformers

    for name in loading.AUTO_CLASSES:
        mapping = getattr(transformers, name)._model_mapping
        assert transformers.ViTConfig not in mapping
    assert transformers.Qwen2AudioConfig in transformers.AutoModelForMultimodalLM._model_mapping
    assert transformers.MusicFlamingoConfig not in transformers.AutoModelForMultimodalLM._model_mapping


def test_the_text_only_class_of_a_family_is_not_taken(torch):  # qwen3_5 is known to AutoModelForCausalLM, too
    import transformers

    auto = loading.model_class(transformers.AutoConfig.for_model("qwen3_5"))
    assert auto._model_mapping[transformers.Qwen3_5Config].__name__ == "Qwen3_5ForConditionalGeneration"


def test_a_type_without_a_class_is_refused(torch):
    from transformers import AutoConfig

    with pytest.raises(InputError, match='model type "vit" has no Auto class'):
        loading.model_class(AutoConfig.for_model("vit"))


def test_missing_packages_name_the_extra(monkeypatch):
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"install musebench-tasks\[hf\]"):
        loading.require_packages()


def test_nothing_where_the_checkpoint_should_be(torch, tmp_path):
    with pytest.raises(InputError, match="no usable configuration"):
        loading.load_config(str(tmp_path))


def test_revision_of_a_directory_follows_its_content(torch, tiny_omni, tmp_path):
    copy = shutil.copytree(tiny_omni, tmp_path / "copy")
    before = loading.checkpoint_revision(str(copy))
    assert before == loading.checkpoint_revision(str(tiny_omni))
    with (copy / "model.safetensors").open("r+b") as weights:
        weights.seek(-1, 2)
        weights.write(b"\x55")
    assert loading.checkpoint_revision(str(copy)) != before


def test_revision_of_an_id_is_the_commit_that_lies_in_the_hubs_cache(torch, tmp_path, monkeypatch):
    import huggingface_hub

    def lying_there(source, name, revision=None):
        return huggingface_hub_download(source, name, revision=revision, cache_dir=tmp_path, local_files_only=True)

    huggingface_hub_download = huggingface_hub.hf_hub_download
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", lying_there)
    repository = tmp_path / "models--me--tiny"
    for name, commit in (("main", "a" * 40), ("older", "b" * 40)):
        (repository / "snapshots" / commit).mkdir(parents=True)
        (repository / "snapshots" / commit / "config.json").write_text("{}")
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / name).write_text(commit)
    assert loading.checkpoint_revision("me/tiny") == "a" * 40
    assert loading.checkpoint_revision("me/tiny", "older") == "b" * 40
    assert loading.checkpoint_revision("not/here") == "unknown"


@pytest.mark.parametrize(("recorded", "asked"), [("a" * 40, "a" * 40), ("unknown", "v1"), ("sha256:" + "b" * 64, "v1")])
def test_weights_are_those_of_the_recorded_commit(torch, tiny_omni, monkeypatch, recorded, asked):
    model = load_model(f"transformers:{tiny_omni}", device="cpu", revision="v1")
    model.facts = model.facts.model_copy(update={"revision": recorded})
    given, original = [], loading.load_weights

    def noting(*args, revision, **more):
        given.append(revision)
        return original(*args, revision=None, **more)

    monkeypatch.setattr(loading, "load_weights", noting)
    model.prepare()
    model.prepare()
    assert given == [asked]


def test_weights_that_cannot_be_loaded_end_the_work(torch, tiny_omni, tmp_path):
    copy = shutil.copytree(tiny_omni, tmp_path / "copy")
    (copy / "model.safetensors").write_bytes(b"cut off")
    model = load_model(f"transformers:{copy}", device="cpu")
    with pytest.raises(ModelUnusableError, match="its weights cannot be loaded: .* then give the same command again"):
        list(model.answer(FakeGroup((make_request(),))))


def test_device_follows_the_rank(torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("RANK", "3")
    assert loading.choose_device() == "cuda:1"
    monkeypatch.setenv("LOCAL_RANK", "0")
    assert loading.choose_device() == "cuda:0"
    assert loading.choose_device("cpu") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert loading.choose_device() == "cpu"


def test_dtype(torch):
    assert loading.choose_dtype(None, "cpu") is torch.float32
    assert loading.choose_dtype(None, "cuda:0") is torch.bfloat16
    assert loading.choose_dtype("float16", "cpu") is torch.float16
    with pytest.raises(InputError, match='dtype "float17"'):
        loading.choose_dtype("float17", "cpu")


class Extractor:
    n_samples, sampling_rate = 480_000, 16_000


class Processor:
    feature_extractor = Extractor()


class WindowedProcessor(Processor):
    max_audio_len = 600


@pytest.mark.parametrize(
    ("model_type", "processor", "expected"),
    [("qwen2_audio", Processor(), 30), ("audioflamingo3", WindowedProcessor(), 600), ("unknown", object(), None)],
)
def test_seconds_of_sound_that_a_family_keeps(model_type, processor, expected):
    assert audio_limit_s(family_of(model_type), processor) == expected


def test_only_omni_models_weave_sound_into_video():
    assert {name for name, family in FAMILIES.items() if family.interleaves_audio} == {
        "qwen2_5_omni",
        "qwen2_5_omni_thinker",
        "qwen3_omni_moe",
        "qwen3_omni_moe_thinker",
    }


def test_settings_that_change_answers_show_in_the_revision(torch, tiny_omni):
    plain, coarse, half = (
        load_model(f"transformers:{tiny_omni}", **options)
        for options in ({}, {"max_pixels": 3136}, {"dtype": "float16"})
    )
    assert plain.revision == loading.checkpoint_revision(str(tiny_omni))
    assert len({plain.revision, coarse.revision, half.revision}) == 3


TEXT_MODULES = ("embed_tokens", "norm", "rotary_emb", "layers.0")
SECOND_LAYER_ON_DISK = {
    **{f"model.language_model.{name}": "cpu" for name in TEXT_MODULES},
    **dict.fromkeys(("model.visual", "model.audio_tower", "lm_head"), "cpu"),
    "model.language_model.layers.1": "disk",
}


def first_answer(model):
    (response,) = model.answer(FakeGroup((make_request(media_s=4.0),), None, picture(4, 4)))
    assert response.error is None
    return response.raw


def test_weights_on_several_devices_answer_alike(torch, tiny_omni, omni, tmp_path):
    expected = first_answer(omni)
    disk = {"offload_folder": str(tmp_path)}
    for spread in (
        {"device_map": SECOND_LAYER_ON_DISK, **disk},
        {"device_map": "auto", "max_memory": {"cpu": "300KB"}, **disk},
    ):
        assert first_answer(load_model(f"transformers:{tiny_omni}", **spread)) == expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"device": "cpu", "device_map": "auto"}, "not both"),
        ({"max_memory": {0: "1GB"}}, "max_memory only means something with device_map"),
    ],
)
def test_placements_that_contradict_are_refused(torch, tiny_omni, options, told):
    with pytest.raises(InputError, match=told):
        load_model(f"transformers:{tiny_omni}", **options)


def test_device_numbers_may_be_text_as_in_yaml():
    placement = loading.Placement(device_map="auto", max_memory={"0": "20GB", "cpu": "60GB"}, dtype="float32")
    assert placement.load_options()["max_memory"] == {0: "20GB", "cpu": "60GB"}


def test_a_map_that_forgets_modules_says_so_in_one_short_line(torch, tiny_omni):
    model = load_model(f"transformers:{tiny_omni}", device_map={"lm_head": "cpu", "model.visual": "disk"})
    with pytest.raises(ModelUnusableError, match="device_map") as caught:
        list(model.answer(FakeGroup((make_request(),))))
    assert len(str(caught.value)) < 700


def whole_omni(tiny_omni, directory):
    """The tiny thinker as it lies in a repository of the whole model: below `thinker`, beside a talker."""
    from safetensors.torch import load_file, save_file
    from transformers import AutoConfig, Qwen2_5OmniConfig

    whole = shutil.copytree(tiny_omni, directory)
    Qwen2_5OmniConfig(thinker_config=AutoConfig.from_pretrained(tiny_omni).to_dict()).save_pretrained(whole)
    weights = load_file(tiny_omni / "model.safetensors")
    named = {f"thinker.{name}": weight for name, weight in weights.items()}
    save_file(named, whole / "model.safetensors", metadata={"format": "pt"})
    return whole


def test_of_a_whole_omni_repository_the_thinker_is_loaded(torch, tiny_omni, omni, tmp_path):
    model = load_model(f"transformers:{whole_omni(tiny_omni, tmp_path / 'whole')}")
    assert type(model.weights).__name__ == "Qwen2_5OmniThinkerForConditionalGeneration"
    assert model.limits == omni.limits
    assert model.context_tokens == omni.context_tokens
    assert first_answer(model) == first_answer(omni)


OWN_CODE = """
from pathlib import Path
from transformers import PretrainedConfig, ProcessorMixin

Path(__file__).with_name("ran").touch()


class Own(PretrainedConfig):
    model_type = "own"


class OwnProcessor(ProcessorMixin):
    pass
"""


@pytest.mark.parametrize(
    ("file", "changed", "read"),
    [
        ("config.json", {"model_type": "own", "auto_map": {"AutoConfig": "own.Own"}}, loading.load_config),
        (
            "processor_config.json",
            {"processor_class": "OwnProcessor", "auto_map": {"AutoProcessor": "own.OwnProcessor"}},
            loading.load_processor,
        ),
    ],
)
def test_code_of_a_checkpoint_is_neither_run_nor_asked_about(
    torch, tiny_omni, tmp_path, monkeypatch, file, changed, read
):
    copy = shutil.copytree(tiny_omni, tmp_path / "copy")
    told = json.loads((copy / file).read_text()) if (copy / file).exists() else {}
    (copy / file).write_text(json.dumps({**told, **changed}))
    (copy / "own.py").write_text(OWN_CODE)
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr("builtins.input", lambda question: "y")
    with pytest.raises(InputError, match="it needs code of its own, which is never run"):
        read(str(copy))
    assert not list(tmp_path.rglob("ran"))


def test_of_large_files_only_a_sample_is_read(torch, tiny_omni, tmp_path, monkeypatch):
    copy = shutil.copytree(tiny_omni, tmp_path / "copy")
    (copy / "model.gguf").write_bytes(b"\0" * 3_000_000)
    monkeypatch.setattr(loading, "_LARGEST_READ", 2_999_999)
    before = loading.checkpoint_revision(str(copy))
    with (copy / "model.gguf").open("r+b") as weights:
        weights.seek(1_500_000)
        weights.write(b"\1")
    assert loading.checkpoint_revision(str(copy)) == before
    monkeypatch.setattr(loading, "_LARGEST_READ", 3_000_000)
    assert loading.checkpoint_revision(str(copy)) != before


def test_a_model_of_text_alone_is_refused_in_one_line(torch, tiny_model, tmp_path):
    import transformers

    tokenizer = transformers.AutoProcessor.from_pretrained(tiny_model("qwen2_audio")).tokenizer
    tokenizer.save_pretrained(tmp_path)
    told = json.loads((tmp_path / "tokenizer_config.json").read_text())
    told.pop("processor_class", None)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(told))
    transformers.Qwen2Config().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="it reads text alone. Choose a multimodal checkpoint"):
        load_model(f"transformers:{tmp_path}")


@pytest.mark.parametrize("name", ["AutoConfig", "AutoProcessor"])
def test_whatever_a_library_meets_in_a_checkpoint_is_told_in_one_line(torch, tiny_omni, monkeypatch, name):
    import transformers

    def fail(*_, **__):
        raise RuntimeError("a proxy said no\nand more")

    monkeypatch.setattr(getattr(transformers, name), "from_pretrained", fail)
    read = {"AutoConfig": loading.load_config, "AutoProcessor": loading.load_processor}[name]
    with pytest.raises(InputError, match=r"no usable (configuration|processor): a proxy said no$"):
        read(str(tiny_omni))
