"""An address, a spec or a card names what is pinged, and how a run would ask there."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality
from musebench_tasks.models.ping import read_target

URL = "http://localhost:8000/v1"


def test_an_address_is_asked_as_most_servers_are():
    target = read_target(URL)
    assert (target.urls, target.model, target.video_as, target.audio_as) == ((URL,), None, "frames", "input_audio")
    assert read_target(URL, "m").model == "m"
    assert read_target(f"{URL},http://localhost:8001/v1").urls == (URL, "http://localhost:8001/v1")


def test_a_spec_names_model_and_replicas():
    target = read_target(f"openai:a/b@{URL},http://localhost:8001/v1")
    assert (target.model, len(target.urls)) == ("a/b", 2)
    assert read_target(f"openai:a/b@{URL}", "c").model == "c"


def test_a_card_says_how_a_run_asks(tmp_path):
    card = tmp_path / "mine.yaml"
    card.write_text(
        f"spec: openai:m@{URL}\nlimits: {{modalities: [video]}}\n"
        "options: {server: sglang, video_as: clip, answering: letters, api_key_variable: MY_KEY, extra: {top_k: 1}}\n"
    )
    target = read_target(str(card))
    assert (target.video_as, target.audio_as, target.by_letters) == ("clip", None, True)
    assert (target.key_variable, target.modalities) == ("MY_KEY", frozenset({Modality.VIDEO}))
    assert (target.traits.max_tokens_field, target.traits.extra) == ("max_completion_tokens", {"top_k": 1})
    card.write_text(f"spec: openai:m@{URL}\noptions: {{reasoning_tokens: 500}}\n")
    assert read_target(str(card)).may_reason


def test_a_card_of_the_package_is_a_target():
    assert read_target("qwen2_5_omni_vllm").urls == (URL,)


@pytest.mark.parametrize("text", ["dsp", "random", "localhost:8000", "transformers:a/b", "no_such_card"])
def test_what_is_no_server_is_told_with_what_to_write(text):
    with pytest.raises(InputError, match=r"is no server\. Write its address \(http://localhost:8000/v1\)"):
        read_target(text)


def test_what_is_wrong_in_a_card_is_told(tmp_path):
    card = tmp_path / "mine.yaml"
    card.write_text(f"spec: openai:m@{URL}\noptions: {{vidoe_as: clip}}\n")
    with pytest.raises(InputError, match=r'no setting "vidoe_as" \(nearest: video_as\)'):
        read_target(str(card))
    with pytest.raises(InputError, match=r"write openai:MODEL@URL"):
        read_target("openai:m")
