"""Tiny models: the same seed, the same weights; sizes as asked."""

import json

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.models.tiny import TINY_FAMILIES, build_tiny


def test_the_same_seed_gives_the_same_weights_whatever_was_drawn_before(torch, tmp_path, tiny_model):
    torch.rand(3)
    again = build_tiny("qwen2_audio", tmp_path / "again")
    other = build_tiny("qwen2_audio", tmp_path / "other", seed=1)
    first, second, third = (
        (path / "model.safetensors").read_bytes() for path in (tiny_model("qwen2_audio"), again, other)
    )
    assert first == second != third


def test_building_leaves_the_chance_of_others_alone(torch, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    build_tiny("qwen2_audio", tmp_path)
    assert torch.equal(torch.rand(1), expected)


def test_sizes_are_those_asked_for(torch, tmp_path):
    directory = build_tiny("qwen3_5", tmp_path, hidden=64, layers=4)
    text = json.loads((directory / "config.json").read_text())["text_config"]
    assert (text["hidden_size"], text["num_hidden_layers"], text["head_dim"]) == (64, 4, 16)
    assert text["layer_types"] == ["linear_attention", "full_attention"] * 2


def test_each_family_is_built_as_what_it_is_called(torch, tiny_model):
    for family in TINY_FAMILIES:
        assert json.loads((tiny_model(family) / "config.json").read_text())["model_type"] == family


def test_an_unknown_family_names_the_nearest(torch, tmp_path):
    with pytest.raises(InputError, match=r'no tiny model of "gemma5" \(nearest: gemma4\)'):
        build_tiny("gemma5", tmp_path)
