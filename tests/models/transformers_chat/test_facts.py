"""What a checkpoint tells of itself is found out once, and again where anything that decides it is another."""

import shutil

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.models.transformers_chat import capabilities as facts
from musebench_tasks.models.transformers_chat import load, loading
from musebench_tasks.models.transformers_chat.capabilities import Facts, keep_facts, kept_facts, place_of

COMMIT = "0123456789abcdef" * 2 + "01234567"
FACTS = Facts(
    model_type="qwen2_audio",
    revision="r",
    context_tokens=9,
    sees=False,
    hears=True,
    sample_rate=16_000,
    audio_limit_s=30.0,
    marks_reasoning=False,
    has_switch=False,
    always_reasons=False,
)


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path / "cache"))


def never(*_, **__):
    pytest.fail("it was loaded")


@pytest.mark.parametrize("family", ["qwen2_audio", "qwen2_5_omni_thinker"])
def test_what_was_found_out_once_needs_no_processor(tiny_model, family, monkeypatch):
    source = str(tiny_model(family))
    first = load(source, device="cpu", max_audio_s=20)
    monkeypatch.setattr(loading, "load_config", never)
    monkeypatch.setattr(loading, "load_processor", never)
    again = load(source, device="cpu", max_audio_s=20)
    for name in ("limits", "revision", "reasoning", "context_tokens", "family", "thinking", "takes_audio_parts"):
        assert getattr(again, name) == getattr(first, name)
    assert "processor" in vars(first)
    assert "processor" not in vars(again)
    assert load(source, device="cpu", max_audio_s=10).limits.max_audio_s == 10
    with pytest.raises(InputError, match="no tokens that mark reasoning"):
        load(source, device="cpu", reasoning_tokens=5)


def test_another_checkpoint_or_another_reader_is_another_place(tiny_qwen2_audio, tmp_path, monkeypatch):
    copy = shutil.copytree(tiny_qwen2_audio, tmp_path / "copy")
    place = place_of(str(copy))
    assert place == place_of(str(tiny_qwen2_audio))
    (copy / "templates").mkdir()
    (copy / "templates" / "one.jinja").write_text("?")
    assert place_of(str(copy)) != place
    (copy / "templates" / "one.jinja").unlink()
    assert place_of(str(copy)) == place
    (copy / "chat_template.jinja").write_text("?")
    assert place_of(str(copy)) != place
    monkeypatch.setattr(facts, "_readers", lambda: ["transformers 6"])
    assert place_of(str(tiny_qwen2_audio)) != place


def test_what_is_kept_may_be_damaged_or_refused(tmp_path):
    place = tmp_path / "checkpoints" / "a.json"
    assert kept_facts(place) is None
    keep_facts(place, FACTS)
    assert kept_facts(place) == FACTS
    place.write_text(place.read_text()[:-9])
    assert kept_facts(place) is None
    keep_facts(place / "below a file", FACTS)
    keep_facts(None, FACTS)
    assert kept_facts(None) is None


def test_an_id_stands_for_the_commit_that_the_hub_tells(torch, monkeypatch):
    import huggingface_hub

    asked = []

    def download(source, name, revision=None):
        asked.append((source, name, revision))
        if source == "not/there":
            raise OSError("no such repository")
        return f"/hub/snapshots/{COMMIT if revision is None else revision}/config.json"

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    assert place_of("some/model") == place_of("some/model", COMMIT)
    assert place_of("some/model") != place_of("other/model")
    assert place_of("some/model", COMMIT[::-1]) != place_of("some/model")
    assert place_of("some/model", "no-commit") is None
    assert place_of("not/there") is None
    assert asked[0] == ("some/model", "config.json", None)
